"""Compare texts by their vectors and words, in NumPy: it does not matter which runtime gave the vectors.

``Scorer`` gives the probability that two texts say the same: a logistic regression on a few features and
their products, whose constants are numbers in a JSON file.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.metrics import unit
from pipeline.core.store import read_json, write_json
from pipeline.syntax.words import words

Floats = NDArray[np.floating]
SCORES = ("semantic", "structural", "late_interaction", "weakest", "covered")
EDITS = ("numbers", "negation")
FEATURES = (*SCORES, "overlap", "length", *EDITS)
COUNTS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
DAYS = "monday tuesday wednesday thursday friday saturday sunday"
MONTHS = (
    "january february april june july august september october november december"  # march, may: other words
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_DIGITS = dict(zip(f"{COUNTS} {_TENS}".split(), map(str, [*range(2, 21), *range(30, 100, 10)]), strict=True))
_NUMBERS = f"{COUNTS} {_TENS} hundred thousand million half twice {DAYS} {MONTHS}".replace(" ", "|")
_NUMBER = re.compile(rf"\d+(?:[.,]\d+)*|\b(?:{_NUMBERS})\b")
_NOT = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|without|cannot"
    r"|(?:is|are|was|were|do|does|did|ca|could|wo|would|should|has|have|had)n['’]?t)\b"
)
_FARTHEST = 4.0  # standard deviations from the mean: beyond them nothing was fitted
PRIOR = 3e-4  # precision of the constants' prior, next to a mean loss
_MOST_STEPS, _TOLERANCE = 100, 1e-7  # of the fit; it takes some ten steps
OWN_PRIOR = 3.0  # the same for one's own pairs, next to a sum of losses; chosen on development data


def semantic_width(views: Mapping[str, int], view: str = "joint") -> int | None:
    """Return how many of a view's dimensions are semantic; None if it is not ``joint`` with structure."""
    return views["semantic"] if view == "joint" and "structural" in views else None


def attached(vectors: Floats, joint: Floats, width: int, weight: float) -> NDArray[np.float32]:
    """Return vectors [n, D] of any encoder with the structural part of joint ones, float32 [n, D + S].

    Both are scaled to length 1, the structural part by ``weight`` times its weight in the joint vector, which
    differs by sentence, and the whole to length 1 again.
    """
    semantic, structural = np.split(np.asarray(joint, dtype=np.float64), [width], axis=1)
    lengths = [np.linalg.norm(part, axis=1, keepdims=True) for part in (vectors, semantic)]
    own, structural = vectors / np.maximum(lengths[0], 1e-12), weight * structural / lengths[1]
    return unit(np.concatenate([own, structural], axis=1))


def finite(vectors: object, *shape: int | None) -> Floats:
    """Return vectors [..., D], or of a longer ``shape`` (None: any size); SynsemError for anything else."""
    found = np.asarray(vectors)
    ends = found.shape if len(shape) > 1 else found.shape[-1:]
    fits = len(ends) == len(shape) and all(want in (None, got) for want, got in zip(shape, ends, strict=True))
    if found.dtype.kind != "f" or not fits:
        wanted = ", ".join("D" if each is None else str(each) for each in shape)
        raise SynsemError(f"vectors: must be floats [{wanted}] (got {found.dtype} {list(found.shape)})")
    if not np.isfinite(found).all():
        raise SynsemError("vectors: some are NaN or infinite; leave them out")
    return found


def features(pairs: Sequence[tuple[str, str]], scores: Mapping[str, Floats]) -> NDArray[np.float64]:
    """Return ``FEATURES`` of n pairs, float64 [n, F]; none changes if the two texts change places.

    ``scores`` has the first five, ``SCORES``, [n] each. ``overlap`` is Jaccard's, of words; ``length`` the
    logarithm of how many the shorter text has. ``numbers`` and ``negation`` are 1 where the texts differ in
    them: in the numbers, weekdays and months named, and in whether there is an odd number of negating words.
    """
    found = np.zeros((len(pairs), len(FEATURES)))
    for column, name in enumerate(SCORES):
        found[:, column] = scores[name]
    for row, (a, b) in enumerate(pairs):
        first, second = words(a), words(b)
        overlap = len({*first} & {*second}) / max(1, len({*first} | {*second}))
        length = np.log1p(min(len(first), len(second)))
        found[row, len(SCORES) :] = overlap, length, numbers(a) != numbers(b), negated(a) != negated(b)
    return found


