"""Dots with whiskers, one a row: what overlaps and what does not is seen at a glance."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipeline.report.svg import Scale, element, picture, ticks

_WIDTH, _ROW, _TOP = 330.0, 24.0, 8.0
_LETTER = 6.1  # width of a letter of a label, in pixels


@dataclass(frozen=True)
class Mark:
    """A row: its value, and its reach to either side where known."""

    label: str
    value: float
    reach: tuple[float, float] | None
    style: str  # classes that colour it
    note: str  # shown when pointed at


def forest_picture(name: str, marks: Sequence[Mark], reference: float | None, signed: bool = False) -> Markup:
    """The marks over a shared axis; a dashed line stands at the reference."""
    ends = [end for mark in marks for end in (mark.value, *(mark.reach or ()))]
    ends += [] if reference is None else [reference]
    axis = ticks(min(ends), max(ends), 4)
    left = 14 + _LETTER * max(len(mark.label) for mark in marks)
    x = Scale(axis[0], axis[-1], min(left, 170.0), _WIDTH - 50)
    bottom = _TOP + _ROW * len(marks)
    drawn = []
    for tick in axis:
        drawn.append(element("line", class_="grid", x1=x(tick), x2=x(tick), y1=_TOP, y2=bottom))
        drawn.append(
            element("text", f"{tick:g}", class_="tick", x=x(tick), y=bottom + 15, text_anchor="middle")
        )
    if reference is not None:
        line = x(reference)
        drawn.append(element("line", class_="majority", x1=line, x2=line, y1=_TOP - 4, y2=bottom + 2))
    for position, mark in enumerate(marks):
        drawn += _row(mark, _TOP + _ROW * (position + 0.5), x, "+.2f" if signed else ".2f")
    return picture(_WIDTH, bottom + 22, name, *drawn)


def _row(mark: Mark, middle: float, x: Scale, form: str) -> list[Markup]:
    pieces = [element("text", mark.label, class_="label", x=x.start - 10, y=middle + 4, text_anchor="end")]
    if mark.reach is not None:
        low, high = (x(end) for end in mark.reach)
        pieces.append(element("line", class_=f"reach {mark.style}", x1=low, x2=high, y1=middle, y2=middle))
    pieces.append(
        element(
            "circle",
            element("title", mark.note),
            class_=f"point {mark.style}",
            cx=x(mark.value),
            cy=middle,
            r=5,
        )
    )
    text = f"{mark.value:{form}}".replace("-", "−")
    return [*pieces, element("text", text, class_="value", x=x.end + 10, y=middle + 4)]
