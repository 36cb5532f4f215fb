"""Tables of results: means with intervals, and tests of the headline metrics against the strongest baseline.

From one seed, a number's interval is a bootstrap over test examples, and a difference is tested by paired
bootstrap. From several, a number is a mean with its sample standard deviation, and a difference is tested by
a t-test over seeds, paired if the baseline was trained from the same ones. Holm's correction covers all tests
of a table. A number of fewer than ``FEWEST`` examples has no interval, is not tested, and is never the best.
"""

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.metrics import FEWEST, holm, least_p, paired_t, resampled, two_sided_p
from pipeline.core.seeding import SEED
from pipeline.report.metrics import DVC_NAMES, HEADLINE, TABLES, Column, Meaning, meaning, result_names
from pipeline.report.runs import (
    BACKBONE,
    BASELINES,
    MAJORITY,
    PROBES,
    UNTOUCHED,
    Group,
    Run,
    Scores,
    by_seed,
    first_seeds,
    groups,
    is_probe,
    summary,
)

LEVEL = 0.05
SIGNS = {"better": "✓", "worse": "✗"}  # significantly, by a p below LEVEL
# Holm multiplies p by the number of tests: few draws hide differences.
TEST_DRAWS, INTERVAL_DRAWS = 5000, 1000


@dataclass
class Gain:
    """A difference in points, and its p after Holm; None if it could not be tested."""

    value: float
    p: float | None

    @property
    def verdict(self) -> str:
        """``better`` or ``worse``; ``""`` if untested or too close to call."""
        if self.p is None or self.p >= LEVEL or not self.value:
            return ""
        return "better" if self.value > 0 else "worse"


@dataclass
class Result:
    """One embedding on one metric, over the seeds of its system."""

    mean: float
    sd: float | None  # over seeds; None for one
    interval: tuple[float, ...] | None  # 95 %, over examples; only for one seed
    best: bool
    gain: Gain | None = None  # over the strongest baseline; None for a baseline
    backbone_gain: Gain | None = None  # over the untouched backbone, if that is not the strongest

    @property
    def whisker(self) -> tuple[float, ...] | None:
        """Ends of the whisker: the interval, or one standard deviation to either side."""
        return self.interval if self.sd is None else (self.mean - self.sd, self.mean + self.sd)


@dataclass
class Comparison:
    """One metric of every embedding that has it."""

    column: Column
    results: Mapping[Group, Result]
    examples: int | None  # behind each number; None if evaluation kept none
    strongest: Group | None = None  # the strongest baseline, if differences are shown

    @property
    def metric(self) -> str:
        """The metric's dotted name."""
        return self.column.metric

    @property
    def meaning(self) -> Meaning:
        """How the metric is read."""
        return meaning(self.metric)

    @property
    def few(self) -> bool:
        """Whether the numbers are of so few examples that they say little."""
        return self.examples is not None and self.examples < FEWEST


@dataclass(frozen=True)
class Table:
    """The metrics of one protocol, and the embeddings that have one of them."""

    title: str
    groups: Sequence[Group]
    comparisons: Sequence[Comparison]


def headline_tables(runs: Sequence[Run]) -> list[Table]:
    """Return a table for each protocol of which the runs have a headline metric, baselines first."""
    found = []
    order = sorted(groups(runs), key=lambda group: group[0] not in BASELINES)
    for table, columns in HEADLINE.items():
        comparisons = [_compare(runs, column) for column in columns]
        comparisons = [one for one in comparisons if {view for _, view in one.results} - {MAJORITY}]
        results = [result for one in comparisons for result in one.results.values()]
        gains = [gain for one in results for gain in (one.gain, one.backbone_gain)]
        tested = [gain for gain in gains if gain and gain.p is not None]
        for gain, p in zip(tested, holm(np.array([gain.p for gain in tested], dtype=float)), strict=True):
            gain.p = float(p)
        if comparisons:
            found.append(_table(TABLES[table], order, comparisons))
    return found


def result_tables(runs: Sequence[Run], headlines: Sequence[Table] = ()) -> list[Table]:
    """Return every result, a table for each protocol, untested; those of ``headlines`` as they are there."""
    known = {one.metric: one for table in headlines for one in table.comparisons}
    found: dict[str, list[Comparison]] = {table: [] for table in TABLES}
    for name in result_names(runs):
        if name in known:
            own = known[name].results.items()
            untested = {group: replace(one, gain=None, backbone_gain=None) for group, one in own}
            one = replace(known[name], results=untested, strongest=None)
        else:
            one = _compare(runs, Column(name, name), gains=False)
        found[meaning(name).table].append(one)
    return [_table(TABLES[table], groups(runs), own) for table, own in found.items() if own]


def _table(title: str, order: Sequence[Group], comparisons: Sequence[Comparison]) -> Table:
    shown = [group for group in order if any(group in one.results for one in comparisons)]
    return Table(title, shown, comparisons)


