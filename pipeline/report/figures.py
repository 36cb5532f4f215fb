"""Draw figures as SVG: elements, scales and axes; rows of dots with whiskers, loss curves, and trees.

Figures carry classes and no colours: the page's style sheet colours them, in light and in dark. They need no
script and no library, so the page opens without a network.
"""

import math
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from markupsafe import Markup, escape

WIDTH = 340.0  # pixels, of every chart
_LETTER, _LONGEST = 6.4, 26  # pixels of a letter in a wide font; letters of a label at most


def number(value: float) -> str:
    """Return a coordinate with at most one decimal, so that files stay small and equal across machines."""
    text = f"{value:.1f}"
    return "0" if text in ("-0.0", "0.0") else text.removesuffix(".0")


def element(tag: str, *children: str, **attributes: str | float | None) -> Markup:
    """Return one SVG element; children are escaped unless they are Markup already.

    ``class_`` gives ``class`` and ``x_y`` gives ``x-y``; an attribute of value None is left out.
    """
    # Markup.format does the same and takes six times as long, for each of ten thousand elements.
    texts = {name: number(one) if isinstance(one, int | float) else one for name, one in attributes.items()}
    opening = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(text)}"'
        for name, text in texts.items()
        if text is not None
    )
    return Markup(f"<{tag}{opening}>{''.join(map(escape, children))}</{tag}>")


def picture(width: float, height: float, label: str, *children: str, class_: str = "figure") -> Markup:
    """Return the outer ``<svg>``; screen readers speak its ``label``. It fills its place, but for a tree."""
    return element(
        "svg",
        *children,
        class_=class_,
        width=width if class_ == "tree" else None,  # a long sentence scrolls rather than shrinks
        viewBox=f"0 0 {number(width)} {number(height)}",
        role="img",
        aria_label=label,
    )


def path(points: Sequence[tuple[float, float]]) -> str:
    """Return the ``d`` of straight lines through the points."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


@dataclass(frozen=True)
class Scale:
    """Linear map from data [low, high] to pixels [start, end]."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value; the middle if the data's range has no width."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Return about ``count`` round numbers (1, 2 or 5 times a power of ten) that span [low, high]."""
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):  # no width worth an axis
        high = low + max(1.0, abs(low))
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(position * step, 10) for position in range(first, last + 1)]


def tick_text(value: float) -> str:
    """Return a tick in few letters: thousands are grouped, and the minus is the page's."""
    return f"{value:,.10g}".replace("-", "−")


def axes(
    x: Scale, y: Scale, x_ticks: Mapping[float, str], y_ticks: Sequence[float] = (), label: str = ""
) -> list[Markup]:
    """Horizontal grid lines with their values, and the labelled ticks and the name of the horizontal axis."""
    drawn = []
    for tick in y_ticks:
        drawn.append(element("line", class_="grid", x1=x.start, x2=x.end, y1=y(tick), y2=y(tick)))
        drawn.append(_text(tick_text(tick), x.start - 6, y(tick) + 3.5, "tick", "end"))
    drawn += [_text(text, x(tick), y.start + 15, "tick", "middle") for tick, text in x_ticks.items()]
    if label:
        drawn.append(_text(label, (x.start + x.end) / 2, y.start + 31, "axis", "middle"))
    return drawn


def _text(text: str, x: float, y: float, class_: str, anchor: str | None = None) -> Markup:
    return element("text", text, class_=class_, x=x, y=y, text_anchor=anchor)


def loss_picture(name: str, curves: Sequence[tuple[str, str, Sequence[tuple[float, float]]]]) -> Markup:
    """Draw curves of (run, ``train`` or ``validation``, points); validation is bold, with dots."""
    points = [point for _, _, curve in curves for point in curve]
    last = max(step for step, _ in points)
    y_ticks = ticks(min(loss for _, loss in points), max(loss for _, loss in points), 5)
    x, y = Scale(0, last, 46, WIDTH - 12), Scale(y_ticks[0], y_ticks[-1], 210, 12)
    x_ticks = {tick: tick_text(tick) for tick in ticks(0, last, 5) if tick <= last}
    drawn = axes(x, y, x_ticks, y_ticks, "step")
    for run, split, curve in sorted(curves, key=lambda curve: curve[1]):
        placed = [(x(step), y(loss)) for step, loss in curve]
        note = element("title", f"{run}, {split}")
        drawn.append(element("path", note, class_=f"line {split}", d=path(placed)))
        for (step, loss), (at, up) in zip(curve, placed, strict=True) if split == "validation" else ():
            note = element("title", f"{run}, validation: {loss:.4g} at step {tick_text(step)}")
            drawn.append(element("circle", note, class_="dot", cx=at, cy=up, r=3))
    return picture(WIDTH, 250, f"Training and validation loss of {name} by step", *drawn)


class Mark(NamedTuple):
    """A dot in a row of a chart, with a whisker if its interval is known."""

    value: float
    style: str  # classes that colour it
    note: str  # shown when pointed at
    whisker: tuple[float, ...] | None = None


