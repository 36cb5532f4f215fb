"""Families of classifiers: a grid of settings each, from which a task chooses on development data.

There are two: multinomial logistic regression (``classifiers.py``) over L2 penalties, and the SentEval
probes' network, one hidden layer of 50 sigmoid units (Conneau et al. 2018), over dropouts and weight decays.

All networks of a grid are one batched problem. Those with the same training rows share every product: their
first layers are one matrix [d, P*H], and a smaller network has its spare hidden units masked. They are
trained by mini-batch Adam for a fixed number of epochs, with a seed. A step on 128 rows moves the weights as
far as one on all rows and costs a tenth of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch.nn import functional as F

from pipeline.core import metrics
from pipeline.evaluation.classifiers import Eigenbasis, Problems, eigenbasis, few_threads, fit_logistic
from pipeline.nn.inference import best_device

_EPOCHS = 12
_BATCH = 128  # rows of a step
_RATE = 0.01


class PerceptronSettings(NamedTuple):
    """A network's hidden units, dropout on them, and weight decay."""

    hidden: int
    dropout: float
    decay: float


def fit_perceptrons(
    features: NDArray[np.float32],
    problems: Problems,
    settings: list[PerceptronSettings],
    seed: int,
    epochs: int = _EPOCHS,
) -> NDArray[np.float32]:
    """Train one network a problem; return the logits of all rows, float32 [P, n, C], -inf for absent classes.

    ``problems.penalty`` is not used: a network is regularised by its own settings.
    """
    device = best_device()
    x = torch.from_numpy(np.ascontiguousarray(features)).to(device)
    logits = np.full((len(problems), len(x), int(problems.classes.max())), -np.inf, dtype=np.float32)
    for members in problems.batches():
        batch = problems.take(members)
        rows = torch.from_numpy(np.flatnonzero(batch.weights[0])).to(device)
        networks = _Networks(
            [settings[member] for member in members], x.shape[1], int(batch.classes[0]), seed
        )
        labels = torch.from_numpy(batch.labels).to(device)[:, rows]
        weights = torch.from_numpy(batch.weights).to(device)[:, rows]
        with few_threads(min(_BATCH, len(rows)) * networks.first.numel()):
            networks.to(device).fit(x[rows], labels, weights, epochs)
        with torch.no_grad():
            logits[members, :, : networks.classes] = networks(x).cpu().numpy()
    return logits


class _Networks(torch.nn.Module):
    """P networks on the same d features."""

    def __init__(self, settings: list[PerceptronSettings], d: int, classes: int, seed: int) -> None:
        super().__init__()
        self.count, self.classes, self.width = len(settings), classes, max(each.hidden for each in settings)
        self.generator = torch.Generator().manual_seed(seed)
        units = torch.tensor([each.hidden for each in settings])
        self.register_buffer("used", (torch.arange(self.width) < units[:, None]).float()[:, None])
        self.register_buffer("drop", torch.tensor([each.dropout for each in settings])[:, None, None])
        self.register_buffer("decay", torch.tensor([each.decay for each in settings]))
        scale = (1 / units.float().sqrt())[:, None, None]
        first = torch.randn(d, 1, self.width, generator=self.generator).repeat(1, self.count, 1) / d**0.5
        self.first = torch.nn.Parameter(first.flatten(1))
        self.first_bias = torch.nn.Parameter(torch.zeros(self.count, 1, self.width))
        second = torch.randn(1, self.width, classes, generator=self.generator)
        self.second = torch.nn.Parameter(second * scale)
        self.second_bias = torch.nn.Parameter(torch.zeros(self.count, 1, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits [P, rows, C]."""
        hidden = (x @ self.first).view(len(x), self.count, self.width).transpose(0, 1)
        hidden = torch.sigmoid(hidden + self.first_bias) * self.used
        if self.training and bool((self.drop > 0).any()):
            # One mask for all networks.
            noise = torch.rand(1, len(x), self.width, generator=self.generator).to(x.device)
            hidden = hidden * (noise >= self.drop) / (1 - self.drop)
        return torch.baddbmm(self.second_bias, hidden, self.second)

    def fit(self, x: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor, epochs: int) -> None:
        """Minimise each network's weighted mean cross-entropy plus its weight decay."""
        weights = weights / weights.mean(1, keepdim=True)
        adam = torch.optim.Adam(self.parameters(), lr=_RATE)
        self.train()
        for _ in range(epochs):
            for rows in torch.randperm(len(x), generator=self.generator).to(x.device).split(_BATCH):
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


class Family(Protocol):
    """A grid of settings, from the least regularised to the most, of which any number are fitted at once."""

    # Whether a fit does not depend on the settings beside it; else they share random numbers.
    alone: bool

    def __len__(self) -> int: ...

    def fit(
        self, features: NDArray[np.float32], problems: Problems, settings: Sequence[int]
    ) -> NDArray[np.float32]:
        """Fit problem i with setting ``settings[i]``; logits float32 [P, n, C]."""
        ...


class Logistic:
    """Multinomial logistic regression over a grid of L2 penalties.

    The eigenbasis of the features is kept, and used again where the next fit is of the same array.
    """

    alone = True

    def __init__(self, penalties: Sequence[float]) -> None:
        self.penalties = np.array(penalties, dtype=np.float64)
        self._last: tuple[NDArray[np.float32], Eigenbasis] | None = None

    def __len__(self) -> int:
        return len(self.penalties)

    def fit(
        self, features: NDArray[np.float32], problems: Problems, settings: Sequence[int]
    ) -> NDArray[np.float32]:
        """See ``Family``."""
        if self._last is None or self._last[0] is not features:
            self._last = features, eigenbasis(features)
        return fit_logistic(self._last[1], replace(problems, penalty=self.penalties[list(settings)]))


class Perceptron:
    """One hidden layer over a grid of sizes, dropouts and weight decays."""

    alone = False

    def __init__(self, grid: Sequence[PerceptronSettings], seed: int) -> None:
        self.grid, self.seed = list(grid), seed

    def __len__(self) -> int:
        return len(self.grid)

    def fit(
        self, features: NDArray[np.float32], problems: Problems, settings: Sequence[int]
    ) -> NDArray[np.float32]:
        """See ``Family``."""
        return fit_perceptrons(features, problems, [self.grid[s] for s in settings], self.seed)


_PROBE_NETWORKS = [PerceptronSettings(*each) for each in product((50,), (0.0, 0.2), (1e-3, 1e-2, 1e-1))]
# A probe's classifiers by name, each made with a seed.
FAMILIES: dict[str, Callable[[int], Family]] = {
    "logistic": lambda seed: Logistic((1e-2, 1e-1, 1.0, 10.0)),
    "mlp": lambda seed: Perceptron(_PROBE_NETWORKS, seed),
}


def best_setting(scores: ArrayLike) -> int:
    """The setting of the highest score; of equal ones the most regularised, which comes last."""
    values = np.asarray(scores)
    return len(values) - 1 - int(np.argmax(values[::-1]))


def scaled(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit vectors times sqrt(d), so that one grid suits every model; nothing is learned from the rows."""
    return metrics.unit(vectors) * np.float32(np.sqrt(vectors.shape[1]))
