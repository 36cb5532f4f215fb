"""A sentence, a rewording and an exchange of its words: two trees, and how alike some vectors find them.

An SVG file of its own, so it carries its colours, for light and for dark pages.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from pipeline.report.figures.dependency_tree import Drawing, tree_drawing
from pipeline.report.figures.svg import Scale, element, picture
from pipeline.syntax.sentence import HasTree

_WIDTH, _MARGIN, _BAR, _ROW, _NAMES = 780.0, 16.0, 15.0, 56.0, 232.0  # pixels
_STYLE = """
text { font-family: system-ui, sans-serif; font-size: 14px; fill: #1f2328; }
.word { font-size: 15px; } .tag, .deprel { font-size: 11px; fill: #59636e; }
.note { font-size: 13px; fill: #59636e; }
.deprel { stroke: #ffffff; stroke-width: 5px; paint-order: stroke; }
.edge { fill: none; stroke: #818b98; stroke-width: 1.3; } .tip { fill: #818b98; }
.same { fill: #1a7f37; } .different { fill: #bc4c00; } .name { font-weight: 600; } .value { font-size: 12px; }
@media (prefers-color-scheme: dark) {
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
    """Trees of the sentence and of the exchange, side by side, and a pair of bars for each kind of vector."""
    drawings = [
        tree_drawing(each.words, each.upos, each.heads, each.deprels) for each in (sentence, exchanged)
    ]
    half = _WIDTH / 2 - _MARGIN
    scale = min(1.0, half / max(each.width for each in drawings))
    top = max(each.height for each in drawings) * scale + 2 * _MARGIN
    parts = [element("style", Markup(_STYLE)), *_side_by_side(drawings, scale)]
    low = min(0.0, *(value for each in likenesses for value in each[1:]))
    bars = Scale(low, 1.0, _MARGIN + _NAMES, _WIDTH - _MARGIN - 92)
    parts.append(
        element("text", f"How alike a vector finds \u201c{sentence.text}\u201d and \u2026", class_="note",
                x=_MARGIN, y=top)
    )  # fmt: skip
    for row, each in enumerate(likenesses):
        parts += _pair_of_bars(each, top + 24 + row * _ROW, bars)
    foot = top + 32 + len(likenesses) * _ROW
    for x, kind, text in ((_MARGIN, "same", reworded), (_WIDTH / 2, "different", exchanged.text)):
        parts.append(element("rect", class_=kind, x=x, y=foot - 10, width=11, height=11, rx=2))
        parts.append(element("text", f"\u2026 \u201c{text}\u201d", x=x + 18, y=foot))
    spoken = f"Trees of {sentence.text} and {exchanged.text}, and cosines of their vectors"
    return picture(_WIDTH, foot + _MARGIN, spoken, *parts, alone=True)


def _side_by_side(drawings: Sequence[Drawing], scale: float) -> list[Markup]:
    placed = []
    lowest = max(each.height for each in drawings)
    for left, each in zip((_MARGIN, _WIDTH / 2), drawings, strict=True):
        down = (lowest - each.height) * scale
        move = f"translate({left:.1f} {down:.1f}) scale({scale:.3f})"
        placed.append(element("g", each.parts, transform=move))
    return placed


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
