"""The headline table: every system and view against the strongest baseline, with intervals and tests.

From one seed, a number's interval is a bootstrap over test examples, and a difference is tested by paired
bootstrap. From several, a number is the mean with its sample standard deviation, and a difference is tested
by a t-test over seeds, paired where the baseline was trained from the same ones. Holm's correction goes over
all tests of a table.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.evaluation.compare import Scores, read_scores
from pipeline.evaluation.significance import paired_t
from pipeline.report.columns import COLUMNS, PROBES, Column, with_probe_mean
from pipeline.report.inputs import BACKBONE, BASELINES, LATE, LATE_SUFFIX, PAIRWISE, VIEWS, Run, firsts
from pipeline.report.intervals import Drawn, corrected, draw
from pipeline.report.tables import groups, summary

LEVEL = 0.05
Group = tuple[str, str]  # system, view
UNTOUCHED: Group = (BACKBONE, VIEWS[0])


@dataclass(frozen=True)
class Gap:
    """A difference from a baseline, in points, and its p after Holm; None where it could not be tested."""

    value: float
    p: float | None

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` or ``even`` (too close to call); ``""`` where nothing was tested."""
        if self.p is None:
            return ""
        return ("better" if self.value > 0 else "worse") if self.p < LEVEL else "even"


@dataclass(frozen=True)
class Figure:
    """One system's view on one metric, over its seeds; in points."""

    mean: float
    sd: float | None = None  # over seeds; None for one
    interval: tuple[float, float] | None = None  # 95 %, over examples; for one seed alone
    gap: Gap | None = None  # to the strongest baseline; None for a baseline
    lift: Gap | None = None  # to the untouched backbone, where that is another; None for the backbone
    best: bool = False

    @property
    def reach(self) -> tuple[float, float] | None:
        """The ends of the whisker: the interval, or one standard deviation to either side."""
        if self.sd is not None:
            return self.mean - self.sd, self.mean + self.sd
        return self.interval


@dataclass(frozen=True)
class Standing:
    """One metric of every system and view that has it."""

    column: Column
    figures: Mapping[Group, Figure]
    strongest: Group | None  # the baseline to beat
    examples: int | None  # test examples behind each number, where they were kept

    @property
    def leaders(self) -> list[Group]:
        """The best vector and the best of each view of pairs, among those that had to beat the baseline."""
        rivals = [group for group, figure in self.figures.items() if figure.gap]
        vectors = [group for group in rivals if group[1] not in PAIRWISE]
        kinds = [vectors, *([group for group in rivals if group[1] == view] for view in PAIRWISE)]
        return [max(kind, key=lambda group: self.figures[group].mean) for kind in kinds if kind]


@dataclass(frozen=True)
class Headline:
    """One protocol's metrics; zero-shot and trained numbers never share a table."""

    title: str
    groups: tuple[Group, ...]
    standings: tuple[Standing, ...]

    @property
    def late(self) -> bool:
        """Whether a row is late interaction."""
        return any(view == LATE for _, view in self.groups)


def headlines(runs: Sequence[Run], draws: int, seed: int) -> list[Headline]:
    """A table for each protocol of which the runs have a headline metric."""
    runs = with_probe_mean(runs)
    examples = {run.system: read_scores(run.scores) if run.scores is not None else {} for run in firsts(runs)}
    found = []
    for title, columns in COLUMNS.items():
        standings = [_standing(runs, column, examples, draws, seed) for column in columns]
        standings = _corrected([standing for standing in standings if standing.figures])
        # Those to beat come first.
        order = sorted(groups(runs), key=lambda group: group[0] not in BASELINES)
        shown = tuple(group for group in order if any(group in one.figures for one in standings))
        if standings:
            found.append(Headline(title, shown, tuple(standings)))
    return found


