"""Compute metrics, and whether a difference of them is more than chance.

Metrics "in points" run from 0 to 100. The paired bootstrap draws examples with replacement, the same ones for
both systems (Koehn 2004; Berg-Kirkpatrick et al. 2012). A draw is a vector of counts: how often each example
was drawn. So every metric is computed for all draws at once, from one sorting. Seeds are compared by a
t-test, and many comparisons are adjusted by Holm's procedure.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipeline.core.errors import SynsemError

Floats = NDArray[np.floating]
# (counts [B, n], gold [n], score [n]) -> the metric of each draw, in points [B]
Weighted = Callable[[Floats, Floats, Floats], Floats]
COSINE_DIGITS = 6
_BLOCK = 4_000_000  # entries of a block of draws
# Fewer examples are neither tested nor given an interval: of five that all changed every draw says the same,
# so the bootstrap would call them certain. One of so few moves a share by more than five points.
FEWEST = 20


def unit(vectors: Floats) -> NDArray[np.float32]:
    """Return the rows scaled to length 1, float32 [n, d]; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def cosines(a: Floats, b: Floats) -> NDArray[np.float64]:
    """Return the cosine of each row of ``a`` with the same row of ``b``, float64 [n], to six decimals.

    Further decimals are rounding of float32. They would rank pairs of equal vectors, which moved the average
    precision of PAWS-Wiki by a tenth of a point.
    """
    return np.round(np.einsum("nd,nd->n", unit(a), unit(b), dtype=np.float64), COSINE_DIGITS)


def pearson(gold: ArrayLike, score: ArrayLike) -> float:
    """Return the Pearson correlation in points; SynsemError if one side is constant."""
    if min(len(np.unique(gold)), len(np.unique(score))) < 2:
        raise SynsemError("all gold scores or all similarities are equal, so there is no correlation")
    return 100 * float(np.corrcoef(np.asarray(gold), np.asarray(score))[0, 1])


def spearman(gold: ArrayLike, score: ArrayLike) -> float:
    """Return the Spearman rank correlation in points, ties at their mean rank."""
    counts = np.ones((1, np.size(gold)))
    return pearson(_ranks(counts, np.asarray(gold))[0], _ranks(counts, np.asarray(score))[0])


def average_precision(gold: ArrayLike, score: ArrayLike) -> float:
    """Return the average precision of the positives (gold 1) in points; SynsemError if all are of a class."""
    truth = np.asarray(gold)
    if not 0 < int(truth.sum()) < len(truth):
        raise SynsemError("only one class among the labels, so average precision is undefined")
    return float(weighted_average_precision(np.ones((1, len(truth))), truth, np.asarray(score))[0])


def best_threshold(gold: ArrayLike, score: ArrayLike) -> float:
    """Return the threshold t for which ``score >= t`` agrees most often with gold 1.

    It lies midway between two neighbouring scores; of equally good ones it is the lowest. O(n log n).
    """
    scores, place = np.unique(np.asarray(score, dtype=np.float64), return_inverse=True)
    # The k lowest scores are called 0 and the rest 1: how many more are right for each k than for 0.
    gain = np.bincount(place, weights=1 - 2 * np.asarray(gold, dtype=np.int64))
    k = int(np.argmax(np.append(0, np.cumsum(gain))))
    if k in (0, len(scores)):
        return float(scores[0] - 1) if k == 0 else float(scores[-1] + 1)
    # As a number of NumPy it stays exact next to scores in float32, to which a Python float would be rounded.
    # The mean of two scores without a number between them may be rounded to the lower one.
    return np.maximum((scores[k - 1] + scores[k]) / 2, np.nextafter(scores[k - 1], np.inf))


def accuracy(gold: ArrayLike, predicted: ArrayLike) -> float:
    """Return the share of equal entries, in points."""
    return 100 * float(np.mean(np.asarray(gold) == np.asarray(predicted)))


def macro_f1(gold: ArrayLike, predicted: ArrayLike) -> float:
    """Return the mean of the classes' F1, in points."""
    from sklearn.metrics import f1_score  # two seconds, which no other metric needs

    return 100 * float(f1_score(gold, predicted, average="macro", zero_division=0.0))


