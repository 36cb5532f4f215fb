"""The charts that several sections draw: forest plots (dots with whiskers) and overlaid histograms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from pipeline.report.figures.svg import Scale, axes, element, number, picture, tick_text, ticks
from pipeline.report.intervals import signed as signed_text

_FOREST_WIDTH, _ROW, _TOP = 330.0, 24.0, 8.0  # pixels
_LETTER = 7.0  # width of a letter of a label in a wide font, in pixels
_LABEL = 24  # letters of a label at most: longer ones would leave no room for the plot, or begin outside
_WIDTH, _HEIGHT = 340.0, 220.0  # of a histogram, in pixels


@dataclass(frozen=True)
class Mark:
    """A row of a forest plot: its value, and its interval where known."""

    label: str
    value: float
    interval: tuple[float, float] | None
    style: str  # classes that colour it
    note: str  # shown when pointed at


def forest_picture(
    name: str,
    marks: Sequence[Mark],
    reference: float | None,
    signed: bool = False,
    span: tuple[float, float] | None = None,
) -> Markup:
    """A forest plot: the marks over a shared axis, with a dashed line at the reference.

    ``span`` are the ends of the axis, for plots that are compared: a whisker is cut where it leaves them, and
    a mark beyond them is a triangle at the edge. None: round numbers about all that is drawn.
    """
    ends = [end for mark in marks for end in (mark.value, *(mark.interval or ()))]
    ends += [] if reference is None else [reference]
    low, high = span or (min(ends), max(ends))
    axis = ticks(low, high, 4)
    left = 14 + _LETTER * max(len(mark.label) for mark in marks)
    x = Scale(axis[0], axis[-1], min(left, 182.0), _FOREST_WIDTH - 50)
    bottom = _TOP + _ROW * len(marks)
    drawn = []
    for tick in axis:
        drawn.append(element("line", class_="grid", x1=x(tick), x2=x(tick), y1=_TOP, y2=bottom))
        drawn.append(
            element("text", tick_text(tick), class_="tick", x=x(tick), y=bottom + 15, text_anchor="middle")
        )
    if reference is not None:
        line = x(reference)
        drawn.append(element("line", class_="majority", x1=line, x2=line, y1=_TOP - 4, y2=bottom + 2))
    for position, mark in enumerate(marks):
        text = signed_text(mark.value) if signed else f"{mark.value:.2f}".replace("-", "−")
        drawn += _row(mark, _TOP + _ROW * (position + 0.5), x, text)
    return picture(_FOREST_WIDTH, bottom + 22, name, *drawn)


def _row(mark: Mark, middle: float, x: Scale, text: str) -> list[Markup]:
    label = mark.label if len(mark.label) <= _LABEL else f"{mark.label[: _LABEL - 1]}…"
    drawn = [element("text", label, class_="label", x=x.start - 10, y=middle + 4, text_anchor="end")]
    if mark.interval is not None:
        low, high = (min(max(x(end), x.start), x.end) for end in mark.interval)
        drawn.append(element("line", class_=f"reach {mark.style}", x1=low, x2=high, y1=middle, y2=middle))
    style, note = f"point {mark.style}", element("title", mark.note)
    if x.low <= mark.value <= x.high:
        drawn.append(element("circle", note, class_=style, cx=x(mark.value), cy=middle, r=5))
    else:
        edge, side = (x.start, 1) if mark.value < x.low else (x.end, -1)
        shape = f"M{number(edge - 5 * side)} {number(middle)}l{9 * side} -5v10Z"
        drawn.append(element("path", note, class_=f"{style} beyond", d=shape))
    return [*drawn, element("text", text, class_="value", x=x.end + 10, y=middle + 4)]


class Histogram(NamedTuple):
    """One outline: percent in each bin, its mean on the axis, its class, and its note."""

    shares: Sequence[float]
    mean: float
    style: str
    note: str


def histogram_picture(
    name: str,
    label: str,
    edges: Sequence[float],
    histograms: Sequence[Histogram],
    x_ticks: Sequence[tuple[float, str]],
    highest: float,
    falling: bool = False,
) -> Markup:
    """Outlined steps over bins, a mark at each mean; ``falling`` puts the lowest edge on the right."""
    ends = (float(edges[-1]), float(edges[0])) if falling else (float(edges[0]), float(edges[-1]))
    x = Scale(*ends, 36, _WIDTH - 10)
    y_ticks = ticks(0, highest, 4)
    y = Scale(0, y_ticks[-1], _HEIGHT - 40, 12)
    shapes = [axes(x, y, x_ticks, y_ticks, label)]
    for one in histograms:
        mark = f"M{x(one.mean):.1f} {y.end:.1f}l-4 -7h8Z"
        outline = element(
            "path", element("title", one.note), class_=f"steps {one.style}", d=_steps(edges, one.shares, x, y)
        )
        shapes += [outline, element("path", class_=f"mean {one.style}", d=mark)]
    return picture(_WIDTH, _HEIGHT, name, *shapes)


def _steps(edges: Sequence[float], shares: Sequence[float], x: Scale, y: Scale) -> str:
    """The ``d`` of the outline; bins of one height are one line, so empty stretches take no room."""
    drawn, last = f"M{number(x(edges[0]))} {number(y(0))}", number(y(0))
    for place, share in enumerate([*shares, 0.0]):
        height = number(y(share))
        if height != last:
            drawn += f"H{number(x(edges[place]))}V{height}"
            last = height
    return drawn + f"H{number(x(edges[-1]))}"