def _compare(runs: Sequence[Run], column: Column, gains: bool = True) -> Comparison:
    """Every embedding's result on a metric; ``gains``: with differences, their p not yet corrected."""
    metric, entry = column.metric, meaning(column.metric)
    kind, first = metric.rpartition(".")[2], first_seeds(runs)
    seeds = {group: numbers for group in groups(runs) if (numbers := by_seed(runs, group, metric))}
    means = {group: summary(list(numbers.values())) for group, numbers in seeds.items()}
    scores = {group: own for group in seeds if (own := _scores(first[group[0]], group[1], metric))}
    examples = next((sum(len(one.score) for one in own) for own in scores.values()), None)
    found = Comparison(column, {}, examples)
    scores = {group: own for group, own in scores.items() if len(seeds[group]) == 1 and not found.few}
    drawn = _resample(kind, scores, TEST_DRAWS if gains else INTERVAL_DRAWS)
    intervals = {group: tuple(np.percentile(one, [2.5, 97.5]).tolist()) for group, one in drawn.items()}
    sign = -1 if entry.lower else 1
    shown = {group: round(sign * mean, entry.digits) for group, (mean, _) in means.items()}
    ranked = not entry.unranked and not found.few and len(set(shown.values())) > 1  # no best among equals
    found.results = results = {
        group: Result(mean, sd, intervals.get(group), best=ranked and shown[group] == max(shown.values()))
        for group, (mean, sd) in means.items()
    }
    if not gains:
        return found

    def gain(group: Group, base: Group) -> Gain:
        p = None
        if not column.development and not found.few:
            if len(seeds[group]) > 1:
                p = _p_over_seeds(seeds[base], seeds[group])
            elif group in drawn and base in drawn:
                pairs = [(a.score, b.score) for a, b in zip(scores[group], scores[base], strict=True)]
                p = two_sided_p(drawn[group] - drawn[base], least_p(kind, pairs))
        return Gain(results[group].mean - results[base].mean, p)

    others = {run.system for run in runs} - set(BASELINES)
    baselines = BASELINES if others else (BACKBONE,)
    candidates = [group for group in results if group[0] in baselines and group[1] != MAJORITY]
    found.strongest = max(candidates, key=lambda group: results[group].mean, default=None)
    for group, result in results.items():
        if found.strongest and group[0] not in baselines:
            result.gain = gain(group, found.strongest)
        if UNTOUCHED in results and found.strongest != UNTOUCHED and group[0] != BACKBONE:
            result.backbone_gain = gain(group, UNTOUCHED)
    return found


def _scores(run: Run, view: str, metric: str) -> list[Scores]:
    """The scores of single examples behind a metric: one sample, or one per probe if it is their mean."""
    return [
        one
        for (of, name), one in run.samples.items()
        if of == view and (is_probe(name) if metric == PROBES else name == metric)
    ]


def _resample(
    kind: str, scores: Mapping[Group, list[Scores]], draws: int
) -> dict[Group, NDArray[np.float64]]:
    """One bootstrap for all that were judged on the same examples as the first; draws [B] in points.

    A mean over several samples is drawn from each separately.
    """
    reference = next(iter(scores.values()), [])
    same = [
        group
        for group, own in scores.items()
        if len(own) == len(reference)
        and all(one.are_of_the_examples_of(other) for one, other in zip(own, reference, strict=True))
    ]
    drawn = [
        resampled(kind, one.gold, [scores[group][place].score for group in same], draws, SEED + place)
        for place, one in enumerate(reference)
    ]
    return dict(zip(same, np.mean(drawn, axis=0), strict=True)) if same else {}


def _p_over_seeds(baseline: Mapping[int | None, float], numbers: Mapping[int | None, float]) -> float | None:
    """p of the t-test, paired over common seeds; a baseline of one run is a constant."""
    if len(baseline) == 1:
        baseline = dict.fromkeys(numbers, next(iter(baseline.values())))
    common = numbers.keys() & baseline.keys()
    p = paired_t([baseline[seed] for seed in common], [numbers[seed] for seed in common])
    return None if math.isnan(p) else p


_ABOUT = ("Experiment", "rev", "typ", "Created", "parent", "State", "Executor", "seeds")  # no changes
_HASH = re.compile(r"[0-9a-f]{32}(\.dir)?")  # of a dependency, which has a column as well


def ablations(path: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the metrics and ablations of a table by ``dvc exp show --csv``, the commit's own row first.

    An ablation is the experiments of the same ``changes`` but for ``seeds``; its ``effects`` are mean and sd
    of each metric, or None. Raises SynsemError without a baseline or a metric of ``headline.json``.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row.get("rev") != "workspace"]
    rows.sort(key=lambda row: row.get("typ") != "baseline")
    # DVC names the file before a metric that two files have.
    names = {name: name.rpartition(":")[2] for name in (rows[0] if rows else ())}
    names = {name: short for name, short in names.items() if short.partition(".")[0] in DVC_NAMES}
    if not names or rows[0]["typ"] != "baseline":
        raise SynsemError(f"{path}: no baseline with a metric of headline.json; use `dvc exp show --csv`")
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        changed = [name for name in row if name not in (*_ABOUT, *names) and row[name] != rows[0][name]]
        changes = (f"{name}: {row[name]}" for name in changed if not _HASH.fullmatch(row[name]))
        found.setdefault(tuple(changes), []).append(row)
    shown = []
    for change, own in found.items():
        name = min((row["Experiment"] for row in own), key=len) if change else "baseline"
        measured = ([float(row[metric]) for row in own if row[metric]] for metric in names)
        effects = [summary(numbers) if numbers else None for numbers in measured]
        shown.append({"name": name, "changes": change, "runs": len(own), "effects": effects})
    return list(names.values()), shown
