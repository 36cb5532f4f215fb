"""Ceilings: for the number of training examples, and for the share of some kinds of positives."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.mining.inputs import TRAINING_SPLITS, Row
from pipeline.mining.spool import replay, spooled
from pipeline.seeding import rank


def with_cap(examples: Iterable[Row], cap: int, seed: int, dropped: Counter[str]) -> Iterator[Row]:
    """Keep ``cap`` training examples, drawn by content, and all others; what goes is counted."""
    with spooled(examples) as table:
        keep = np.ones(len(table), dtype=bool)
        surplus = _surplus(table, np.flatnonzero(_column(table, "split") == "train"), cap, seed)
        keep[surplus] = False
        dropped["beyond mine.examples"] += len(surplus)
        yield from _kept(table, keep)


def with_share(
    examples: Iterable[Row], kinds: Collection[str], share: float, seed: int, dropped: Counter[str]
) -> Iterator[Row]:
    """Leave out so many examples of these positive kinds that they are at most ``share`` of each split.

    Which ones is drawn by content; how many of each kind is counted in ``dropped``.
    """
    with spooled(examples) as table:
        split, kind = _column(table, "split"), _column(table, "positive_kind")
        capped = np.isin(kind, list(kinds))
        keep = np.ones(len(table), dtype=bool)
        for name in TRAINING_SPLITS:
            others = int((~capped & (split == name)).sum())
            room = int(share / (1 - share) * others + 1e-9)
            surplus = _surplus(table, np.flatnonzero(capped & (split == name)), room, seed)
            keep[surplus] = False
            dropped.update(f"{each}: beyond its share of the examples" for each in kind[surplus])
        yield from _kept(table, keep)


def _column(table: pa.Table, name: str) -> NDArray[np.object_]:
    return np.asarray(table[name].to_pylist(), dtype=object)


def _surplus(table: pa.Table, rows: NDArray[np.int64], room: int, seed: int) -> NDArray[np.int64]:
    """Which of the rows have to go so that ``room`` are left: those of highest rank."""
    source = table["source_id"].take(rows).to_pylist()
    text = pc.struct_field(table["positive"], "text").take(rows).to_pylist()
    lots = [rank(seed, "cap", *keys) for keys in zip(source, text, strict=True)]
    return rows[np.argsort(np.array(lots, dtype=np.uint64), kind="stable")[room:]]


def _kept(table: pa.Table, keep: NDArray[np.bool_]) -> Iterator[Row]:
    for row, kept in zip(replay(table), keep, strict=True):
        if kept:
            yield row
