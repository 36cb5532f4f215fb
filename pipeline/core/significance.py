"""Tell whether a difference is more than chance: bootstrap over examples, t-test over seeds, Holm.

The paired bootstrap draws examples with replacement, the same ones for both systems (Koehn 2004;
Berg-Kirkpatrick et al. 2012). A draw is a vector of counts: how often each example was drawn. So every metric
is computed for all draws at once, from one sorting.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Floats = NDArray[np.float64]
# (counts [B, n], gold [n], score [n]) -> the metric of each draw, in points [B]
Weighted = Callable[[Floats, Floats, Floats], Floats]
_BLOCK = 4_000_000  # entries of a block of draws
# Fewer examples are neither tested nor given an interval: of five that all changed every draw says the same,
# so the bootstrap would call them certain. One of so few moves a share by more than five points.
FEWEST = 20


class Difference(NamedTuple):
    """Metric B minus metric A, in points, with its 95 % interval and two-sided p; NaN where untested."""

    a: float
    b: float
    low: float
    high: float
    p: float

    @property
    def value(self) -> float:
        """B minus A."""
        return self.b - self.a


def mean(counts: Floats, gold: Floats, score: Floats) -> Floats:
    """Mean score, for accuracies and reciprocal ranks. ``gold`` is not read."""
    return 100 * (counts @ score) / counts.sum(1)


def average_precision(counts: Floats, gold: Floats, score: Floats) -> Floats:
    """AP of gold 1, scikit-learn's step-wise sum; examples of equal score are retrieved together."""
    order = np.argsort(-score, kind="stable")
    right = gold[order] > 0
    ends = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
    # Precision is needed only where examples of gold 1 are retrieved.
    so_far = np.cumsum(right)[ends]
    new = np.diff(so_far, prepend=0) > 0
    retrieved = np.cumsum(counts[:, order], axis=1)[:, ends[new]]
    hits = np.cumsum(counts[:, order[right]], axis=1)[:, so_far[new] - 1]
    gained = np.diff(hits, axis=1, prepend=0)
    precision = np.divide(hits, retrieved, out=np.zeros_like(hits), where=retrieved > 0)
    return 100 * (gained * precision).sum(1) / np.maximum(gained.sum(1), 1)


def spearman(counts: Floats, gold: Floats, score: Floats) -> Floats:
    """Spearman correlation with ties at their mean rank."""
    x, y = _ranks(counts, gold), _ranks(counts, score)
    total = counts.sum(1, keepdims=True)
    x = x - (counts * x).sum(1, keepdims=True) / total
    y = y - (counts * y).sum(1, keepdims=True) / total
    scale = np.sqrt((counts * x * x).sum(1) * (counts * y * y).sum(1))
    return 100 * np.divide((counts * x * y).sum(1), scale, out=np.zeros(len(counts)), where=scale > 0)


def _ranks(counts: Floats, values: Floats) -> Floats:
    """Mean rank of each distinct value among the drawn ones, for each draw [B, n]."""
    _, group = np.unique(values, return_inverse=True)
    sizes = np.zeros((len(counts), group.max() + 1))
    for row, draw in zip(sizes, counts, strict=True):
        row += np.bincount(group, weights=draw, minlength=len(row))
    return (np.cumsum(sizes, axis=1) - sizes / 2 + 0.5)[:, group]


# By the name of the metric; all others are means.
WEIGHTED: dict[str, Weighted] = {
    "spearman": spearman,
    "spearman_late": spearman,
    "ap": average_precision,
    "ap_late": average_precision,
}


def least_p(metric: str, samples: Iterable[tuple[Floats, Floats]]) -> float:
    """The smallest p that two systems' scores of the same examples can give, in one sample or several.

    In a mean, only the m examples that differ count. A two-sided sign test of them gives 2^(1 - m) where all
    favour one system. A bootstrap gives less, because few draws have none of them. In a metric of ranks one
    example moves all others, so the smallest p is 0.
    """
    if metric in WEIGHTED:
        return 0.0
    return min(1.0, 2.0 ** (1 - sum(int(np.count_nonzero(a != b)) for a, b in samples)))


def two_sided_p(drawn: Floats, least: float = 0.0) -> float:
    """Two-sided p of a difference from its bootstrap draws [B], at least ``least``.

    It is twice the share of draws at or beyond zero on the rarer side, with one draw added: never zero.
    """
    tail = min((drawn <= 0).sum(), (drawn >= 0).sum())
    return max(least, min(1.0, 2 * (int(tail) + 1) / (len(drawn) + 1)))


def resampled(metric: str, gold: Floats, scores: Sequence[Floats], draws: int, seed: int) -> Floats:
    """The metric of K systems on B draws of the same n examples, float64 [K, B], in points.

    ``gold`` [n] is read for ``spearman`` and ``ap`` alone.
    """
    weighted = WEIGHTED.get(metric, mean)
    rng = np.random.default_rng(seed)
    size = len(gold)
    uniform = np.full(size, 1 / size)
    blocks = []
    for start in range(0, draws, step := max(1, _BLOCK // size)):
        counts = rng.multinomial(size, uniform, size=min(step, draws - start)).astype(np.float64)
        blocks.append(np.stack([weighted(counts, gold, score) for score in scores]))
    return np.concatenate(blocks, axis=1)


def bootstrap(
    metric: str, gold: ArrayLike, a: ArrayLike, b: ArrayLike, draws: int = 1000, seed: int = 13
) -> Difference:
    """The difference of two systems' metric on the same examples, by paired bootstrap (``resampled``).

    The interval is the middle 95 % of the draws' differences; p is ``two_sided_p``, not below ``least_p``.
    All three are NaN for fewer than ``FEWEST`` examples.
    """
    weighted = WEIGHTED.get(metric, mean)
    truth, x, y = (np.asarray(side, dtype=np.float64) for side in (gold, a, b))
    once = np.ones((1, len(x)))
    value_a, value_b = float(weighted(once, truth, x)[0]), float(weighted(once, truth, y)[0])
    if len(x) < FEWEST:
        return Difference(value_a, value_b, np.nan, np.nan, np.nan)
    drawn_a, drawn_b = resampled(metric, truth, (x, y), draws, seed)
    drawn = drawn_b - drawn_a
    low, high = np.percentile(drawn, [2.5, 97.5])
    p = two_sided_p(drawn, least_p(metric, [(x, y)]))
    return Difference(value_a, value_b, float(low), float(high), p)


def paired_t(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided p of the paired t-test over seeds, 1 where no seed differs.

    NaN for fewer than two seeds, and where all differ by the same: rounded metrics do by chance, and a
    variance of zero is no evidence.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(x) < 2:
        return float("nan")
    # Far below the last digit of a metric, and far above what float64 leaves of equal differences.
    alike = 1e-9 * max(1.0, np.abs(x).max(), np.abs(y).max())
    if np.ptp(y - x) < alike:
        return 1.0 if np.abs(y - x).max() < alike else float("nan")
    return float(stats.ttest_rel(y, x).pvalue)


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down adjustment of m p-values, in their order; NaN stays NaN and is not counted."""
    values = np.asarray(p, dtype=np.float64)
    adjusted = np.full(len(values), np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps)) if len(order) else []
    return adjusted
