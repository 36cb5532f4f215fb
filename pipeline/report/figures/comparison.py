"""A sentence, a rewording and an exchange of its words: two trees, and how alike some vectors find them.

An SVG file of its own, so it carries its colours, for light and for dark pages, and what is behind them: a
reader's page may be light where the browser prefers dark.
"""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from pipeline.report.figures.dependency_tree import Drawing, tree_drawing
from pipeline.report.figures.svg import Scale, element, picture
from pipeline.syntax.sentence import HasTree

_WIDTH, _MARGIN, _BAR, _ROW, _NAMES, _LINE = 780.0, 16.0, 15.0, 56.0, 232.0, 18.0  # pixels
_SMALLEST = 0.75  # scale below which two trees side by side cannot be read: the second stands below the first
_NOTE, _HALF, _WHOLE = 96, 42, 88  # letters of a note, and of half and of a whole line of the legend
_BOLD, _MOST_NAMES = 8.7, 340.0  # pixels of a letter of a name in a wide font, and of all names at most
_STYLE = """
svg { background: #ffffff; }
text { font-family: system-ui, sans-serif; font-size: 14px; fill: #1f2328; }
.word { font-size: 15px; } .tag, .deprel { font-size: 11px; fill: #59636e; }
.note { font-size: 13px; fill: #59636e; }
.deprel { stroke: #ffffff; stroke-width: 5px; paint-order: stroke; }
.edge { fill: none; stroke: #818b98; stroke-width: 1.3; } .tip { fill: #818b98; }
.same { fill: #1a7f37; } .different { fill: #bc4c00; } .name { font-weight: 600; } .value { font-size: 12px; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  text { fill: #e6edf3; } .tag, .deprel, .note { fill: #9198a1; } .deprel { stroke: #0d1117; }
  .edge { stroke: #9198a1; } .tip { fill: #9198a1; } .same { fill: #3fb950; } .different { fill: #f0883e; }
}
"""


class Likeness(NamedTuple):
    """Of one kind of vector, the cosine of the sentence with each of the two others."""

    name: str
    reworded: float
    exchanged: float


def comparison_picture(
    sentence: HasTree, reworded: str, exchanged: HasTree, likenesses: Sequence[Likeness]
) -> Markup:
    """Trees of the sentence and of the exchange, and a pair of bars for each kind of vector.

    The trees are side by side where both can be read so. Sentences take as many lines as they need.
    """
    drawings = [
        tree_drawing(each.words, each.upos, each.heads, each.deprels) for each in (sentence, exchanged)
    ]
    trees, top = _trees(drawings)
    parts = [element("style", Markup(_STYLE)), *trees]
    low = min(0.0, *(value for each in likenesses for value in each[1:]))
    names = min(max(_NAMES, *(_BOLD * len(each.name) for each in likenesses)), _MOST_NAMES)
    bars = Scale(low, 1.0, _MARGIN + names, _WIDTH - _MARGIN - 92)
    question = f"How alike a vector finds \u201c{sentence.text}\u201d and \u2026"
    lines = textwrap.wrap(question, _NOTE)
    parts += _lines(lines, _MARGIN, top, class_="note")
    top += (len(lines) - 1) * _LINE
    for row, each in enumerate(likenesses):
        parts += _pair_of_bars(each, top + 24 + row * _ROW, bars)
    legend, foot = _legend(reworded, exchanged.text, top + 32 + len(likenesses) * _ROW)
    spoken = f"Trees of {sentence.text} and {exchanged.text}, and cosines of their vectors"
    return picture(_WIDTH, foot + _MARGIN, spoken, *parts, *legend, alone=True)


def _trees(drawings: Sequence[Drawing]) -> tuple[list[Markup], float]:
    """Both trees, side by side or one below the other, and where they end."""
    widest = max(each.width for each in drawings)
    scale = min(1.0, (_WIDTH / 2 - _MARGIN) / widest)
    beside = scale >= _SMALLEST
    if not beside:
        scale = min(1.0, (_WIDTH - 2 * _MARGIN) / widest)
    lowest = max(each.height for each in drawings)
    placed, top = [], 0.0
    for left, each in zip((_MARGIN, _WIDTH / 2 if beside else _MARGIN), drawings, strict=True):
        down = (lowest - each.height) * scale if beside else top
        move = f"translate({left:.1f} {down:.1f}) scale({scale:.3f})"
        placed.append(element("g", each.parts, transform=move))
        top += each.height * scale
    return placed, (lowest * scale if beside else top) + 2 * _MARGIN


def _legend(reworded: str, exchanged: str, top: float) -> tuple[list[Markup], float]:
    """What each colour stands for, side by side where both are short, and where its last line is."""
    shown = [
        (kind, f"\u2026 \u201c{text}\u201d") for kind, text in (("same", reworded), ("different", exchanged))
    ]
    beside = all(len(text) <= _HALF for _, text in shown)
    parts, y = [], top
    for at, (kind, text) in enumerate(shown):
        x = _WIDTH / 2 if at and beside else _MARGIN
        lines = textwrap.wrap(text, _WHOLE)
        parts.append(element("rect", class_=kind, x=x, y=y - 10, width=11, height=11, rx=2))
        parts += _lines(lines, x + 18, y)
        y += 0 if beside else len(lines) * _LINE + 4
    return parts, top if beside else y - _LINE - 4


def _lines(lines: Sequence[str], x: float, y: float, class_: str | None = None) -> list[Markup]:
    return [element("text", line, class_=class_, x=x, y=y + at * _LINE) for at, line in enumerate(lines)]


def _pair_of_bars(likeness: Likeness, top: float, x: Scale) -> list[Markup]:
    right = likeness.reworded > likeness.exchanged
    verdict = "\u2713 the rewording is nearer" if right else "\u2717 the exchange is nearer"
    parts = [
        element("text", likeness.name, class_="name", x=_MARGIN, y=top + 13),
        element("text", verdict, class_="note", x=_MARGIN, y=top + 31),
    ]
    for down, (kind, value) in enumerate((("same", likeness.reworded), ("different", likeness.exchanged))):
        y = top + down * (_BAR + 3)
        start, end = sorted((x(0.0), x(value)))
        parts.append(element("rect", class_=kind, x=start, y=y, width=end - start, height=_BAR, rx=2))
        parts.append(element("text", f"{value:.3f}", class_="value", x=end + 6, y=y + 12))
    return parts
