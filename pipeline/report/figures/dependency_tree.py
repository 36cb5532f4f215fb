"""A dependency tree as arcs over its words, in SVG."""

import unicodedata
from collections.abc import Collection, Sequence
from typing import NamedTuple

from markupsafe import Markup

from pipeline.report.figures.svg import element, number, picture

_LEVEL, _TOP, _BELOW = 21.0, 12.0, 44.0  # pixels: height of one arc level, room above, room for word and tag
_RIGHT_TO_LEFT = frozenset({"R", "AL"})


def is_right_to_left(text: str) -> bool:
    """Whether most directed characters of the text are written from right to left (Hebrew, Arabic)."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    right = sum(kind in _RIGHT_TO_LEFT for kind in kinds)
    return right > sum(kind == "L" for kind in kinds)


def word_width(text: str, em: float = 7.4) -> float:
    """Rough width in pixels: wide East Asian characters count twice, combining marks nothing."""
    units = sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
    return units * em


def arc_levels(heads: Sequence[int]) -> list[int]:
    """Height of each word's arc to its head: one more than the highest arc that it spans; 0 for the root."""
    spans = sorted(
        (abs(head - 1 - word), min(head - 1, word), max(head - 1, word), word)
        for word, head in enumerate(heads)
        if head
    )
    levels = [0] * len(heads)
    placed: list[tuple[int, int, int]] = []
    for _, left, right, word in spans:  # short arcs first: what an arc spans is placed before it
        inside = [level for start, stop, level in placed if left <= start and stop <= right]
        levels[word] = 1 + max(inside, default=0)
        placed.append((left, right, levels[word]))
    return levels


class Drawing(NamedTuple):
    """What a picture, or a part of one, is made of; sizes in pixels."""

    width: float
    height: float
    parts: Markup


def tree_picture(
    words: Sequence[str],
    upos: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    marked: Collection[int] = (),
) -> Markup:
    """A tree of at least one word, as ``tree_drawing`` draws it."""
    drawn = tree_drawing(words, upos, heads, deprels, marked)
    spoken = f"Dependency tree of: {' '.join(words)}"
    # At its natural size: a long sentence scrolls rather than shrinks.
    return picture(drawn.width, drawn.height, spoken, drawn.parts, class_="tree", natural=True)


def tree_drawing(
    words: Sequence[str],
    upos: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    marked: Collection[int] = (),
) -> Drawing:
    """Draw a tree of at least one word; ``marked`` words (0-based) and their arcs are set off.

    Right-to-left text runs leftwards.
    """
    widths = [
        max(word_width(word), word_width(tag, 6.2), word_width(label, 5.4)) + 18
        for word, tag, label in zip(words, upos, deprels, strict=True)
    ]
    total = sum(widths) + 8
    centres, offset = [], 4.0
    for width in widths:
        centres.append(offset + width / 2)
        offset += width
    right_to_left = is_right_to_left("".join(words))
    if right_to_left:
        centres = [total - centre for centre in centres]
    levels = arc_levels(heads)
    base = _TOP + (max(levels) + 1) * _LEVEL
    # All plain arcs are one path, and so are the marked ones: a page has some hundred trees.
    paths: dict[str, list[tuple[str, str]]] = {"arc": [], "arc marked": []}
    labels = []
    for word, head in enumerate(heads):
        # The root's arrow comes from above all arcs; the others are as high as their level.
        height = (levels[word] or max(levels) + 1) * _LEVEL
        edge, tip, label = _arc(word, head, base - height, centres, base, deprels[word])
        paths["arc marked" if word in marked else "arc"].append((edge, tip))
        labels.append(element("g", label, class_="arc marked") if word in marked else label)
    arcs = [
        element(
            "g",
            element("path", class_="edge", d="".join(edge for edge, _ in found)),
            element("path", class_="tip", d="".join(tip for _, tip in found)),
            class_=kind,
        )
        for kind, found in paths.items()
        if found
    ]
    below = []
    for word, centre in enumerate(centres):
        kind = "word marked" if word in marked else "word"
        below.append(element("text", words[word], class_=kind, x=centre, y=base + 20))
        below.append(element("text", upos[word], class_="tag", x=centre, y=base + 36))
    texts = element("g", *labels, *below, text_anchor="middle")
    return Drawing(total, base + _BELOW, Markup("").join([*arcs, texts]))


def _arc(
    word: int, head: int, top: float, centres: Sequence[float], base: float, deprel: str
) -> tuple[str, str, Markup]:
    """The paths of the line and of its arrowhead at the dependent, and the label that lies over all lines."""
    foot = centres[word]
    if head == 0:
        line = f"M{number(foot)} {number(top)}V{number(base - 2)}"
        middle = foot
    else:
        # Leave the head a little towards the dependent, so that arcs of one head do not share a line.
        from_x = centres[head - 1] + (7 if foot > centres[head - 1] else -7)
        bend = min(12.0, abs(foot - from_x) / 2) * (1 if foot > from_x else -1)
        line = (
            f"M{number(from_x)} {number(base)}V{number(top + 10)}"
            f"Q{number(from_x)} {number(top)} {number(from_x + bend)} {number(top)}"
            f"H{number(foot - bend)}Q{number(foot)} {number(top)} {number(foot)} {number(top + 10)}"
            f"V{number(base - 2)}"
        )
        middle = (from_x + foot) / 2
    tip = f"M{number(foot - 3.5)} {number(base - 7)}h7l-3.5 7Z"
    return line, tip, element("text", deprel, class_="deprel", x=middle, y=top + 3.5)
