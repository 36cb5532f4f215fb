"""Multilayer perceptrons by the dozen: every size, dropout and weight decay of a grid as one batched problem.

The SentEval probes' classifier, one hidden layer of 50 sigmoid units (Conneau et al. 2018), without their
one-at-a-time loop. Problems with the same training rows share every product: their first layers are one
matrix [d, P*H], and a smaller network has its spare hidden units masked. Mini-batch Adam, a fixed number of
epochs, seeded; a step on 128 rows moves the weights as far as one on all rows and costs a tenth of it.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from pipeline.evaluation.classifiers import Problems, few_threads

_EPOCHS = 12
_BATCH = 128  # rows of a step
_RATE = 0.01


class Shape(NamedTuple):
    """A network's hidden units, dropout on them, and weight decay."""

    hidden: int
    dropout: float
    decay: float


def fit_perceptrons(
    features: NDArray[np.float32], problems: Problems, shapes: list[Shape], seed: int, epochs: int = _EPOCHS
) -> NDArray[np.float32]:
    """Train one network a problem; return the logits of all rows, float32 [P, n, C], -inf for absent classes.

    ``problems.penalty`` is not used: a network's regularisation is that of its shape.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.from_numpy(np.ascontiguousarray(features)).to(device)
    logits = np.full((len(problems), len(x), int(problems.classes.max())), -np.inf, dtype=np.float32)
    for members in problems.alike():
        batch = problems.take(members)
        rows = torch.from_numpy(np.flatnonzero(batch.weights[0])).to(device)
        networks = _Networks([shapes[member] for member in members], x.shape[1], int(batch.classes[0]), seed)
        labels = torch.from_numpy(batch.labels).to(device)[:, rows]
        weights = torch.from_numpy(batch.weights).to(device)[:, rows]
        with few_threads(min(_BATCH, len(rows)) * networks.first.numel()):
            networks.to(device).fit(x[rows], labels, weights, epochs)
        with torch.no_grad():
            logits[members, :, : networks.classes] = networks(x).cpu().numpy()
    return logits


class _Networks(torch.nn.Module):
    """P networks on the same d features."""

    def __init__(self, shapes: list[Shape], d: int, classes: int, seed: int) -> None:
        super().__init__()
        self.count, self.classes, self.width = len(shapes), classes, max(shape.hidden for shape in shapes)
        self.chance = torch.Generator().manual_seed(seed)
        units = torch.tensor([shape.hidden for shape in shapes])
        self.register_buffer("used", (torch.arange(self.width) < units[:, None]).float()[:, None])
        self.register_buffer("drop", torch.tensor([shape.dropout for shape in shapes])[:, None, None])
        self.register_buffer("decay", torch.tensor([shape.decay for shape in shapes]))
        scale = (1 / units.float().sqrt())[:, None, None]
        first = torch.randn(d, 1, self.width, generator=self.chance).repeat(1, self.count, 1) / d**0.5
        self.first = torch.nn.Parameter(first.flatten(1))
        self.first_bias = torch.nn.Parameter(torch.zeros(self.count, 1, self.width))
        second = torch.randn(1, self.width, classes, generator=self.chance)
        self.second = torch.nn.Parameter(second * scale)
        self.second_bias = torch.nn.Parameter(torch.zeros(self.count, 1, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits [P, rows, C]."""
        hidden = (x @ self.first).view(len(x), self.count, self.width).transpose(0, 1)
        hidden = torch.sigmoid(hidden + self.first_bias) * self.used
        if self.training and bool((self.drop > 0).any()):
            noise = torch.rand(1, len(x), self.width, generator=self.chance).to(x.device)  # one mask for all
            hidden = hidden * (noise >= self.drop) / (1 - self.drop)
        return torch.baddbmm(self.second_bias, hidden, self.second)

    def fit(self, x: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor, epochs: int) -> None:
        """Minimise each network's weighted mean cross-entropy plus its weight decay."""
        weights = weights / weights.mean(1, keepdim=True)
        adam = torch.optim.Adam(self.parameters(), lr=_RATE)
        self.train()
        for _ in range(epochs):
            for rows in torch.randperm(len(x), generator=self.chance).to(x.device).split(_BATCH):
                logits = self(x[rows])
                right = labels[:, rows].flatten()
                loss = F.cross_entropy(logits.flatten(0, 1), right, reduction="none").view(self.count, -1)
                norms = self.first.view(-1, self.count, self.width).square().sum((0, 2))
                norms = norms + self.second.square().sum((1, 2))
                # Networks do not share parameters, so the gradient of the sum is each one's own gradient.
                total = (loss * weights[:, rows]).mean(1).sum() + 0.5 * (self.decay * norms).sum()
                adam.zero_grad()
                total.backward()
                adam.step()
        self.eval()
