"""Learning curves: accuracy by the share of a benchmark's training rows, a panel a benchmark."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipeline.report.inputs import Run, title
from pipeline.report.svg import Scale, axes, element, path, picture, ticks
from pipeline.report.tables import groups, summary, values

_NAME = re.compile(r"few_shot\.(.+)\.accuracy_(\d+)$")
_WIDTH, _HEIGHT = 340.0, 250.0
Points = tuple[tuple[float, float, float | None], ...]  # percent, mean, sd


@dataclass(frozen=True)
class Shots:
    """A benchmark's curve for each system and view."""

    task: str
    kind: str  # what was fitted
    curves: Mapping[tuple[str, str], Points]

    @property
    def climbs(self) -> bool:
        """Whether there is a curve to draw: more than one share."""
        return any(len(points) > 1 for points in self.curves.values())


def few_shot(runs: Sequence[Run], kind: str) -> list[Shots]:
    """Every benchmark with a learning curve, by name."""
    names = {name for run in runs for metrics in run.views.values() for name in metrics}
    shares: dict[str, list[int]] = {}
    for name in names:
        if match := _NAME.match(name):
            shares.setdefault(match[1], []).append(int(match[2]))
    found = []
    for task in sorted(shares):
        curves = {group: _points(runs, group, task, sorted(shares[task])) for group in groups(runs)}
        found.append(Shots(task, kind, {group: points for group, points in curves.items() if points}))
    return found


def _points(runs: Sequence[Run], group: tuple[str, str], task: str, shares: Sequence[int]) -> Points:
    numbers = [(share, values(runs, *group, f"few_shot.{task}.accuracy_{share}")) for share in shares]
    return tuple((float(share), *summary(found)) for share, found in numbers if found)


def few_shot_picture(shots: Shots, colours: Mapping[str, int]) -> Markup:
    """A line a system and view; whiskers are one standard deviation over seeds."""
    points = [point for curve in shots.curves.values() for point in curve]
    heights = [height for _, mean, sd in points for height in (mean - (sd or 0), mean + (sd or 0))]
    y_ticks = ticks(min(heights), max(heights))
    x = Scale(0, 100, 40, _WIDTH - 12)
    y = Scale(y_ticks[0], y_ticks[-1], _HEIGHT - 40, 12)
    x_ticks = [(share, f"{share:g}") for share in sorted({share for share, _, _ in points})]
    drawn = [axes(x, y, x_ticks, y_ticks, "percent of the training rows")]
    for (system, view), curve in shots.curves.items():
        style = f"system-{colours[system]} view-{view}"
        line = path([(x(share), y(mean)) for share, mean, _ in curve])
        drawn.append(element("path", element("title", title(system, view)), class_=f"shot {style}", d=line))
        for share, mean, sd in curve:
            if sd:
                ends = {"y1": y(mean - sd), "y2": y(mean + sd)}
                drawn.append(element("line", class_=f"reach {style}", x1=x(share), x2=x(share), **ends))
            note = f"{title(system, view)}: {mean:.2f}" + ("" if sd is None else f" ± {sd:.2f}")
            drawn.append(
                element(
                    "circle",
                    element("title", f"{note} at {share:g} %"),
                    class_=f"point {style}",
                    cx=x(share),
                    cy=y(mean),
                    r=3.2,
                )
            )
    return picture(_WIDTH, _HEIGHT, f"Accuracy on {shots.task} by share of the training rows", *drawn)
