"""Multilayer perceptrons by the dozen as one batched problem: every fold, size, dropout and weight decay at
once.

The first layers of all problems are one matrix [d, P*H] on the shared features; a smaller network has its
spare hidden units masked. Full-batch Adam, fixed number of steps, seeded: the SentEval probes' classifier
(one hidden layer of 50 sigmoid units) without their one-at-a-time loop.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from pipeline.evaluation.classifiers import Problems

_STEPS = 120
_RATE = 0.01


class Shape(NamedTuple):
    """A network's hidden units, dropout on them, and weight decay."""

    hidden: int
    dropout: float
    decay: float


def fit_perceptrons(
    features: NDArray[np.float32], problems: Problems, shapes: list[Shape], seed: int, steps: int = _STEPS
) -> NDArray[np.float32]:
    """Train one network a problem; return the logits of all rows, float32 [P, n, C], -inf for absent classes.

    ``problems.penalty`` is not used: a network's regularisation is that of its shape.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    chance = torch.Generator().manual_seed(seed)
    trains = np.asarray(problems.weights.any(axis=0))
    everything = torch.from_numpy(np.ascontiguousarray(features)).to(device)
    x = everything[torch.from_numpy(trains).to(device)]
    count, most = len(problems), int(problems.classes.max())
    width = max(shape.hidden for shape in shapes)
    labels = torch.from_numpy(problems.labels[:, trains].clip(0, most - 1)).to(device)  # [P, n]
    weights = torch.from_numpy(problems.weights[:, trains].astype(np.float32)).to(device)
    weights = weights / weights.sum(1, keepdim=True)
    absent = torch.arange(most) >= torch.from_numpy(problems.classes)[:, None]
    absent = absent.to(device)[:, None]  # [P, 1, C]
    units = torch.tensor([shape.hidden for shape in shapes])
    used = (torch.arange(width) < units[:, None]).float().to(device)  # [P, H]
    drop = torch.tensor([shape.dropout for shape in shapes], device=device)[:, None, None]
    decay = torch.tensor([shape.decay for shape in shapes], device=device)

    d = x.shape[1]
    first = (torch.randn(d, count * width, generator=chance) / d**0.5).to(device).requires_grad_()
    first_bias = torch.zeros(count, 1, width, device=device, requires_grad=True)
    scale = (1 / units.float().sqrt())[:, None, None]
    second = (torch.randn(count, width, most, generator=chance) * scale).to(device).requires_grad_()
    second_bias = torch.zeros(count, 1, most, device=device, requires_grad=True)
    parameters = [first, first_bias, second, second_bias]
    adam = torch.optim.Adam(parameters, lr=_RATE)

    def forward(rows: torch.Tensor, training: bool) -> torch.Tensor:
        hidden = (rows @ first).view(len(rows), count, width).transpose(0, 1)  # [P, n, H]
        hidden = torch.sigmoid(hidden + first_bias) * used[:, None]
        if training and bool((drop > 0).any()):
            noise = torch.rand(1, len(rows), width, generator=chance).to(device)  # one mask for all problems
            hidden = hidden * (noise >= drop) / (1 - drop)
        return (torch.bmm(hidden, second) + second_bias).masked_fill(absent, float("-inf"))

    for _ in range(steps):
        logits = forward(x, training=True)
        loss = (F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")).view(count, -1)
        weight_norms = first.view(d, count, width).square().sum((0, 2)) + second.square().sum((1, 2))
        # Problems do not share parameters, so the gradient of the sum is each problem's own gradient.
        total = (loss * weights).sum() + 0.5 * (decay * weight_norms).sum()
        adam.zero_grad()
        total.backward()
        adam.step()
    with torch.no_grad():
        return forward(everything, training=False).cpu().numpy()
