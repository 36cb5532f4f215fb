"""Bootstrap over examples for any number of systems at once: one set of draws serves all intervals and
differences.

Each draw takes as many examples as there are, with replacement, the same ones for every system (paired; Koehn
2004), so that the difference of two systems is the difference of their columns.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation.significance import WEIGHTED, holm, mean

Floats = NDArray[np.float64]
_BLOCK = 4_000_000  # entries of a block of draws


@dataclass(frozen=True)
class Drawn:
    """K systems' metric on B draws of the same examples, float64 [K, B], in points."""

    values: Floats

    def interval(self, system: int) -> tuple[float, float]:
        """The middle 95 % of a system's draws."""
        low, high = np.percentile(self.values[system], [2.5, 97.5])
        return float(low), float(high)

    def p(self, system: int, other: int) -> float:
        """Two-sided p of the difference of two systems, with one draw added so that it is never zero."""
        difference = self.values[system] - self.values[other]
        tail = min((difference <= 0).sum(), (difference >= 0).sum())
        return min(1.0, 2 * (int(tail) + 1) / (len(difference) + 1))


def corrected(p: Sequence[float | None]) -> list[float | None]:
    """Holm's adjustment of those that are known, in their order; None stays None and is not counted."""
    adjusted = holm([math.nan if each is None else each for each in p])
    return [None if math.isnan(each) else float(each) for each in adjusted]


def draw(metric: str, gold: Floats, scores: Sequence[Floats], draws: int, seed: int) -> Drawn:
    """Resample n examples of K systems; ``gold`` [n] is looked at for spearman and ap alone.

    ``metric`` is ``ap``, ``spearman``, or anything else for the mean of the scores.
    """
    weighted = WEIGHTED.get(metric, mean)
    rng = np.random.default_rng(seed)
    size = len(gold)
    uniform = np.full(size, 1 / size)
    blocks = []
    for start in range(0, draws, step := max(1, _BLOCK // size)):
        counts = rng.multinomial(size, uniform, size=min(step, draws - start)).astype(np.float64)
        blocks.append(np.stack([weighted(counts, gold, score) for score in scores]))
    return Drawn(np.concatenate(blocks, axis=1))
