"""At a glance: every system and view against the strongest baseline, with intervals and tests.

From one seed, a number's interval is a bootstrap over test examples, and a difference is tested by paired
bootstrap. From several, a number is the mean with its sample standard deviation, and a difference is tested
by a t-test over seeds, paired where the baseline was trained from the same ones. Holm's correction goes over
all tests of a table. A number of few examples (``significance.FEWEST``) is neither tested nor the best.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from markupsafe import Markup

from pipeline.evaluation.compare import Key, Scores
from pipeline.evaluation.significance import FEWEST, least_p, paired_t, resampled
from pipeline.report.figures.charts import Mark, forest_picture
from pipeline.report.inputs import (
    BACKBONE,
    BASELINES,
    LATE,
    LATE_SUFFIX,
    PAIRWISE,
    VIEWS,
    Group,
    Run,
    first_seeds,
    style,
    title,
)
from pipeline.report.intervals import Bootstrap, Gain, corrected, paired_p
from pipeline.report.sizes import Size, few_probes, sizes
from pipeline.report.tables import (
    COLUMNS,
    PROBES,
    Column,
    by_seed,
    fewer_seeds,
    groups,
    summary,
    with_probe_mean,
)

Samples = Mapping[Key, Scores]  # per-example scores by view, task and metric
UNTOUCHED: Group = (BACKBONE, VIEWS[0])


@dataclass(frozen=True)
class Result:
    """One system's view on one metric, over its seeds; in points."""

    mean: float
    sd: float | None = None  # over seeds; None for one
    interval: tuple[float, float] | None = None  # 95 %, over examples; for one seed alone
    gain: Gain | None = None  # over the strongest baseline; None for a baseline
    backbone_gain: Gain | None = None  # over the untouched backbone, where that is not the strongest
    best: bool = False
    fewer: int | None = None  # seeds that have the metric, where not all of the system's have

    @property
    def whisker(self) -> tuple[float, float] | None:
        """The ends of the whisker: the interval, or one standard deviation to either side."""
        if self.sd is not None:
            return self.mean - self.sd, self.mean + self.sd
        return self.interval


@dataclass(frozen=True)
class Comparison:
    """One metric of every system and view that has it."""

    column: Column
    results: Mapping[Group, Result]
    strongest: Group | None  # the strongest baseline
    examples: int | None  # test examples behind each number, where they were kept

    @property
    def size(self) -> Size | None:
        """The examples behind each number; of too few, no interval is given and no difference tested."""
        return Size(self.examples, self.examples) if self.examples else None

    @property
    def leaders(self) -> list[Group]:
        """The best vector and the best of each view of pairs, among those that are no baseline."""
        compared = [group for group, result in self.results.items() if result.gain]
        vectors = [group for group in compared if group[1] not in PAIRWISE]
        kinds = [vectors, *([group for group in compared if group[1] == view] for view in PAIRWISE)]
        return [max(kind, key=lambda group: self.results[group].mean) for kind in kinds if kind]


