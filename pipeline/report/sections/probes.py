"""Probes: bars of what a classifier reads off each embedding, beside the backbone and the majority class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup
from scipy import stats

from pipeline.evaluation.compare import Scores
from pipeline.evaluation.significance import FEWEST
from pipeline.report.figures.svg import Scale, element, picture
from pipeline.report.inputs import BACKBONE, Run, first_seeds, title
from pipeline.report.intervals import LEVEL, corrected
from pipeline.report.tables import groups, metric_names, summary, values

_PROBE, _ACCURACY = "probe.", "accuracy"
_UNNAMED = "logistic"  # the classifier that metrics do not name
_WIDTH, _ROW, _LEFT, _RIGHT = 340.0, 24.0, 118.0, 42.0


@dataclass(frozen=True)
class Bar:
    """Mean accuracy of one system's view over its seeds, in points."""

    system: str
    view: str
    mean: float
    sd: float | None


@dataclass(frozen=True)
class Probe:
    """One probing task: a bar for each system and view, and the share of the majority class if known."""

    task: str
    metric: str
    bars: tuple[Bar, ...]
    majority: float | None
    tells: bool | None = None  # see ``tells``
    sentences: int | None = None  # that were tested; None where their scores were not kept
    classifier: str = ""  # only where probes were run by more than one

    @property
    def name(self) -> str:
        """What the page and the plots call it."""
        return f"{self.task} by {self.classifier}" if self.classifier else self.task

    @property
    def few(self) -> bool:
        """Whether it is of too few sentences to be shown."""
        return self.sentences is not None and self.sentences < FEWEST


def probes(runs: Sequence[Run]) -> list[Probe]:
    """The accuracy of every probing task of the runs."""
    found = []
    measures = [metric for metric in map(_measure, metric_names(runs)) if metric is not None]
    several = len({metric for _, metric in measures}) > 1
    samples = {run.system: run.samples for run in first_seeds(runs)}
    for key in measures:
        metric, bars = ".".join(key), []
        for system, view in groups(runs):
            numbers = values(runs, system, view, metric)
            if numbers:
                bars.append(Bar(system, view, *summary(numbers)))
        scores = {
            (system, view): own[view, *key]
            for system, own in samples.items()
            for view in {k[0] for k in own}
            if (view, *key) in own
        }
        words = scores.pop((BACKBONE, "bag_of_words"), None)
        majority = _majority(runs, key[0])
        told = tells(scores, words, majority)
        tested = next((len(one.score) for one in scores.values()), None)
        task = key[0].removeprefix(_PROBE)
        classifier = key[1].removeprefix(_ACCURACY).strip("_") or _UNNAMED if several else ""
        found.append(Probe(task, metric, tuple(bars), majority, told, tested, classifier))
    return found


def _measure(metric: str) -> tuple[str, str] | None:
    """The task and the name of a probe's accuracy; None for another metric."""
    task, _, name = metric.rpartition(".")
    return (task, name) if task.startswith(_PROBE) and name.startswith(_ACCURACY) else None


def tells(
    views: Mapping[tuple[str, str], Scores], bag_of_words: Scores | None, majority: float | None
) -> bool | None:
    """Whether an embedding is significantly above the majority class (points) and above word counts.

    Exact binomial tests of the first seed: against the majority's share, and of the sentences that only one
    of the two gets right. Corrected for the number of embeddings. None where there is nothing to test.
    """
    if not views or (majority is None and bag_of_words is None):
        return None
    found: list[float | None] = []
    for own in views.values():
        p = []
        if majority is not None:
            right = int(own.score.sum())
            p.append(stats.binomtest(right, len(own.score), majority / 100, alternative="greater").pvalue)
        if bag_of_words is not None and bag_of_words.a == own.a:
            gained = int((own.score > bag_of_words.score).sum())
            lost = int((own.score < bag_of_words.score).sum())
            some = gained + lost
            p.append(stats.binomtest(gained, some, 0.5, alternative="greater").pvalue if some else 1.0)
        found.append(max(p, default=None))
    known = [p for p in corrected(found) if p is not None]
    return any(p < LEVEL for p in known) if known else None


def _majority(runs: Sequence[Run], task: str) -> float | None:
    """The majority class's share of the test set, the same in every run."""
    prefix = f"{task}.majority"
    for run in runs:
        for metrics in run.views.values():
            for name, value in metrics.items():
                if name.startswith(prefix):
                    return value
    return None


def probe_picture(probe: Probe, colours: Mapping[str, int]) -> Markup:
    """Horizontal bars from zero; a dashed line marks the majority class."""
    x = Scale(0, 100, _LEFT, _WIDTH - _RIGHT)
    bottom = 8 + _ROW * len(probe.bars)
    drawn = [
        shape
        for position, bar in enumerate(probe.bars)
        for shape in _bar(bar, 8 + _ROW * position, x, colours)
    ]
    if probe.majority is not None:
        line = x(probe.majority)
        drawn += [
            element("line", class_="majority", x1=line, x2=line, y1=2, y2=bottom + 4),
            element(
                "text",
                f"majority {probe.majority:.1f}",
                class_="tick",
                x=line,
                y=bottom + 17,
                text_anchor="middle",
            ),
        ]
    return picture(_WIDTH, bottom + 22, f"Accuracy of the probe {probe.name}", *drawn)


def _bar(bar: Bar, top: float, x: Scale, colours: Mapping[str, int]) -> list[Markup]:
    name = title(bar.system, bar.view)
    spread = "" if bar.sd is None else f" ± {bar.sd:.2f}"
    middle = top + _ROW / 2
    shapes = [
        element("text", name, class_="label", x=_LEFT - 8, y=middle + 4, text_anchor="end"),
        element("rect", class_="track", x=x.start, y=top + 4, width=x.end - x.start, height=_ROW - 8, rx=2),
        element(
            "rect",
            element("title", f"{name}: {bar.mean:.2f}{spread}"),
            class_=f"bar system-{colours[bar.system]} view-{_view_class(bar.view)}",
            x=x.start,
            y=top + 4,
            width=x(bar.mean) - x.start,
            height=_ROW - 8,
            rx=2,
        ),
        element("text", f"{bar.mean:.1f}", class_="value", x=x.end + 6, y=middle + 4),
    ]
    if bar.sd:
        ends = {"x1": x(max(0.0, bar.mean - bar.sd)), "x2": x(min(100.0, bar.mean + bar.sd))}
        shapes.append(element("line", class_="whisker", y1=middle, y2=middle, **ends))
    return shapes


def _view_class(view: str) -> str:
    return view if view in ("semantic", "syntactic", "joint") else "other"