def numbers(text: str) -> frozenset[str]:
    """Return the numbers, weekdays and months of an English text: ``12`` for *twelve*, no ordinals."""
    return frozenset(_DIGITS.get(each, each.replace(",", "")) for each in _NUMBER.findall(text.casefold()))


def negated(text: str) -> bool:
    """Whether an English text negates once, or any odd number of times."""
    return len(_NOT.findall(text.casefold())) % 2 == 1


class Scorer(NamedTuple):
    """The probability that two texts say the same: a logistic regression of second order."""

    mean: NDArray[np.float64]  # [F], of the features that it was fitted on
    deviation: NDArray[np.float64]  # [F]
    weights: NDArray[np.float64]  # of 1, the F features in deviations from the mean, and their products

    def __call__(self, found: Floats) -> NDArray[np.float64]:
        """Return probabilities, float64 [n], of features [n, F]."""
        return 1 / (1 + np.exp(-self._terms(found) @ self.weights))

    def _terms(self, found: Floats) -> NDArray[np.float64]:
        scaled = ((found - self.mean) / self.deviation).clip(-_FARTHEST, _FARTHEST)
        rows, columns = np.triu_indices(scaled.shape[1])
        return np.hstack([np.ones((len(scaled), 1)), scaled, scaled[:, rows] * scaled[:, columns]])

    def fitted(
        self, found: Floats, labels: ArrayLike, prior: Floats | float, share: Floats | float = 1.0
    ) -> "Scorer":
        """Return a scorer fitted to features [n, F] and labels 0 or 1 [n], starting from this one.

        It has the largest posterior, found by Newton's method: ``prior`` is the precision of normal priors
        around this one's weights, of all or [each]. The loss of each pair is weighted by ``share`` [n].
        """
        terms, golds, weights = self._terms(found), np.asarray(labels, dtype=np.float64), self.weights

        def loss(weights: Floats) -> float:
            margin = (2 * golds - 1) * (terms @ weights)
            return float(
                (np.logaddexp(0, -margin) * share).sum() + (prior * (weights - self.weights) ** 2).sum() / 2
            )

        for _ in range(_MOST_STEPS):
            chance = 1 / (1 + np.exp(-terms @ weights))
            slope = (share * (chance - golds)) @ terms + prior * (weights - self.weights)
            curvature = (terms.T * (share * chance * (1 - chance))) @ terms + prior * np.eye(len(weights))
            step = np.linalg.solve(curvature, slope)
            while loss(weights - step) > loss(weights) and np.abs(step).max() > _TOLERANCE:
                step = step / 2
            weights = weights - step
            if np.abs(step).max() <= _TOLERANCE:
                break
        return self._replace(weights=weights)

    def save(self, path: str | Path) -> None:
        """Write the constants, each by its name, as JSON."""
        columns = {name: getattr(self, name).round(6).tolist() for name in self._fields}
        write_json(Path(path), {name: dict(zip(TERMS[name], columns[name], strict=True)) for name in columns})


_PRODUCTS = (f"{a} * {b}" for a, b in combinations_with_replacement(FEATURES, 2))
TERMS = {"mean": FEATURES, "deviation": FEATURES, "weights": ("1", *FEATURES, *_PRODUCTS)}


def load_scorer(path: Path) -> Scorer:
    """Read what ``Scorer.save`` wrote; SynsemError for a file of anything else."""
    if not path.is_file():
        raise SynsemError(f"{path}: not found; name a file that `fit_same(...).save` wrote")
    found = read_json(path, *TERMS)
    try:
        return Scorer(*(np.array([float(found[name][term]) for term in TERMS[name]]) for name in TERMS))
    except (KeyError, TypeError, ValueError) as error:
        raise SynsemError(f"{path}: was fitted by another version; fit it again") from error