def _standing(
    runs: Sequence[Run],
    column: Column,
    examples: Mapping[str, Mapping[tuple[str, str, str], Scores]],
    draws: int,
    seed: int,
) -> Standing:
    by_seed = {group: _by_seed(runs, group, column) for group in groups(runs)}
    by_seed = {group: numbers for group, numbers in by_seed.items() if numbers}
    figures = {group: Figure(*summary(list(numbers.values()))) for group, numbers in by_seed.items()}
    to_beat = _to_beat(runs)
    baselines = [group for group in figures if group[0] in to_beat]
    strongest = max(baselines, key=lambda group: figures[group].mean, default=None)
    kept = {
        group: scores
        for group, numbers in by_seed.items()
        if len(numbers) == 1 and (scores := _kept(examples[group[0]], group[1], column))
    }
    order, drawn = _drawn(kept, strongest, column, draws, seed)

    def gap(group: Group, base: Group) -> Gap:
        p = None
        if figures[group].sd is not None:
            p = _over_seeds(by_seed[base], by_seed[group])
        elif group in order and base in order:
            p = drawn.p(order.index(group), order.index(base))
        return Gap(figures[group].mean - figures[base].mean, p)

    lifted = [group for group in figures if group[0] != BACKBONE] if UNTOUCHED in figures else []
    figures = {
        group: replace(
            figure,
            interval=drawn.interval(order.index(group)) if group in order else None,
            gap=gap(group, strongest) if strongest and group[0] not in to_beat else None,
            lift=gap(group, UNTOUCHED) if group in lifted and strongest != UNTOUCHED else None,
        )
        for group, figure in figures.items()
    }
    top = max((round(figure.mean, 2) for figure in figures.values()), default=None)
    if len({round(figure.mean, 2) for figure in figures.values()}) > 1:
        figures = {g: replace(figure, best=round(figure.mean, 2) == top) for g, figure in figures.items()}
    counted = next((sum(len(one.score) for one in samples) for samples in kept.values()), None)
    return Standing(column, figures, strongest, counted)


def _to_beat(runs: Sequence[Run]) -> set[str]:
    """The baselines' systems; the backbone alone where nothing else but baselines was trained."""
    systems = {run.system for run in runs}
    return set(BASELINES) if systems - set(BASELINES) else {BACKBONE}


def _by_seed(runs: Sequence[Run], group: Group, column: Column) -> dict[int | None, float]:
    system, view = group
    found = {run.seed: run.views.get(view, {}).get(column.metric) for run in runs if run.system == system}
    return {seed: value for seed, value in found.items() if value is not None}


def _kept(scores: Mapping[tuple[str, str, str], Scores], view: str, column: Column) -> list[Scores]:
    """The per-example scores behind a metric: one sample, or one a probe where it is the mean of the probes.

    A retrieval is right where the reciprocal rank is 1; the contrast set is kept under its bare name.
    """
    task, _, metric = column.metric.rpartition(".")
    if column.metric == PROBES:
        return [one for key, one in scores.items() if key[0] == view and _is_probe(key)]
    if task.startswith("retrieval"):
        ranks = scores.get((view, task, "mrr"))
        return [ranks._replace(score=(ranks.score == 1).astype(np.float64))] if ranks else []
    suffix = LATE_SUFFIX if view == LATE else ""
    found = scores.get((view, task.removesuffix(".all"), metric + suffix))
    return [found] if found else []


def _is_probe(key: tuple[str, str, str]) -> bool:
    return key[1].startswith("probe.") and key[2] == "accuracy"


def _drawn(
    kept: Mapping[Group, list[Scores]], strongest: Group | None, column: Column, draws: int, seed: int
) -> tuple[list[Group], Drawn]:
    """One bootstrap for all that were judged on the same examples as the strongest baseline.

    A mean over several samples is drawn from each on its own.
    """
    reference = kept.get(strongest) if strongest else None
    reference = reference or next(iter(kept.values()), None)
    if reference is None:
        return [], Drawn(np.empty((0, draws)))
    order = [
        group
        for group, samples in kept.items()
        if [(one.a, one.b) for one in samples] == [(one.a, one.b) for one in reference]
    ]
    metric = column.metric.rpartition(".")[2]
    parts = [
        draw(metric, sample.gold, [kept[group][part].score for group in order], draws, seed + part).values
        for part, sample in enumerate(reference)
    ]
    return order, Drawn(np.mean(parts, axis=0))


def _over_seeds(baseline: Mapping[int | None, float], numbers: Mapping[int | None, float]) -> float | None:
    """Paired over common seeds; a baseline without a spread stands as a constant."""
    if len(baseline) == 1:
        p = paired_t([next(iter(baseline.values()))] * len(numbers), list(numbers.values()))
    else:
        common = [seed for seed in numbers if seed in baseline]
        p = paired_t([baseline[seed] for seed in common], [numbers[seed] for seed in common])
    return None if math.isnan(p) else p


def _corrected(standings: Sequence[Standing]) -> list[Standing]:
    """The table's gaps and lifts after Holm."""
    figures = [figure for one in standings for figure in one.figures.values()]
    adjusted = iter(
        corrected([gap.p if gap else None for figure in figures for gap in (figure.gap, figure.lift)])
    )

    def again(gap: Gap | None) -> Gap | None:
        p = next(adjusted)
        return gap and replace(gap, p=p)

    return [
        replace(
            one,
            figures={
                group: replace(figure, gap=again(figure.gap), lift=again(figure.lift))
                for group, figure in one.figures.items()
            },
        )
        for one in standings
    ]
