"""Some variants of every transformation, drawn by a seeded hash, with the trees of sentence and variant."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from pipeline.core import store
from pipeline.report.figures import element, number, picture
from pipeline.report.results import SEED

EXAMPLES = 3  # of each transformation
LONGEST = 14  # words: longer trees are hard to read
_LEVEL, _TOP, _BELOW = 21.0, 12.0, 44.0  # pixels: height of one arc level, room above, room for word and tag


Row = Mapping[str, Any]


@dataclass(frozen=True)
class Transformation:
    """One transformation: how many variants it made, and some of them with their sentences."""

    name: str
    meaning: str
    variants: int
    share: float  # variants per 100 sentences
    examples: Sequence[tuple[Row, Row]]  # sentence and variant
    trees: Sequence[Markup]  # of the first example


def gallery(parsed: Path, augmented: Path) -> list[Transformation]:
    """Return counts and examples of every transformation, the most frequent first."""
    variants, sentences = store.read(augmented), store.read(parsed)
    kinds = zip(variants["transformation"].to_pylist(), variants["meaning"].to_pylist(), strict=True)
    chosen = _choose(variants)
    wanted = pa.array({row["source_id"] for rows in chosen.values() for row in rows}, pa.string())
    known = sentences.filter(pc.is_in(sentences["sent_id"], value_set=wanted)).to_pylist()
    sources = {row["sent_id"]: row for row in known}
    found = []
    for (name, meaning), count in sorted(Counter(kinds).items(), key=lambda item: (-item[1], item[0])):
        examples = [(sources[row["source_id"]], row) for row in chosen.get(name, ())]
        trees = [
            picture
            for sentence, variant in examples[:1]
            for picture in (tree_picture(sentence), tree_picture(variant, changed_words(sentence, variant)))
        ]
        share = 100 * count / max(1, sentences.num_rows)
        found.append(Transformation(name, meaning, count, share, examples, trees))
    return found


def _choose(variants: pa.Table) -> dict[str, list[Row]]:
    """The short variants of each transformation with the smallest hashes, from different sentences."""
    short = variants.filter(pc.less_equal(pc.list_value_length(variants["words"]), LONGEST))
    hashed: dict[str, dict[str, int]] = {}
    names = zip(short["transformation"].to_pylist(), short["source_id"].to_pylist(), strict=True)
    for place, (name, source) in enumerate(names):
        digest = hashlib.sha256(f"{SEED} {name} {source}".encode()).hexdigest()
        hashed.setdefault(name, {}).setdefault(digest, place)  # of a sentence's variants the first
    return {
        name: [short.slice(places[digest], 1).to_pylist()[0] for digest in sorted(places)[:EXAMPLES]]
        for name, places in hashed.items()
    }


def changed_words(source: Mapping[str, Any], variant: Mapping[str, Any]) -> set[int]:
    """Return the words (0-based) of a variant that were added or have another head than in the source."""
    alignment = variant["alignment"]
    return {
        word
        for word, (head, origin) in enumerate(zip(variant["heads"], alignment, strict=True))
        if origin == 0 or source["heads"][origin - 1] != (alignment[head - 1] if head else 0)
    }


def tree_picture(row: Mapping[str, Any], marked: Collection[int] = ()) -> Markup:
    """Draw a tree as arcs over its words; ``marked`` words (0-based) and their arcs are set off."""
    words, heads = row["words"], row["heads"]
    widths = [
        max(_width(word), _width(tag, 6.2), _width(label, 5.4)) + 18
        for word, tag, label in zip(words, row["upos"], row["deprels"], strict=True)
    ]
    total, centres, offset = sum(widths) + 8, [], 4.0
    for width in widths:
        centres.append(offset + width / 2)
        offset += width
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
    return picture(total, base + _BELOW, spoken, *arcs, labels, class_="tree")


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
