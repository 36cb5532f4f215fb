"""Which documents stay: exact copies, near copies and those not drawn are told from a few numbers of each.

The numbers lie on disk and are mapped, so the kernel may drop them; DuckDB finds what is equal. Private
memory holds a few bytes a document.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.core import seeding
from pipeline.corpora.cleaning.duplicates import later_copies, near_duplicates
from pipeline.corpora.documents import Document

REASONS = ("kept", "duplicate", "near_duplicate", "not_drawn")
KEPT, DUPLICATE, NEAR, NOT_DRAWN = range(len(REASONS))
# Of each document, in order: hashes of its text, of its unit, of seed and unit; the number of its source; and
# whether it is a gold tree.
FACTS = np.dtype([("text", "<u8"), ("unit", "<u8"), ("rank", "<u8"), ("source", "<u2"), ("gold", "?")])
Facts = NDArray[np.void]  # rows of FACTS
_BLOCK = 2**17  # documents looked at at once


def packed(document: Document, source: int, seed: int) -> bytes:
    """The facts of a document of the source with that number, as they lie on disk."""
    facts = (
        seeding.stable_hash(0, "text", document.text),
        seeding.stable_hash(0, "unit", document.unit),
        seeding.stable_hash(seed, "draw", document.unit),
        source,
        document.gold,
    )
    return np.array(facts, dtype=FACTS).tobytes()


def read_facts(path: Path) -> Facts:
    """The facts of all documents, FACTS [n], memory-mapped."""
    if not path.stat().st_size:
        return np.empty(0, dtype=FACTS)
    return np.memmap(path, dtype=FACTS, mode="r")


def decide(
    facts: Facts, signatures: Path, documents: int | None, threshold: float | None
) -> NDArray[np.uint8]:
    """The decision on each document: a position in ``REASONS``, uint8 [n].

    ``documents`` is the number to keep of each source, None all; ``threshold`` the Jaccard similarity of near
    copies, None: exact copies only. Gold trees are near copies of nothing. Temporary files lie beside
    ``signatures`` (``near_duplicates``).
    """
    decision = np.full(len(facts), KEPT, dtype=np.uint8)
    texts = ((np.arange(start, start + len(part)), part["text"]) for start, part in _blocks(facts))
    for rows, _, _ in later_copies([texts], signatures.parent):
        decision[rows] = DUPLICATE
    if threshold is not None:
        near = near_duplicates(signatures, (decision == KEPT) & ~facts["gold"], facts["unit"], threshold)
        decision[near] = NEAR
    if documents is not None:
        _draw(decision, facts, documents, signatures.with_name("ranks.bin"))
    return decision


def count(decision: NDArray[np.uint8], facts: Facts, sources: int) -> NDArray[np.int64]:
    """How many documents of each source have each decision, int64 [sources, len(REASONS)]."""
    cells = sources * len(REASONS)
    total = np.zeros(cells, dtype=np.int64)
    for start, part in _blocks(facts):
        own = part["source"].astype(np.int64) * len(REASONS) + decision[start : start + len(part)]
        total += np.bincount(own, minlength=cells)
    return total.reshape(sources, len(REASONS))


def _blocks(facts: Facts) -> Iterator[tuple[int, Facts]]:
    for start in range(0, len(facts), _BLOCK):
        yield start, facts[start : start + _BLOCK]


def _draw(decision: NDArray[np.uint8], facts: Facts, documents: int, ranks: Path) -> None:
    """Keep of each source the ``documents`` of lowest rank, and the translations of the last of them."""
    sources = int(facts["source"].max(initial=0)) + 1
    for number, kept in enumerate(count(decision, facts, sources)[:, KEPT]):
        if kept <= documents:
            continue
        # Partitioned in its file, in place: no copy in memory.
        own = np.memmap(ranks, dtype=np.uint64, mode="w+", shape=(int(kept),))
        end = 0
        for start, part in _blocks(facts):
            chosen = part["rank"][_own(part, decision, start, number)]
            own[end : end + len(chosen)] = chosen
            end += len(chosen)
        own.partition(documents - 1)
        highest = own[documents - 1]
        for start, part in _blocks(facts):
            here = decision[start : start + len(part)]
            here[_own(part, decision, start, number) & (part["rank"] > highest)] = NOT_DRAWN


def _own(part: Facts, decision: NDArray[np.uint8], start: int, number: int) -> NDArray[np.bool_]:
    return (part["source"] == number) & (decision[start : start + len(part)] == KEPT)
