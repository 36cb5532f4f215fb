"""Batches of training examples: random ones of similar length, and never two equal texts in one.

The order is a pure function of the seed, so a run that continues finds its place by counting batches.
Examples are read from memory-mapped Arrow files; memory holds some 60 bytes of each.
"""

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.core.store import to_values
from pipeline.syntax.sentence import Side, normalised
from pipeline.systems.base import Batch

Item = TypeVar("Item")
Lengths = NDArray[np.integer[Any]]  # words of each example
Numbers = NDArray[np.int64]  # the examples of a batch
Texts: TypeAlias = "Sequence[frozenset[int]] | TextNumbers"  # the texts of each example as numbers

_WINDOW = 8  # batches within which examples are sorted by length: similar lengths, yet random negatives
_AT_ONCE = 1024  # examples whose texts are Python objects at a time


class Candidates:
    """Examples that may come next: those that waited, then those that no batch has seen yet."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self.waiting: deque[int] = deque()
        self._unseen = iter(numbers)

    def take(self) -> int | None:
        """Return the next example; None at the end."""
        return self.waiting.popleft() if self.waiting else next(self._unseen, None)


def fill(candidates: Candidates, texts: Texts, size: int) -> list[int]:
    """Take up to ``size`` examples without a text in common from the front of ``candidates``, in order.

    A text that is in a batch twice would be its own negative. So an example that shares one with those chosen
    stays for the next batch.
    """
    chosen, passed = list[int](), list[int]()
    held: set[int] = set()
    while len(chosen) < size and (number := candidates.take()) is not None:
        own = texts[number]
        if held.isdisjoint(own):
            chosen.append(number)
            held |= own
        else:
            passed.append(number)
    candidates.waiting.extendleft(reversed(passed))
    return chosen


def _fill_together(candidates: Candidates, texts: Texts, size: int) -> tuple[list[int], list[int]]:
    """``fill``, and the examples set aside before: each shares a text with all that were left."""
    alone: list[int] = []
    while len(chosen := fill(candidates, texts, size)) == 1 and candidates.waiting:
        alone += chosen
    return chosen, alone


def epoch(
    texts: Texts, lengths: Lengths, size: int, rng: np.random.Generator, left: Sequence[int] = ()
) -> tuple[list[Numbers], list[int]]:
    """Put all examples, and what the epoch before has ``left``, into random batches of ``size``.

    A smaller batch is made only for an example that would otherwise be left a second time. Returns the
    batches, and the examples that none of them took.
    """
    order = np.concatenate([np.array(left, dtype=np.int64), rng.permutation(len(texts))])
    candidates, batches = Candidates(_shuffled(lengths, size, order)), list[Numbers]()
    waiting, alone = set(left), list[int]()
    while True:
        chosen, aside = _fill_together(candidates, texts, size)
        alone += aside
        if len(chosen) < size and (len(chosen) < 2 or waiting.isdisjoint(chosen)):
            break
        batches.append(np.array(chosen))
        waiting.difference_update(chosen)
    rest = dict.fromkeys([*alone, *chosen, *candidates.waiting])
    return [batches[number] for number in rng.permutation(len(batches))], list(rest)


def _shuffled(lengths: Lengths, size: int, order: Numbers) -> Iterator[int]:
    """The examples in order, sorted by length within each window.

    A window is at most a quarter of the examples: if it were all of them, the same ones would always meet,
    and the longest would always be left.
    """
    together = min(size * _WINDOW, max(size, len(order) // 4))
    for start in range(0, len(order), together):
        window = order[start : start + together]
        yield from window[np.argsort(lengths[window], kind="stable")].tolist()


def stream(texts: Texts, lengths: Lengths, size: int, seed: int) -> Iterator[Numbers]:
    """Return batches without end, epoch after epoch; smaller ones if the examples do not fill a batch.

    Raises SynsemError, before the first batch is asked for, without two examples of different texts.
    """
    first, _ = _fill_together(Candidates(range(len(texts))), texts, size)
    if len(first) < 2:
        raise SynsemError("train: fewer than two training examples with different texts; mine more of them")
    return _epochs(texts, lengths, len(first), seed)


def _epochs(texts: Texts, lengths: Lengths, size: int, seed: int) -> Iterator[Numbers]:
    number, left = 0, list[int]()
    while True:
        batches, left = epoch(texts, lengths, size, np.random.default_rng((seed, number)), left)
        yield from batches
        number += 1


def in_order(texts: Texts, size: int, most: int) -> list[Numbers]:
    """Return batches in the order of the data, for validation: always the same ones.

    At most ``most`` examples are taken, evenly spaced, because files hold one source after another. An
    example left alone joins an earlier batch that shares no text with it, or is left out.
    """
    number = min(len(texts), most)
    candidates, batches = Candidates((np.arange(number) * len(texts) // max(1, number)).tolist()), []
    while chosen := fill(candidates, texts, size):
        if len(chosen) > 1:
            batches.append(chosen)
        elif fits := [each for each in batches if all(texts[x].isdisjoint(texts[chosen[0]]) for x in each)]:
            fits[-1].append(chosen[0])
    return list(map(np.array, batches))


def slice_batch(batch: Batch, start: int, stop: int) -> Batch:
    """Return the examples ``start`` to ``stop`` with their hard negatives; all slices are the batch."""
    kept = [k for k, owner in enumerate(batch.owners) if start <= owner < stop]
    return replace(
        batch,
        anchors=batch.anchors[start:stop],
        positives=batch.positives[start:stop],
        negatives=[batch.negatives[k] for k in kept],
        owners=[batch.owners[k] - start for k in kept],
        kinds=batch.kinds[start:stop],
        parts=(),
        reading=None,
    )


def chunks(batch: Batch, size: int) -> list[Batch]:
    """Cut a batch into slices of ``size`` examples, the last one perhaps smaller; at least one slice."""
    return [slice_batch(batch, start, start + size) for start in range(0, max(1, len(batch.anchors)), size)]


def read_ahead(items: Iterator[Item]) -> Generator[Item, None, None]:
    """Yield the same items, each made by a thread while the one before is used; none may be None."""
    with ThreadPoolExecutor(1, "read-ahead") as worker:
        coming = worker.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = worker.submit(next, items, None)
            yield item


class TextNumbers:
    """The texts of each example as numbers, by the example's own number; int64, one array for all."""

    def __init__(self, numbers: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
        """Example i has ``numbers[starts[i] : starts[i + 1]]``, so ``starts`` ends with the length."""
        self._numbers, self._starts = numbers, starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, example: int, /) -> frozenset[int]:
        return frozenset(self._numbers[self._starts[example] : self._starts[example + 1]].tolist())