def rows_picture(
    name: str,
    label: str,
    rows: Mapping[str, Sequence[Mark]],
    reference: float | None,
    ends: Sequence[float] = (),
) -> Markup:
    """Draw rows of marks over a shared axis, with a dashed line at the reference.

    Marks of a row stand a little below each other; a single mark has its value beside the chart. ``ends`` are
    on the axis whatever the values.
    """
    marks = [mark for row in rows.values() for mark in row]
    spans = [*ends, *(end for mark in marks for end in (mark.value, *(mark.whisker or ())))]
    axis = ticks(min(spans), max(spans))
    single = max(len(row) for row in rows.values()) == 1
    tall = 24.0 if single else 12 + 4.0 * max(len(row) for row in rows.values())
    left = 14 + _LETTER * min(_LONGEST, max(map(len, rows)))
    x, bottom = Scale(axis[0], axis[-1], left, WIDTH - (58 if single else 14)), 8 + tall * len(rows)
    drawn = [element("line", class_="grid", x1=x(tick), x2=x(tick), y1=8, y2=bottom) for tick in axis]
    drawn += axes(x, Scale(0, 1, bottom, 8), {tick: tick_text(tick) for tick in axis}, label=label)
    if reference is not None:
        at = x(reference)
        drawn.append(element("line", class_="reference", x1=at, x2=at, y1=4, y2=bottom + 2))
    for place, (row, dots) in enumerate(rows.items()):
        middle = 8 + tall * (place + 0.5)
        shown = row if len(row) <= _LONGEST else f"{row[: _LONGEST - 1]}…"
        drawn.append(_text(shown, x.start - 10, middle + 4, "label", "end"))
        for nth, mark in enumerate(dots):
            up = middle + 4.0 * (nth - (len(dots) - 1) / 2)
            if mark.whisker:
                low, high = map(x, mark.whisker)
                drawn.append(element("line", class_=f"reach {mark.style}", x1=low, x2=high, y1=up, y2=up))
            note = element("title", mark.note)
            drawn.append(
                element("circle", note, class_=f"point {mark.style}", cx=x(mark.value), cy=up, r=4.5)
            )
            if single:
                drawn.append(_text(f"{mark.value:.2f}".replace("-", "−"), x.end + 10, middle + 4, "value"))
    return picture(WIDTH, bottom + (36 if label else 22), name, *drawn)


_LEVEL, _TOP, _BELOW = 21.0, 12.0, 44.0  # pixels: height of one arc level, room above, room for word and tag


def tree_picture(row: Mapping[str, Any], marked: Collection[int] = ()) -> Markup:
    """Draw a tree as arcs over its words; ``marked`` words (0-based) and their arcs are set off."""
    words, heads = row["words"], row["heads"]
    widths = [
        max(_width(word), _width(tag, 6.2), _width(label, 5.4)) + 18
        for word, tag, label in zip(words, row["upos"], row["deprels"], strict=True)
    ]
    ends = list(accumulate(widths, initial=4.0))
    centres = [start + width / 2 for start, width in zip(ends, widths, strict=False)]
    levels = arc_levels(heads)
    base = _TOP + (max(levels) + 1) * _LEVEL
    arcs, texts = [], []
    for word, head in enumerate(heads):
        mark = " marked" if word in marked else ""
        # The root's arrow comes from above all arcs; the others are as high as their level.
        top = base - (levels[word] or max(levels) + 1) * _LEVEL
        line, middle = _arc(centres[word], centres[head - 1] if head else None, top, base)
        tip = f"M{number(centres[word] - 3.5)} {number(base - 7)}h7l-3.5 7Z"
        edge = element("path", class_="edge", d=line)
        arcs.append(element("g", edge, element("path", class_="tip", d=tip), class_=f"arc{mark}"))
        texts += [
            element("text", row["deprels"][word], class_=f"deprel{mark}", x=middle, y=top + 3.5),
            element("text", words[word], class_=f"word{mark}", x=centres[word], y=base + 20),
            element("text", row["upos"][word], class_="tag", x=centres[word], y=base + 36),
        ]
    spoken = f"Dependency tree of: {' '.join(words)}"
    labels = element("g", *texts, text_anchor="middle")
    return picture(ends[-1] + 4, base + _BELOW, spoken, *arcs, labels, class_="tree")


def _arc(foot: float, head: float | None, top: float, base: float) -> tuple[str, float]:
    """The path from the head to above the dependent, and the middle of its label."""
    if head is None:
        return f"M{number(foot)} {number(top)}V{number(base - 2)}", foot
    # Leave the head a little towards the dependent, so that arcs of one head do not share a line.
    start = head + (7 if foot > head else -7)
    bend = min(12.0, abs(foot - start) / 2) * (1 if foot > start else -1)
    line = (
        f"M{number(start)} {number(base)}V{number(top + 10)}"
        f"Q{number(start)} {number(top)} {number(start + bend)} {number(top)}"
        f"H{number(foot - bend)}Q{number(foot)} {number(top)} {number(foot)} {number(top + 10)}"
        f"V{number(base - 2)}"
    )
    return line, (start + foot) / 2


def _width(text: str, em: float = 7.4) -> float:
    """Rough width in pixels: wide East Asian characters count twice, combining marks nothing."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return em * (len(text) + wide - sum(bool(unicodedata.combining(char)) for char in text))


def arc_levels(heads: Sequence[int]) -> list[int]:
    """Return the height of each word's arc: one more than the highest that it spans; 0 for the root."""
    ends = [(min(head - 1, word), max(head - 1, word), word) for word, head in enumerate(heads) if head]
    levels = [0] * len(heads)
    placed: list[tuple[int, int, int]] = []
    for left, right, word in sorted(ends, key=lambda arc: (arc[1] - arc[0], arc)):  # short arcs first
        inside = [level for start, stop, level in placed if left <= start and stop <= right]
        levels[word] = 1 + max(inside, default=0)
        placed.append((left, right, levels[word]))
    return levels
