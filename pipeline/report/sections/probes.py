"""Probes: bars of what a classifier reads off each embedding, beside the backbone and the majority class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipeline.report.figures.svg import Scale, element, picture
from pipeline.report.inputs import Run, title
from pipeline.report.tables import groups, metric_names, summary, values

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


def probes(runs: Sequence[Run]) -> list[Probe]:
    """The accuracy of every probing task of the runs."""
    found = []
    for metric in metric_names(runs):
        parts = metric.split(".")
        if parts[0] != "probe" or not parts[-1].startswith("accuracy"):
            continue
        bars = []
        for system, view in groups(runs):
            numbers = values(runs, system, view, metric)
            if numbers:
                bars.append(Bar(system, view, *summary(numbers)))
        found.append(Probe(".".join(parts[1:-1]), metric, tuple(bars), _majority(runs, parts[:-1])))
    return found


def _majority(runs: Sequence[Run], task: Sequence[str]) -> float | None:
    """The majority class's share of the test set, the same in every run."""
    prefix = ".".join([*task, "majority"])
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
    return picture(_WIDTH, bottom + 22, f"Accuracy of the probe {probe.task}", *drawn)


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