@dataclass(frozen=True)
class Headline:
    """One protocol's metrics; zero-shot and trained numbers never share a table."""

    title: str
    groups: tuple[Group, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def has_late(self) -> bool:
        """Whether a row is late interaction."""
        return any(view == LATE for _, view in self.groups)


def headlines(
    runs: Sequence[Run], draws: int, seed: int, counted: Mapping[str, Size] | None = None
) -> list[Headline]:
    """A table for each protocol of which the runs have a headline metric; ``counted`` are their ``sizes``."""
    samples = {run.system: run.samples for run in first_seeds(runs)}
    few = few_probes(sizes(runs) if counted is None else counted)
    runs = with_probe_mean(runs, few)
    samples = {
        system: {key: scores for key, scores in own.items() if ".".join(key[1:]) not in few}
        for system, own in samples.items()
    }
    found = []
    for name, columns in COLUMNS.items():
        comparisons = [_compare(runs, column, samples, draws, seed) for column in columns]
        comparisons = _corrected([one for one in comparisons if one.results])
        # Baselines come first.
        order = sorted(groups(runs), key=lambda group: group[0] not in BASELINES)
        shown = tuple(group for group in order if any(group in one.results for one in comparisons))
        if comparisons:
            found.append(Headline(name, shown, tuple(comparisons)))
    return found


def _compare(
    runs: Sequence[Run], column: Column, samples: Mapping[str, Samples], draws: int, seed: int
) -> Comparison:
    seeds = {group: by_seed(runs, *group, column.metric) for group in groups(runs)}
    seeds = {group: numbers for group, numbers in seeds.items() if numbers}
    results = {
        group: Result(*summary(list(numbers.values())), fewer=fewer_seeds(runs, group[0], len(numbers)))
        for group, numbers in seeds.items()
    }
    baselines = _baselines(runs)
    strongest = max(
        (group for group in results if group[0] in baselines),
        key=lambda group: results[group].mean,
        default=None,
    )
    kept = {group: scores for group in seeds if (scores := _samples(samples[group[0]], group[1], column))}
    counts = {group: sum(len(one.score) for one in scores) for group, scores in kept.items()}
    examples = (counts.get(strongest) if strongest else None) or next(iter(counts.values()), None)
    few = examples is not None and examples < FEWEST
    kept = {} if few else {group: scores for group, scores in kept.items() if len(seeds[group]) == 1}
    order, drawn = _bootstrap(kept, strongest, column, draws, seed)

    def gain(group: Group, base: Group) -> Gain:
        p = p_of(group, base) if column.tested and not few else None
        return Gain(results[group].mean - results[base].mean, p)

    def p_of(group: Group, base: Group) -> float | None:
        if results[group].sd is not None:
            return _over_seeds(seeds[base], seeds[group])
        if group in order and base in order:
            samples = [(a.score, b.score) for a, b in zip(kept[group], kept[base], strict=True)]
            least = least_p(column.metric.rpartition(".")[2], samples)
            return drawn.p(order.index(group), order.index(base), least)
        return None

    above_backbone = UNTOUCHED in results and strongest != UNTOUCHED
    results = {
        group: replace(
            result,
            interval=drawn.interval(order.index(group)) if group in order else None,
            gain=gain(group, strongest) if strongest and group[0] not in baselines else None,
            backbone_gain=gain(group, UNTOUCHED) if above_backbone and group[0] != BACKBONE else None,
        )
        for group, result in results.items()
    }
    return Comparison(column, results if few else _with_best(results), strongest, examples)


def _with_best(results: Mapping[Group, Result]) -> dict[Group, Result]:
    """The results with the best marked, ties together; a column of equals has none."""
    means = {group: round(result.mean, 2) for group, result in results.items()}
    top = max(means.values(), default=None)
    apart = len(set(means.values())) > 1
    return {
        group: replace(result, best=True) if apart and means[group] == top else result
        for group, result in results.items()
    }


def _baselines(runs: Sequence[Run]) -> set[str]:
    """The baselines' systems; the backbone alone where nothing else but baselines was trained."""
    systems = {run.system for run in runs}
    return set(BASELINES) if systems - set(BASELINES) else {BACKBONE}


def _samples(scores: Samples, view: str, column: Column) -> list[Scores]:
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


def _is_probe(key: Key) -> bool:
    return key[1].startswith("probe.") and key[2] == "accuracy"


def _bootstrap(
    kept: Mapping[Group, list[Scores]], strongest: Group | None, column: Column, draws: int, seed: int
) -> tuple[list[Group], Bootstrap]:
    """One bootstrap for all that were judged on the same examples as the strongest baseline, in their order.

    A mean over several samples is drawn from each on its own.
    """
    reference = kept.get(strongest) if strongest else None
    reference = reference or next(iter(kept.values()), None)
    if reference is None:
        return [], Bootstrap(np.empty((0, draws)))
    order = [
        group
        for group, samples in kept.items()
        if len(samples) == len(reference)
        and all(one.are_of_the_examples_of(two) for one, two in zip(samples, reference, strict=True))
    ]
    metric = column.metric.rpartition(".")[2]
    drawn = [
        resampled(metric, sample.gold, [kept[group][number].score for group in order], draws, seed + number)
        for number, sample in enumerate(reference)
    ]
    return order, Bootstrap(np.mean(drawn, axis=0))


def _over_seeds(baseline: Mapping[int | None, float], numbers: Mapping[int | None, float]) -> float | None:
    """p of the t-test over common seeds; a baseline of one run is a constant."""
    if len(baseline) > 1:
        return paired_p(baseline, numbers)
    p = paired_t([next(iter(baseline.values()))] * len(numbers), list(numbers.values()))
    return None if math.isnan(p) else p


def _corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The table's gains after Holm."""
    results = [result for one in comparisons for result in one.results.values()]
    tested = [gain for result in results for gain in (result.gain, result.backbone_gain)]
    adjusted = iter(corrected([gain.p if gain else None for gain in tested]))

    def again(gain: Gain | None) -> Gain | None:
        p = next(adjusted)
        return gain and replace(gain, p=p)

    return [
        replace(
            one,
            results={
                group: replace(result, gain=again(result.gain), backbone_gain=again(result.backbone_gain))
                for group, result in one.results.items()
            },
        )
        for one in comparisons
    ]


def forests(table: Headline, colours: Mapping[str, int]) -> list[tuple[Comparison, Markup]]:
    """A forest plot for each metric of a table."""
    return [(one, _forest(one, table.groups, colours)) for one in table.comparisons]


def _forest(comparison: Comparison, groups: Sequence[Group], colours: Mapping[str, int]) -> Markup:
    marks = []
    for system, view in groups:
        result = comparison.results.get((system, view))
        if result is not None:
            name, ends = title(system, view), result.whisker
            note = f"{name}: {result.mean:.2f}" + (
                "" if ends is None else " ({:.2f} to {:.2f})".format(*ends)
            )
            marks.append(Mark(name, result.mean, ends, style((system, view), colours), note))
    baseline = comparison.results[comparison.strongest].mean if comparison.strongest else None
    return forest_picture(f"{comparison.column.label}, {comparison.column.kind}", marks, baseline)