class Examples:
    """The rows of one split of a folder of ``schemas.TRIPLET``; SynsemError if the folder holds none."""

    def __init__(self, folder: Path, split: str) -> None:
        store.require_rows(folder, schemas.TRIPLET)
        self._chunks = [part for path in store.shards(folder) for part in store.read_file(path).to_batches()]
        sizes = [chunk.num_rows for chunk in self._chunks]
        self._ends = np.cumsum(sizes)
        self._starts = self._ends - sizes
        rows = [np.zeros(0, dtype=np.int64)]
        for start, chunk in zip(self._starts, self._chunks, strict=True):
            found = pc.equal(chunk.column("split").cast(pa.string()), split)
            rows.append(start + np.flatnonzero(found.to_numpy(zero_copy_only=False)))
        self._rows = np.concatenate(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def batch(self, numbers: Sequence[int] | Numbers) -> Batch:
        """Read the examples of the given numbers."""
        rows = self._rows[np.asarray(numbers, dtype=np.int64)]
        of_chunk = np.searchsorted(self._ends, rows, side="right")
        read: dict[int, tuple[Side, Side, list[Side], str]] = {}
        for number in np.unique(of_chunk).tolist():
            places = np.flatnonzero(of_chunk == number)
            found = self._chunks[number].take(pa.array(rows[places] - self._starts[number]))
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
        """Return the anchors in order, to be iterated any number of times."""
        return Anchors(self)

    def lengths(self) -> NDArray[np.int32]:
        """Count the words of each example's anchor and positive, int32 [n]."""
        total = np.zeros(len(self), dtype=np.int32)
        for chunk, mine, rows in self._by_chunk():
            for side in ("anchor", "positive"):
                words = pc.list_value_length(chunk.column(side).field("words"))
                total[mine] += words.to_numpy(zero_copy_only=False)[rows]
        return total

    def texts(self) -> TextNumbers:
        """Number each example's texts; texts that differ only in case or spacing have the same number.

        The number is a hash of 64 bits, so that no list of known texts is needed. Two different texts with
        one number, which ten million texts have in one of 370,000 corpora, only keep two examples apart.
        """
        counts = np.full(len(self), 2, dtype=np.int64)
        for chunk, mine, rows in self._by_chunk():
            negatives = pc.list_value_length(chunk.column("negatives")).to_numpy(zero_copy_only=False)
            counts[mine] += negatives[rows]
        starts = np.concatenate([[0], np.cumsum(counts)])
        numbers = np.empty(starts[-1], dtype=np.int64)
        for chunk, mine, rows in self._by_chunk():
            for first in range(0, len(rows), _AT_ONCE):
                some = pa.array(rows[first : first + _AT_ONCE])
                negatives = chunk.column("negatives").take(some)
                owners = pc.list_parent_indices(negatives).to_numpy(zero_copy_only=False)
                begin = starts[mine.start + first : mine.start + first + len(some)]
                numbers[begin] = _hashes(chunk.column("anchor").field("text").take(some))
                numbers[begin + 1] = _hashes(chunk.column("positive").field("text").take(some))
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
    """The anchors of examples, read as they are iterated."""

    def __init__(self, examples: Examples) -> None:
        self._examples = examples

    def __iter__(self) -> Iterator[Side]:
        for chunk, _, rows in self._examples._by_chunk():
            for first in range(0, len(rows), _AT_ONCE):
                yield from _sides(chunk.column("anchor").take(pa.array(rows[first : first + _AT_ONCE])))


def _hashes(texts: Any) -> NDArray[np.int64]:
    """A number of 64 bits for each text, equal for texts that are equal without case and spacing."""
    encoded = texts.dictionary_encode()
    hashes = [stable_hash(0, normalised(text)) for text in encoded.dictionary.to_pylist()]
    return np.array(hashes, dtype=np.uint64).view(np.int64)[encoded.indices.to_numpy()]


def _sides(column: Any) -> list[Side]:
    """The rows of an array of ``schemas.SIDE``."""
    fields = [to_values(column.field(name)) for name in Side._fields]
    return [Side(*row)._replace(constituents=row[-1] or "") for row in zip(*fields, strict=True)]
