"""Alignment against uniformity (Wang and Isola 2020) of every embedding: in both, less is better."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from pipeline.report.figures.plane import Dot, plane_picture
from pipeline.report.inputs import Run, title
from pipeline.report.sections.ranking import style
from pipeline.report.tables import groups, summary, values

ALIGNMENT, UNIFORMITY = "alignment.test.alignment", "alignment.test.uniformity"
Group = tuple[str, str]  # system, view


def uniformities(runs: Sequence[Run]) -> dict[Group, tuple[float, float]]:
    """(uniformity, alignment) of each system's view, means over its seeds."""
    found = {}
    for group in groups(runs):
        both = [values(runs, *group, metric) for metric in (UNIFORMITY, ALIGNMENT)]
        if all(both):
            found[group] = (summary(both[0])[0], summary(both[1])[0])
    return found


def uniformity_picture(found: Mapping[Group, tuple[float, float]], colours: Mapping[str, int]) -> Markup:
    """A named dot for each embedding."""
    dots = [
        Dot(at, style(group, colours), f"{title(*group)}: uniformity {at[0]:.3f}, alignment {at[1]:.4f}",
            title(*group))
        for group, at in found.items()
    ]  # fmt: skip
    return plane_picture("Alignment against uniformity", ("uniformity ↓", "alignment ↓"), dots=dots)
