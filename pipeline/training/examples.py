"""Training examples: read from memory-mapped Arrow files, one batch at a time.

Of all examples together, arrays of numbers alone are in memory: some 60 bytes an example.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.core import schemas, store
from pipeline.core.seeding import stable_hash
from pipeline.core.store import to_values
from pipeline.syntax.sentence import Side, normalised
from pipeline.systems.base import Batch

_AT_ONCE = 1024  # examples whose texts are Python objects at a time


class TextNumbers:
    """The numbers of each example's texts, int64, as one array for all; ``Texts`` of ``batches.py``."""

    def __init__(self, numbers: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
        """Example i has ``numbers[starts[i] : starts[i + 1]]``, so ``starts`` ends with the length."""
        self._numbers, self._starts = numbers, starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, example: int, /) -> frozenset[int]:
        return frozenset(self._numbers[self._starts[example] : self._starts[example + 1]].tolist())


class Examples:
    """The rows of one split of a folder of ``schemas.TRIPLET``; SynsemError where it holds none."""

    def __init__(self, folder: Path, split: str) -> None:
        store.require_rows(folder, schemas.TRIPLET)
        chunks = [chunk for path in store.shards(folder) for chunk in store.read_file(path).to_batches()]
        self._chunks = chunks
        self._ends = np.cumsum([chunk.num_rows for chunk in chunks])
        self._starts = self._ends - [chunk.num_rows for chunk in chunks]
        rows = [start + _rows_of(chunk, split) for start, chunk in zip(self._starts, chunks, strict=True)]
        self._rows = np.concatenate([np.zeros(0, dtype=np.int64), *rows])

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
            negatives = iter(_sides(lists.flatten()))
            columns = (
                _sides(found.column("anchor")),
                _sides(found.column("positive")),
                [list(islice(negatives, count)) for count in pc.list_value_length(lists).to_pylist()],
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

    def anchors(self) -> "Anchors":
        """The anchors in order."""
        return Anchors(self)

    def lengths(self) -> NDArray[np.int32]:
        """Words of each example's anchor and positive, int32 [n]."""
        total = np.zeros(len(self), dtype=np.int32)
        for chunk, mine, rows in self._by_chunk():
            for side in ("anchor", "positive"):
                words = pc.list_value_length(_field(chunk, side, "words"))
                total[mine] += words.to_numpy(zero_copy_only=False)[rows]
        return total

    def texts(self) -> TextNumbers:
        """A number for each of an example's texts; texts that differ in case or spacing alone have one.

        The number is a hash of 64 bits, so that no list of known texts is needed. Among ten million texts
        two different ones share a number in one of 370,000 corpora, which would only keep two examples out of
        one batch.
        """
        starts = np.zeros(len(self) + 1, dtype=np.int64)
        for chunk, mine, rows in self._by_chunk():
            counts = pc.list_value_length(chunk.column("negatives")).to_numpy(zero_copy_only=False)
            starts[mine.start + 1 : mine.stop + 1] = 2 + counts[rows]
        np.cumsum(starts, out=starts)
        numbers = np.empty(starts[-1], dtype=np.int64)
        for chunk, mine, rows in self._by_chunk():
            for first in range(0, len(rows), _AT_ONCE):
                some = pa.array(rows[first : first + _AT_ONCE])
                place = mine.start + first
                negatives = chunk.column("negatives").take(some)
                owners = pc.list_parent_indices(negatives).to_numpy(zero_copy_only=False)
                begin = starts[place : place + len(some)]
                numbers[begin] = _hashes(_field(chunk, "anchor", "text").take(some))
                numbers[begin + 1] = _hashes(_field(chunk, "positive", "text").take(some))
                if len(owners):
                    within = np.arange(len(owners)) - np.searchsorted(owners, owners)
                    numbers[begin[owners] + 2 + within] = _hashes(negatives.flatten().field("text"))
        return TextNumbers(numbers, starts)

    def _by_chunk(self) -> Iterator[tuple[Any, slice, NDArray[np.int64]]]:
        """Each file's rows, which examples are among them, and their row numbers in the file."""
        for start, chunk in zip(self._starts, self._chunks, strict=True):
            mine = slice(*np.searchsorted(self._rows, [start, start + chunk.num_rows]).tolist())
            yield chunk, mine, self._rows[mine] - start


class Anchors(Iterable[Side]):
    """The anchors of examples one by one, as often as they are iterated."""

    def __init__(self, examples: Examples) -> None:
        self._examples = examples

    def __iter__(self) -> Iterator[Side]:
        for chunk, _, rows in self._examples._by_chunk():
            for first in range(0, len(rows), _AT_ONCE):
                yield from _sides(chunk.column("anchor").take(pa.array(rows[first : first + _AT_ONCE])))


def _rows_of(chunk: Any, split: str) -> NDArray[np.int64]:
    """The rows of a split."""
    found = pc.equal(chunk.column("split").cast(pa.string()), split)
    return np.flatnonzero(found.to_numpy(zero_copy_only=False)).astype(np.int64)


def _hashes(texts: Any) -> NDArray[np.int64]:
    """A number of 64 bits for each text, equal for texts that are equal without case and spacing."""
    encoded = texts.dictionary_encode()
    hashes = [stable_hash(0, normalised(text)) for text in encoded.dictionary.to_pylist()]
    return np.array(hashes, dtype=np.uint64).view(np.int64)[encoded.indices.to_numpy()]


def _field(chunk: Any, side: str, name: str) -> Any:
    return chunk.column(side).field(name)


def _sides(column: Any) -> list[Side]:
    """The rows of an array of ``schemas.SIDE``."""
    fields = [to_values(column.field(name)) for name in Side._fields if name != "constituents"]
    given = column.type.get_field_index("constituents") >= 0
    constituents = column.field("constituents").to_pylist() if given else [None] * len(column)
    fields.append([each or "" for each in constituents])
    return [Side(*row) for row in zip(*fields, strict=True)]
