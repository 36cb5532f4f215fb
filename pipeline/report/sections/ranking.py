"""How pairs are ranked: precision against recall, and cosine against gold, for the first seed of each system.

Both are drawn from the score of every test pair, which evaluation keeps. Precision and recall need two
classes of pairs (tasks of average precision); where gold is graded (STS), cosines are drawn over gold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from pipeline.core.metrics import average_precision, spearman
from pipeline.evaluation.compare import Scores
from pipeline.report.figures.plane import Line, Point, plane_picture
from pipeline.report.inputs import (
    CONTROLS,
    LATE_SUFFIX,
    PAIRWISE,
    Group,
    Run,
    first_seeds,
    style,
    title,
    view_order,
)
from pipeline.report.sections.similarity import ViewSimilarities, view_similarities
from pipeline.report.tables import COLUMNS

Floats = NDArray[np.float64]
Tasks = Mapping[str, Mapping[Group, Scores]]  # dotted task -> scores of every system and view
BANDS = 5  # of gold, for the mean cosine
_SHOWN = 150  # pairs of a cloud
_STEPS = 60  # points of a curve of precision: one at most for each step of recall


def ranked_pairs(runs: Sequence[Run], metric: str) -> dict[str, dict[Group, Scores]]:
    """The tasks with a headline column of this metric (``ap``, ``spearman``), scores of the first seeds."""
    columns = (column.metric for columns in COLUMNS.values() for column in columns if column.tested)
    tasks = [
        name.removesuffix(f".{metric}").removesuffix(".all") for name in columns if name.endswith(metric)
    ]
    found: dict[str, dict[Group, Scores]] = {}
    for run in first_seeds(runs):
        for (view, task, name), scores in sorted(run.samples.items(), key=lambda one: view_order(one[0][0])):
            if name.removesuffix(LATE_SUFFIX) == metric and task in tasks:
                found.setdefault(task, {})[run.system, view] = scores
    return found


def precision_recall(gold: Floats, score: Floats) -> list[Point]:
    """(recall, precision) in percent at every threshold, from the highest score; equal scores fall together.

    Without a pair of gold 1 there is no point.
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)  # of a run of equal scores
    right = np.cumsum(gold[order] > 0)[last]
    if not right[-1]:
        return []
    recall, precision = 100 * right / right[-1], 100 * right / (last + 1)
    return list(zip(recall.tolist(), precision.tolist(), strict=True))


def thinned(points: Sequence[Point], steps: int = _STEPS) -> list[Point]:
    """The last point of each step of recall, so that a curve of 10,000 pairs stays small."""
    if len(points) <= steps:
        return list(points)
    return list({min(int(x * steps / 100), steps): (x, y) for x, y in points}.values())


@dataclass(frozen=True)
class Curves:
    """Precision against recall of one task; ``values`` has the average precision of each embedding."""

    task: str
    pairs: int
    share: float  # of the pairs that are of one meaning, percent: the precision of any order
    values: Mapping[Group, float]
    drawing: Markup


def curves(tasks: Tasks, colours: Mapping[str, int]) -> list[Curves]:
    """The curves of every task, one line a system and view."""
    found = []
    for task, groups in tasks.items():
        first = next(iter(groups.values()))
        values = {group: average_precision(one.gold, one.score) for group, one in groups.items()}
        lines = [
            Line(
                thinned(precision_recall(one.gold, one.score)),
                style(group, colours),
                f"{title(*group)}: {values[group]:.2f}",
            )
            for group, one in groups.items()
        ]
        share = 100 * float(np.mean(first.gold > 0))
        spoken = f"Precision against recall, {task}"
        drawing = plane_picture(
            spoken, ("recall, %", "precision, %"), lines, level=share, spans=((0, 100), None)
        )
        found.append(Curves(task, len(first.gold), share, values, drawing))
    return found


@dataclass(frozen=True)
class Graded:
    """Cosine against graded gold for one system's view."""

    system: str
    view: str
    correlation: float  # Spearman, in points
    means: Sequence[Point]  # (gold, cosine): means of the pairs of each band of gold
    drawing: Markup


@dataclass(frozen=True)
class GoldTask:
    """One task: ``graded`` charts where gold is a grade, ``classes`` histograms where it is 1 or 0."""

    task: str
    pairs: int
    graded: Sequence[Graded] = ()
    classes: Sequence[ViewSimilarities] = ()


def gold_tasks(
    graded: Tasks, classes: Tasks, colours: Mapping[str, int], seed: int, systems: Sequence[str]
) -> list[GoldTask]:
    """Gold against cosine for every task; only views whose score is a cosine."""
    found = []
    for task, every in graded.items():
        groups = _cosines(every)
        spans = [(float(one.score.min()), float(one.score.max())) for one in groups.values()]
        if spans:
            span = min(low for low, _ in spans), max(high for _, high in spans)
            charts = [_graded(task, group, one, span, colours, seed) for group, one in groups.items()]
            found.append(GoldTask(task, len(next(iter(groups.values())).gold), charts))
    for task, every in classes.items():
        pooled = {
            group: {
                kind: one.score[one.gold == label].tolist()
                for kind, label in (("different", 0), ("same", 1))
                if (one.gold == label).any()
            }
            for group, one in _cosines(every).items()
        }
        if pooled:
            pairs = len(next(iter(every.values())).gold)
            found.append(GoldTask(task, pairs, classes=view_similarities(pooled, systems)))
    return found


def _cosines(groups: Mapping[Group, Scores]) -> dict[Group, Scores]:
    return {
        group: one for group, one in groups.items() if group[1] not in PAIRWISE and group[1] not in CONTROLS
    }


def _graded(
    task: str, group: Group, one: Scores, span: Point, colours: Mapping[str, int], seed: int
) -> Graded:
    # The same pairs in every chart of the task.
    shown = np.random.default_rng(seed).permutation(len(one.gold))[:_SHOWN]
    means = band_means(one.gold, one.score)
    drawing = plane_picture(
        f"Cosine against gold, {task}, {title(*group)}",
        ("gold", "cosine"),
        [Line(means, f"system-{colours[group[0]]} means", "mean of each band of gold")],
        cloud=list(zip(one.gold[shown].tolist(), one.score[shown].tolist(), strict=True)),
        spans=((float(one.gold.min()), float(one.gold.max())), span),
    )
    return Graded(*group, spearman(one.gold, one.score), means, drawing)


def band_means(gold: Floats, score: Floats, bands: int = BANDS) -> list[Point]:
    """Mean gold and mean score of the pairs in each of ``bands`` equal bands of gold that has some."""
    low, high = float(gold.min()), float(gold.max())
    width = (high - low) / bands or 1.0
    band = np.minimum(((gold - low) / width).astype(np.int64), bands - 1)
    return [
        (float(gold[band == each].mean()), float(score[band == each].mean()))
        for each in range(bands)
        if (band == each).any()
    ]
