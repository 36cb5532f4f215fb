"""Training examples: read from memory-mapped Arrow files, one batch at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.core import store
from pipeline.core.columns import cut, to_values
from pipeline.syntax.sentence import Side, normalised
from pipeline.systems.base import Batch


class Examples:
    """The rows of one split of a folder of ``store.TRIPLET``."""

    def __init__(self, folder: Path, split: str) -> None:
        chunks = [chunk for path in store.shards(folder) for chunk in store.read_file(path).to_batches()]
        self._chunks = chunks
        self._ends = np.cumsum([chunk.num_rows for chunk in chunks])
        splits = [value for chunk in chunks for value in chunk.column("split").cast(pa.string()).to_pylist()]
        self._rows = np.flatnonzero(np.asarray(splits, dtype=object) == split)
        self._starts = self._ends - [chunk.num_rows for chunk in chunks]

    def __len__(self) -> int:
        return len(self._rows)

    def batch(self, numbers: Sequence[int] | NDArray[np.int64]) -> Batch:
        """The examples of the given numbers."""
        rows = self._rows[np.asarray(numbers, dtype=np.int64)]
        chunks = np.searchsorted(self._ends, rows, side="right")
        read: dict[int, tuple[Side, Side, list[Side], str]] = {}
        for chunk in np.unique(chunks).tolist():
            places = np.flatnonzero(chunks == chunk)
            found = self._chunks[chunk].take(pa.array(rows[places] - self._starts[chunk]))
            lists = found.column("negatives")
            columns = (
                _sides(found.column("anchor")),
                _sides(found.column("positive")),
                cut(_sides(lists.flatten()), lists),
                found.column("positive_kind").cast(pa.string()).to_pylist(),
            )
            read |= zip(places.tolist(), zip(*columns, strict=True), strict=True)
        examples = [read[place] for place in range(len(rows))]
        return Batch(
            anchors=[anchor for anchor, *_ in examples],
            positives=[positive for _, positive, *_ in examples],
            negatives=[side for *_, negatives, _ in examples for side in negatives],
            owners=[number for number, (*_, negatives, _) in enumerate(examples) for _ in negatives],
            kinds=[kind for *_, kind in examples],
        )

    def anchors(self) -> Iterator[Side]:
        """The anchors one by one, in order."""
        for start, chunk in zip(self._starts, self._chunks, strict=True):
            mine = self._rows[(self._rows >= start) & (self._rows < start + chunk.num_rows)] - start
            for first in range(0, len(mine), 1024):
                rows = chunk.column("anchor").take(pa.array(mine[first : first + 1024]))
                yield from _sides(rows)

    def lengths(self) -> NDArray[np.int64]:
        """Words of each example's anchor and positive, int64 [n]."""
        total = np.zeros(self._ends[-1], dtype=np.int64)
        for side in ("anchor", "positive"):
            words = [pc.list_value_length(_field(chunk, side, "words")) for chunk in self._chunks]
            total += np.concatenate([column.to_numpy(zero_copy_only=False) for column in words])
        return total[self._rows]

    def texts(self) -> list[frozenset[int]]:
        """Numbers of each example's texts; texts that differ in case or spacing alone have one number."""
        pairs = [[_field(chunk, side, "text") for chunk in self._chunks] for side in ("anchor", "positive")]
        lists = [chunk.column("negatives") for chunk in self._chunks]
        negatives = [column.flatten().field("text") for column in lists]
        numbers = pc.dictionary_encode(pa.chunked_array([*pairs[0], *pairs[1], *negatives]))
        chunks = numbers.unify_dictionaries().chunks
        known: dict[str, int] = {}
        equal = [known.setdefault(normalised(text), len(known)) for text in chunks[0].dictionary.to_pylist()]
        flat = np.array(equal, dtype=np.int64)[np.concatenate([chunk.indices.to_numpy() for chunk in chunks])]
        n = int(self._ends[-1])
        counts = np.concatenate(
            [pc.list_value_length(column).to_numpy(zero_copy_only=False) for column in lists]
        )
        ends = 2 * n + np.cumsum(counts.astype(np.int64))
        return [
            frozenset((flat[row], flat[n + row], *flat[ends[row] - counts[row] : ends[row]]))
            for row in self._rows
        ]


def _field(chunk: Any, side: str, name: str) -> Any:
    return chunk.column(side).field(name)


def _sides(column: Any) -> list[Side]:
    """The rows of an array of ``store.SIDE``."""
    fields = [to_values(column.field(name)) for name in Side._fields if name != "constituents"]
    given = column.type.get_field_index("constituents") >= 0
    constituents = column.field("constituents").to_pylist() if given else [None] * len(column)
    fields.append([each or "" for each in constituents])
    return [Side(*row) for row in zip(*fields, strict=True)]
