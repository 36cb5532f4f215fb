"""Differences and their tests: paired t-tests, bootstrap over test examples, Holm's correction.

Each bootstrap draw takes as many examples as there are, with replacement, the same ones for every system
(paired; Koehn 2004). So one set of draws serves all intervals, and a difference of two systems is that of
their draws.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy import stats

from pipeline.evaluation.significance import Floats, holm, paired_t, two_sided_p

Seed = TypeVar("Seed")
LEVEL = 0.05


# The signs of the tables: of what is better, not of what is higher, because in some columns less is better.
SIGNS = {"better": "✓", "worse": "✗"}


def verdict(difference: float | None, p: float | None, lower_is_better: bool = False) -> str:
    """``better``, ``worse`` or ``even`` (too close to call) by a corrected p; ``""`` if untested."""
    if difference is None or p is None:
        return ""
    if p >= LEVEL or not difference:
        return "even"
    return "better" if (difference > 0) != lower_is_better else "worse"


def signed(value: float, digits: int = 2) -> str:
    """A difference as text: ``+0.31``, ``−7.50``; what is shown as zero has no sign, for it is no gain."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]


def corrected(p: Sequence[float | None]) -> list[float | None]:
    """Holm's adjustment of those that are known, in their order; None stays None and is not counted."""
    adjusted = holm([math.nan if each is None else each for each in p])
    return [None if math.isnan(each) else float(each) for each in adjusted]


def paired_p(baseline: Mapping[Seed, float], numbers: Mapping[Seed, float]) -> float | None:
    """p of the paired t-test over common seeds, in the order of ``numbers``; None for fewer than two."""
    common = [seed for seed in numbers if seed in baseline]
    p = paired_t([baseline[seed] for seed in common], [numbers[seed] for seed in common])
    return None if math.isnan(p) else p


def paired_interval(differences: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of a mean difference over seeds, by Student's t.

    None for fewer than two, and where all are equal and not zero: as for ``paired_t``, that is no evidence.
    """
    if len(differences) < 2 or math.isnan(paired_t([0.0] * len(differences), differences)):
        return None
    reach = stats.t.ppf(1 - LEVEL / 2, len(differences) - 1) * stats.sem(differences)
    middle = float(np.mean(differences))
    return middle - float(reach), middle + float(reach)


@dataclass(frozen=True)
class Gain:
    """A difference from a baseline, in points, and its p after Holm; None where it could not be tested."""

    value: float
    p: float | None
    seeds: int = 0  # that it is over, where it is over common seeds

    @property
    def verdict(self) -> str:
        """See ``verdict``; more is better."""
        return verdict(self.value, self.p)


@dataclass(frozen=True)
class Bootstrap:
    """K systems' metric on B draws of the same examples, float64 [K, B], in points."""

    values: Floats

    def interval(self, system: int) -> tuple[float, float]:
        """The middle 95 % of a system's draws."""
        low, high = np.percentile(self.values[system], [2.5, 97.5])
        return float(low), float(high)

    def p(self, system: int, other: int, least: float = 0.0) -> float:
        """Two-sided p of the difference of two systems, see ``significance.two_sided_p``."""
        return two_sided_p(self.values[system] - self.values[other], least)
