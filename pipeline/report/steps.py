"""Histograms as outlined steps over a shared axis, each with a mark at its mean."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from pipeline.report.svg import Scale, axes, element, path, picture, ticks

_WIDTH, _HEIGHT = 340.0, 220.0


class Steps(NamedTuple):
    """One histogram: percent in each bin, where its mean lies on the axis, its class, and what it says."""

    shares: Sequence[float]
    mean: float
    style: str
    note: str


def steps_picture(
    name: str,
    label: str,
    edges: Sequence[float],
    drawn: Sequence[Steps],
    x_ticks: Sequence[tuple[float, str]],
    highest: float,
    falling: bool = False,
) -> Markup:
    """The histograms over bins with these edges; ``falling`` puts the lowest edge on the right."""
    ends = (float(edges[-1]), float(edges[0])) if falling else (float(edges[0]), float(edges[-1]))
    x = Scale(*ends, 36, _WIDTH - 10)
    y_ticks = ticks(0, highest, 4)
    y = Scale(0, y_ticks[-1], _HEIGHT - 40, 12)
    shapes = [axes(x, y, x_ticks, y_ticks, label)]
    for one in drawn:
        points = [(x(edges[0]), y(0))]
        for low, high, share in zip(edges[:-1], edges[1:], one.shares, strict=True):
            points += [(x(low), y(share)), (x(high), y(share))]
        points.append((x(edges[-1]), y(0)))
        mark = f"M{x(one.mean):.1f} {y.end:.1f}l-4 -7h8Z"
        outline = element("path", element("title", one.note), class_=f"steps {one.style}", d=path(points))
        shapes += [outline, element("path", class_=f"mean {one.style}", d=mark)]
    return picture(_WIDTH, _HEIGHT, name, *shapes)
