"""Charts with two measured axes: curves of embeddings, single points with their names, clouds of pairs."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from pipeline.report.figures.svg import Scale, axes, element, number, path, picture, tick_text, ticks

Point = tuple[float, float]
_WIDTH, _HEIGHT, _LEFT, _NAMES, _LINE = 340.0, 250.0, 40.0, 128.0, 16.0  # pixels


class Line(NamedTuple):
    """A curve through points in their order; ``style`` has the classes that colour it."""

    points: Sequence[Point]
    style: str
    note: str = ""  # shown when pointed at


class Dot(NamedTuple):
    """One point; its ``name``, where it has one, stands beside the chart at the end of a thin line."""

    at: Point
    style: str
    note: str
    name: str = ""


def plane_picture(
    spoken: str,
    labels: tuple[str, str],
    lines: Sequence[Line] = (),
    dots: Sequence[Dot] = (),
    cloud: Sequence[Point] = (),
    level: float | None = None,
    spans: tuple[Point | None, Point | None] = (None, None),
) -> Markup:
    """A chart of ``labels`` (x, y): the cloud below, then the lines, then the dots.

    ``level`` is a dashed horizontal line. ``spans`` are the ends of x and y, for charts that are compared;
    None: round numbers about what is drawn.
    """
    points = [*cloud, *(point for line in lines for point in line.points), *(dot.at for dot in dots)]
    levels = [] if level is None else [level]
    x_ends, x_ticks = _axis([x for x, _ in points], spans[0])
    y_ends, y_ticks = _axis([*levels, *(y for _, y in points)], spans[1])
    named = any(dot.name for dot in dots)
    right = _WIDTH - (_NAMES if named else 12)
    x = Scale(*x_ends, _LEFT, right)
    y = Scale(*y_ends, _HEIGHT - 40, 24)
    drawn = [
        axes(x, y, [(tick, tick_text(tick)) for tick in x_ticks], y_ticks, labels[0]),
        element("text", labels[1], class_="axis", x=4, y=12),
    ]
    if cloud:
        # Round ends make a point of a line without length.
        shape = "".join(f"M{number(x(a))} {number(y(b))}h0" for a, b in cloud)
        drawn.append(element("path", class_="cloud", d=shape))
    if level is not None:
        drawn.append(element("line", class_="majority", x1=x.start, x2=x.end, y1=y(level), y2=y(level)))
    for line in lines:
        title = [element("title", line.note)] if line.note else []
        joined = path([(x(a), y(b)) for a, b in line.points])
        drawn.append(element("path", *title, class_=f"curve {line.style}", d=joined))
    if named:
        drawn += _names([dot for dot in dots if dot.name], x, y)
    drawn += [
        element("circle", element("title", dot.note), class_=f"point {dot.style}",
                cx=x(dot.at[0]), cy=y(dot.at[1]), r=4.5)
        for dot in dots
    ]  # fmt: skip
    return picture(_WIDTH, _HEIGHT, spoken, *drawn)


def _axis(values: Sequence[float], span: Point | None) -> tuple[Point, list[float]]:
    if span is None:
        found = ticks(min(values), max(values), 4)
        return (found[0], found[-1]), found
    return span, [tick for tick in ticks(*span, 4) if span[0] <= tick <= span[1]]


def _names(dots: Sequence[Dot], x: Scale, y: Scale) -> list[Markup]:
    """The names in a column beside the chart, in the dots' order from above, none over another."""
    order = sorted(dots, key=lambda dot: y(dot.at[1]))
    # Not so low that a name would touch the last tick of the axis.
    places = spread([y(dot.at[1]) for dot in order], _LINE, y.end, y.start - 5)
    drawn = []
    for dot, place in zip(order, places, strict=True):
        ends = {"x1": x(dot.at[0]), "y1": y(dot.at[1]), "x2": x.end + 8, "y2": place}
        drawn.append(element("line", class_="leader", **ends))
        drawn.append(element("text", dot.name, class_="label", x=x.end + 11, y=place + 4))
    return drawn


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Ascending places moved apart to at least ``gap``, in their order, and above ``high`` where they fit."""
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + gap) if found else max(place, low))
    limit = high
    for at in reversed(range(len(found))):
        found[at] = min(found[at], limit)
        limit = found[at] - gap
    return found


class Row(NamedTuple):
    """A row of a dot chart: its name, and the dots' values, classes and notes."""

    name: str
    dots: Sequence[tuple[float, str, str]]


def dot_picture(spoken: str, label: str, rows: Sequence[Row], level: float, span: Point) -> Markup:
    """Rows of dots over one shared axis; dots of a row stand a little below each other, in their order."""
    step = 4.0  # pixels from dot to dot
    tall = 12 + step * max(len(row.dots) for row in rows)
    x_ticks = ticks(*span, 4)
    x = Scale(x_ticks[0], x_ticks[-1], 116, _WIDTH - 14)
    bottom = 10 + tall * len(rows)
    drawn = [axes(x, Scale(0, 1, bottom, 8), [(tick, tick_text(tick)) for tick in x_ticks], [], label)]
    drawn.append(element("line", class_="majority", x1=x(level), x2=x(level), y1=4, y2=bottom))
    for at, row in enumerate(rows):
        middle = 8 + tall * (at + 0.5)
        drawn.append(element("line", class_="grid", x1=x.start, x2=x.end, y1=middle, y2=middle))
        drawn.append(
            element("text", row.name, class_="label", x=x.start - 8, y=middle + 4, text_anchor="end")
        )
        first = middle - step * (len(row.dots) - 1) / 2
        drawn += [
            element("circle", element("title", note), class_=f"point {style}",
                    cx=x(value), cy=first + step * place, r=4)
            for place, (value, style, note) in enumerate(row.dots)
        ]  # fmt: skip
    return picture(_WIDTH, bottom + 36, spoken, *drawn)
