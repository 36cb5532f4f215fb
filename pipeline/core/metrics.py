"""Compute metrics: correlations, average precision, thresholds, F1, alignment and uniformity.

Metrics "in points" run from 0 to 100.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import pearsonr, rankdata
from sklearn.metrics import average_precision_score, f1_score

from pipeline.core.errors import SynsemError

Floats = NDArray[np.floating]
COSINE_DIGITS = 6


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
    """Return the Pearson correlation in points; SynsemError where one side is constant."""
    if min(len(np.unique(gold)), len(np.unique(score))) < 2:
        raise SynsemError("all gold scores or all similarities are equal, so there is no correlation")
    return 100 * float(pearsonr(gold, score).statistic)


def spearman(gold: ArrayLike, score: ArrayLike) -> float:
    """Return the Spearman rank correlation in points, ties at their mean rank."""
    return pearson(rankdata(gold), rankdata(score))


def average_precision(gold: ArrayLike, score: ArrayLike) -> float:
    """Return the average precision of the positives (gold 1) in points; SynsemError if all are of a class."""
    truth = np.asarray(gold)
    if not 0 < int(truth.sum()) < len(truth):
        raise SynsemError("only one class among the labels, so average precision is undefined")
    return 100 * float(average_precision_score(truth, np.asarray(score)))


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
    """Mean of the classes' F1, in points."""
    return 100 * float(f1_score(gold, predicted, average="macro", zero_division=0.0))


def alignment(similarity: Floats) -> float:
    """Mean squared distance of pairs on the unit sphere, of their cosines [n]; lower is better.

    Wang & Isola (2020) with alpha 2.
    """
    return float(np.mean(2 - 2 * similarity))


def uniformity(vectors: Floats) -> float:
    """Log of the mean Gaussian potential over all pairs (Wang & Isola 2020, t 2); lower is better."""
    points = unit(vectors).astype(np.float64)
    similarity = (points @ points.T)[np.triu_indices(len(points), k=1)]
    if not len(similarity):
        raise SynsemError("uniformity needs two sentences at least")
    return float(np.log(np.mean(np.exp(-2 * (2 - 2 * similarity)))))
