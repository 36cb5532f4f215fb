"""Examples of every transformation, drawn by a seeded hash, source and variant with their trees."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from pipeline.core import store
from pipeline.report.figures.dependency_tree import is_right_to_left, tree_picture

LONGEST = 14  # words: longer trees are hard to read


@dataclass(frozen=True)
class Example:
    """A sentence and the variant made from it, as text and drawn."""

    source: str
    variant: str
    direction: str  # rtl or ltr
    source_tree: Markup
    variant_tree: Markup


@dataclass(frozen=True)
class Transformation:
    """One transformation: how many variants it made, of how many sentences, and some of them."""

    name: str
    meaning: str
    variants: int
    sentences: int  # all parsed sentences
    examples: tuple[Example, ...]

    @property
    def share(self) -> float:
        """Variants per 100 sentences."""
        return 100 * self.variants / self.sentences if self.sentences else 0.0


def gallery(parsed: Path, augmented: Path, examples: int, seed: int) -> list[Transformation]:
    """Counts and examples of every transformation in the data, most frequent first."""
    variants = store.read(augmented)
    sentences = store.read(parsed)
    counts = Counter(zip(_strings(variants["transformation"]), _strings(variants["meaning"]), strict=True))
    chosen = _choose(variants, examples, seed)
    wanted = pa.array(sorted({row["source_id"] for rows in chosen.values() for row in rows}), pa.string())
    sources = {
        row["sent_id"]: row
        for row in sentences.filter(pc.is_in(sentences["sent_id"], value_set=wanted)).to_pylist()
    }
    return [
        Transformation(
            name,
            meaning,
            count,
            sentences.num_rows,
            tuple(
                _example(sources[row["source_id"]], row)
                for row in chosen.get((name, meaning), [])
                if row["source_id"] in sources
            ),
        )
        for (name, meaning), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def _strings(column: pa.ChunkedArray) -> list[str]:
    return [str(value) for value in column.to_pylist()]


def _choose(variants: pa.Table, examples: int, seed: int) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The short variants of each transformation with the smallest hashes, from different sentences."""
    short = variants.filter(pc.less_equal(pc.list_value_length(variants["words"]), LONGEST))
    order: dict[tuple[str, str], list[tuple[str, int]]] = {}
    keys = zip(*(_strings(short[name]) for name in ("transformation", "meaning", "source_id")), strict=True)
    for position, (transformation, meaning, source_id) in enumerate(keys):
        digest = hashlib.sha256(f"{seed} {transformation} {source_id}".encode()).hexdigest()
        order.setdefault((transformation, meaning), []).append((digest, position))
    return {
        key: [short.slice(position, 1).to_pylist()[0] for position in _first(hashed, examples)]
        for key, hashed in order.items()
    }


def _first(hashed: Sequence[tuple[str, int]], count: int) -> list[int]:
    """Positions of the ``count`` smallest digests; of the variants of one sentence the first is kept."""
    by_digest: dict[str, int] = {}
    for digest, position in sorted(hashed):
        by_digest.setdefault(digest, position)
    return [by_digest[digest] for digest in sorted(by_digest)[:count]]


def _example(source: dict[str, Any], variant: dict[str, Any]) -> Example:
    changed = changed_words(source["heads"], variant["heads"], variant["alignment"])
    return Example(
        source["text"],
        variant["text"],
        "rtl" if is_right_to_left(source["text"]) else "ltr",
        _tree(source, set()),
        _tree(variant, changed),
    )


def _tree(row: dict[str, Any], marked: set[int]) -> Markup:
    return tree_picture(row["words"], row["upos"], row["heads"], row["deprels"], marked)


def changed_words(source_heads: Sequence[int], heads: Sequence[int], alignment: Sequence[int]) -> set[int]:
    """Words (0-based) of the variant that were added or have another head than in the source."""
    changed = set()
    for word, (head, origin) in enumerate(zip(heads, alignment, strict=True)):
        head_origin = alignment[head - 1] if head else 0
        if origin == 0 or source_heads[origin - 1] != head_origin:
            changed.add(word)
    return changed