def alignment(similarity: Floats) -> float:
    """Return the mean squared distance of pairs on the unit sphere, of their cosines [n]; lower is better.

    Wang & Isola (2020) with alpha 2.
    """
    return float(np.mean(2 - 2 * similarity))


def uniformity(vectors: Floats) -> float:
    """Return the log mean Gaussian potential over all pairs (Wang & Isola 2020, t 2); lower is better."""
    points = unit(vectors).astype(np.float64)
    similarity = (points @ points.T)[np.triu_indices(len(points), k=1)]
    if not len(similarity):
        raise SynsemError("uniformity needs at least two sentences")
    return float(np.log(np.mean(np.exp(-2 * (2 - 2 * similarity)))))


class Difference(NamedTuple):
    """Metric B minus metric A, in points, with its 95 % interval and two-sided p; NaN if untested."""

    a: float
    b: float
    low: float
    high: float
    p: float

    @property
    def value(self) -> float:
        """B minus A."""
        return self.b - self.a


def weighted_mean(counts: Floats, gold: Floats, score: Floats) -> Floats:
    """Return the mean score, for accuracies and reciprocal ranks. ``gold`` is not read."""
    return 100 * (counts @ score) / counts.sum(1)


def weighted_average_precision(counts: Floats, gold: Floats, score: Floats) -> Floats:
    """Return the AP of gold 1, scikit-learn's step-wise sum; equal scores are retrieved together."""
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


def weighted_spearman(counts: Floats, gold: Floats, score: Floats) -> Floats:
    """Return the Spearman correlation with ties at their mean rank."""
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
    "spearman": weighted_spearman,
    "spearman_late": weighted_spearman,
    "ap": weighted_average_precision,
    "ap_late": weighted_average_precision,
}


def least_p(metric: str, samples: Iterable[tuple[Floats, Floats]]) -> float:
    """Return the smallest p that two systems' scores of the same examples can give, in one sample or several.

    In a mean, only the m examples that differ count. A two-sided sign test of them gives 2^(1 - m) if all
    favour one system. A bootstrap gives less, because few draws have none of them. In a metric of ranks one
    example moves all others, so the smallest p is 0.
    """
    if metric in WEIGHTED:
        return 0.0
    return min(1.0, 2.0 ** (1 - sum(int(np.count_nonzero(a != b)) for a, b in samples)))


def two_sided_p(drawn: Floats, least: float = 0.0) -> float:
    """Return the two-sided p of a difference from its bootstrap draws [B], at least ``least``.

    It is twice the share of draws at or beyond zero on the rarer side, with one draw added: never zero.
    """
    tail = int(min((drawn <= 0).sum(), (drawn >= 0).sum()))
    return max(least, min(1.0, 2 * (tail + 1) / (len(drawn) + 1)))


def resampled(metric: str, gold: Floats, scores: Sequence[Floats], draws: int, seed: int) -> Floats:
    """Return the metric of K systems on B draws of the same n examples, float64 [K, B], in points.

    Only ``spearman`` and ``ap`` read ``gold`` [n].
    """
    weighted = WEIGHTED.get(metric, weighted_mean)
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
    """Return the difference of two systems' metric on the same examples, by paired bootstrap (``resampled``).

    The interval is the middle 95 % of the draws' differences; p is ``two_sided_p``, not below ``least_p``.
    All three are NaN for fewer than ``FEWEST`` examples.
    """
    weighted = WEIGHTED.get(metric, weighted_mean)
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
    """Return the two-sided p of the paired t-test over seeds, 1 if no seed differs.

    NaN for fewer than two seeds, and if all differ by the same: rounded metrics do so by chance, and a
    variance of zero proves nothing.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(x) < 2:
        return float("nan")
    # Far below the last digit of a metric, and far above what float64 leaves of equal differences.
    alike = 1e-9 * max(1.0, np.abs(x).max(), np.abs(y).max())
    if np.ptp(y - x) < alike:
        return 1.0 if np.abs(y - x).max() < alike else float("nan")
    from scipy.stats import ttest_rel  # a second, and evaluation does without

    return float(ttest_rel(y, x).pvalue)


def holm(p: ArrayLike) -> Floats:
    """Adjust m p-values by Holm's step-down procedure, in their order; NaN stays NaN and is not counted."""
    values = np.asarray(p, dtype=np.float64)
    adjusted = np.full(len(values), np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted
