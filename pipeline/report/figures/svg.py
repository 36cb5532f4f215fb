"""What every figure is drawn with: SVG elements, linear scales, round ticks, axes.

Figures carry classes and no colours: the page's style sheet colours them, in light and in dark. Vega-Lite
would need three scripts, which `dvc plots` fetches from the network; SVG needs none, and the page opens
without one.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

Attribute = str | float | None


# Characters that no XML file may hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def number(value: float) -> str:
    """A coordinate with at most one decimal, so that files stay small and equal across machines."""
    text = f"{value:.1f}"
    return "0" if text in ("-0.0", "0.0") else text.removesuffix(".0")


def element(tag: str, *children: str, **attributes: Attribute) -> Markup:
    """One SVG element. Children are escaped unless they are Markup already.

    ``class_`` gives ``class``, ``x_y`` gives ``x-y``; an attribute of value None is left out.
    """
    # Markup.format says the same and takes six times as long, for each of ten thousand elements.
    opening = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if not children:
        return Markup(f"<{tag}{opening}/>")
    inside = "".join(map(escape, children))
    return Markup(f"<{tag}{opening}>{inside}</{tag}>")


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else number(value)


def picture(
    width: float,
    height: float,
    label: str,
    *children: str,
    class_: str = "figure",
    natural: bool = False,
    alone: bool = False,
) -> Markup:
    """The outer ``<svg>``; screen readers speak its ``label``. It fills its place unless ``natural``.

    One that is a file of its own is ``alone``.
    """
    found = element(
        "svg",
        *children,
        xmlns="http://www.w3.org/2000/svg" if alone else None,
        class_=class_,
        width=width if natural else None,
        viewBox=f"0 0 {number(width)} {number(height)}",
        role="img",
        aria_label=label,
    )
    return Markup(_NO_XML.sub("\ufffd", found)) if alone else found


def path(points: Sequence[tuple[float, float]]) -> str:
    """The ``d`` of straight lines through the points."""
    steps = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f"M{steps}"


@dataclass(frozen=True)
class Scale:
    """Linear map from data [low, high] to pixels [start, end]."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value; the middle where the data's range has no width."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About ``count`` round numbers (1, 2 or 5 times a power of ten) that span [low, high]."""
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):  # no width worth an axis
        high = low + max(1.0, abs(low))
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(position * step, 10) for position in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A tick in few letters: thousands are grouped, and the minus is that of all numbers of the page."""
    return f"{value:,.10g}".replace("-", "−")


def axes(
    x: Scale, y: Scale, x_ticks: Sequence[tuple[float, str]], y_ticks: Sequence[float], x_label: str
) -> Markup:
    """Horizontal grid lines with their values, and the labelled ticks and name of the horizontal axis."""
    drawn = []
    for tick in y_ticks:
        drawn.append(element("line", class_="grid", x1=x.start, x2=x.end, y1=y(tick), y2=y(tick)))
        drawn.append(
            element("text", tick_text(tick), class_="tick", x=x.start - 6, y=y(tick) + 3.5, text_anchor="end")
        )
    drawn += [
        element("text", label, class_="tick", x=x(tick), y=y.start + 15, text_anchor="middle")
        for tick, label in x_ticks
    ]
    drawn.append(
        element("text", x_label, class_="axis", x=(x.start + x.end) / 2, y=y.start + 31, text_anchor="middle")
    )
    return Markup("").join(drawn)
