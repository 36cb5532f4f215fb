"""Figures that need more than one part: whose colour is whose, forests, loss panels, maps."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from pipeline.params import Report
from pipeline.report import loss, projection
from pipeline.report.ablations import FULL, Effects
from pipeline.report.columns import Column
from pipeline.report.forest import Mark, forest_picture
from pipeline.report.headline import Headline, Standing
from pipeline.report.inputs import BACKBONE, CONTROLS, Run, firsts, title

_COLOURS = 6  # --system-1 to --system-6 in style.css; 0 is the backbone


def colours(systems: Sequence[str]) -> dict[str, int]:
    """A colour's number for each system, named once or more: 0 for the first, the backbone; then in turn."""
    return {
        system: 0 if position == 0 else (position - 1) % _COLOURS + 1
        for position, system in enumerate(dict.fromkeys(systems))
    }


def forests(table: Headline, colour: Mapping[str, int]) -> list[tuple[Standing, Markup]]:
    """A forest for each metric of a headline table."""
    return [(standing, _forest(standing, table.groups, colour)) for standing in table.standings]


def _forest(standing: Standing, groups: Sequence[tuple[str, str]], colour: Mapping[str, int]) -> Markup:
    marks = []
    for system, view in groups:
        figure = standing.figures.get((system, view))
        if figure is not None:
            reach = "" if figure.reach is None else " ({:.2f} to {:.2f})".format(*figure.reach)
            style = f"system-{colour[system]} view-{'control' if view in CONTROLS else view}"
            name = title(system, view)
            marks.append(Mark(name, figure.mean, figure.reach, style, f"{name}: {figure.mean:.2f}{reach}"))
    base = standing.figures[standing.strongest].mean if standing.strongest else None
    return forest_picture(f"{standing.column.label}, {standing.column.kind}", marks, base)


def differences(table: Effects) -> list[tuple[Column, Markup]]:
    """What each ablation does to each metric of a table, where it can be told."""
    drawn = [(column, _difference(table, number)) for number, column in enumerate(table.columns)]
    return [(column, picture) for column, picture in drawn if picture]


def _difference(table: Effects, number: int) -> Markup | None:
    marks = []
    for ablation, row in table.rows:
        effect = row[number]
        if ablation.name == FULL or effect is None or effect.difference is None:
            continue
        middle, sd = effect.difference, effect.difference_sd
        reach = None if sd is None else (middle - sd, middle + sd)
        note = f"{ablation.name}: {middle:+.2f}" + ("" if sd is None else f" ± {sd:.2f}")
        marks.append(Mark(ablation.name, middle, reach, "system-1", note))
    name = f"Difference from the full system, {table.columns[number].label}"
    return forest_picture(name, marks, 0.0, signed=True) if marks else None


def losses(runs: Sequence[Run], systems: Sequence[str]) -> list[tuple[str, Markup | None]]:
    """A panel a trained system."""
    trained = [system for system in systems if system != BACKBONE]
    return [
        (system, loss.loss_picture(system, [run for run in runs if run.system == system]))
        for system in trained
    ]


def maps(runs: Sequence[Run], params: Report) -> list[tuple[str, str, Markup, list[str]]]:
    """Name, method, map and views of the first seed of every system, by each method asked for."""
    found = []
    for run in firsts(runs):
        for method in params.maps:
            points = projection.project(run.evaluation.get("projection", []), method, params)
            if points:
                views = list(dict.fromkeys(point.view for point in points))
                drawing = projection.projection_picture(run.name, points)
                found.append((run.name, projection.METHODS[method], drawing, views))
    return found
