"""Batches of training examples: random ones of similar length, and never two paraphrases in one.

The order is a pure function of the seed, so a run that continues finds its place by counting batches.
Examples are read from memory-mapped Arrow files; memory holds some 100 bytes of each.
"""

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.syntax.sentence import Sentence, normalised
from pipeline.systems.base import Batch

Item = TypeVar("Item")
Lengths = NDArray[np.integer[Any]]  # words of each example
Numbers = NDArray[np.int64]  # the examples of a batch
Texts = Sequence[Iterable[int]] | NDArray[np.int64]  # the texts of each example as numbers, [n, any]

_WINDOW = 8  # batches within which examples are sorted by length: similar lengths, yet random negatives
_AT_ONCE = 1024  # examples that are Python objects at a time
_TIED = 64  # the largest group of linked examples that is taken for one meaning
_COLUMNS = ["anchor", "positive", "positive_kind", "negatives"]


def fill(waiting: deque[int], texts: Texts, size: int) -> list[int]:
    """Take up to ``size`` examples without a text in common from the front of ``waiting``, in order.

    A text that is in a batch twice would be its own negative. So an example that shares one with those chosen
    stays for the next batch.
    """
    chosen, passed, held = list[int](), list[int](), set[int]()
    while waiting and len(chosen) < size:
        number = waiting.popleft()
        if held.isdisjoint(texts[number]):
            chosen.append(number)
            held.update(texts[number])
        else:
            passed.append(number)
    waiting.extendleft(reversed(passed))
    return chosen


def _fill_together(waiting: deque[int], texts: Texts, size: int) -> tuple[list[int], list[int]]:
    """Do as ``fill``, but first set aside examples that share a text with all that are left; return both."""
    alone: list[int] = []
    while len(chosen := fill(waiting, texts, size)) == 1 and waiting:
        alone += chosen
    return chosen, alone


def epoch(
    texts: Texts, lengths: Lengths, size: int, rng: np.random.Generator, left: Sequence[int] = ()
) -> tuple[list[Numbers], list[int]]:
    """Put all examples, and what the epoch before has ``left``, into random batches of ``size``.

    Within a window examples are sorted by length. It is at most a quarter of the examples: if it were all of
    them, the same ones would always meet, and the longest would always be left. A smaller batch is made only
    for an example that would otherwise be left a second time. Returns the batches, and the examples that none
    of them took.
    """
    order = np.concatenate([np.array(left, dtype=np.int64), rng.permutation(len(texts))])
    together = min(size * _WINDOW, max(size, len(order) // 4))
    waiting = deque[int]()
    for start in range(0, len(order), together):
        window = order[start : start + together]
        waiting.extend(window[np.argsort(lengths[window], kind="stable")].tolist())
    batches, overdue, alone = list[Numbers](), set(left), list[int]()
    while True:
        chosen, aside = _fill_together(waiting, texts, size)
        alone += aside
        if len(chosen) < size and (len(chosen) < 2 or overdue.isdisjoint(chosen)):
            break
        batches.append(np.array(chosen))
        overdue.difference_update(chosen)
    rest = dict.fromkeys([*alone, *chosen, *waiting])
    return [batches[number] for number in rng.permutation(len(batches))], list(rest)


def stream(texts: Texts, lengths: Lengths, size: int, seed: int) -> Iterator[Numbers]:
    """Return batches without end, epoch after epoch; smaller ones if the examples do not fill a batch.

    Raises SynsemError, before the first batch is asked for, without two examples of different texts.
    """
    first, _ = _fill_together(deque(range(len(texts))), texts, size)
    if len(first) < 2:
        raise SynsemError("train: fewer than two training examples with different texts; mine more")

    def epochs() -> Iterator[Numbers]:
        number, left = 0, list[int]()
        while True:
            rng = np.random.default_rng((seed, number))
            batches, left = epoch(texts, lengths, len(first), rng, left)
            yield from batches
            number += 1

    return epochs()


def in_order(texts: Texts, size: int, most: int) -> list[Numbers]:
    """Return batches in the order of the data, for validation: always the same ones.

    At most ``most`` examples are taken, evenly spaced, because files hold one source after another. One that
    would be alone in a batch is left out.
    """
    number = min(len(texts), most)
    waiting = deque[int]((np.arange(number) * len(texts) // max(1, number)).tolist())
    batches = list[Numbers]()
    while chosen := fill(waiting, texts, size):
        if len(chosen) > 1:
            batches.append(np.array(chosen))
    return batches


def slice_batch(batch: Batch, start: int, stop: int) -> Batch:
    """Return the examples ``start`` to ``stop`` with their hard negatives; all slices are the batch."""
    kept = [k for k, owner in enumerate(batch.owners) if start <= owner < stop]
    return Batch(
        anchors=batch.anchors[start:stop],
        positives=batch.positives[start:stop],
        negatives=[batch.negatives[k] for k in kept],
        owners=[batch.owners[k] - start for k in kept],
        kinds=batch.kinds[start:stop],
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


class Examples:
    """The rows of one split of a folder of ``schemas.TRIPLET``; SynsemError if the folder holds none."""

    def __init__(self, folder: Path, split: str) -> None:
        store.require_rows(folder, schemas.TRIPLET)
        self._chunks = [part for path in store.shards(folder) for part in store.read_file(path).to_batches()]
        wanted = [pc.equal(chunk["split"].cast(pa.string()), split) for chunk in self._chunks]
        self._rows = [np.flatnonzero(each.to_numpy(zero_copy_only=False)) for each in wanted]
        self._starts = np.cumsum([0, *map(len, self._rows)])  # of each chunk's examples; the last is the sum

    def __len__(self) -> int:
        return int(self._starts[-1])

    def batch(self, numbers: Sequence[int] | Numbers) -> Batch:
        """Read the examples of the given numbers."""
        numbers = np.asarray(numbers, dtype=np.int64)
        of_chunk = np.searchsorted(self._starts, numbers, side="right") - 1
        read: dict[int, dict[str, Any]] = {}
        for chunk in np.unique(of_chunk).tolist():
            places = np.flatnonzero(of_chunk == chunk)
            rows = self._rows[chunk][numbers[places] - self._starts[chunk]]
            found = self._chunks[chunk].select(_COLUMNS).take(pa.array(rows))
            read |= zip(places.tolist(), store.to_rows(found), strict=True)
        examples = [read[place] for place in range(len(numbers))]
        negatives = [(number, side) for number, row in enumerate(examples) for side in row["negatives"]]
        return Batch(
            anchors=[Sentence.from_row(row["anchor"]) for row in examples],
            positives=[Sentence.from_row(row["positive"]) for row in examples],
            negatives=[Sentence.from_row(side) for _, side in negatives],
            owners=[number for number, _ in negatives],
            kinds=[row["positive_kind"] for row in examples],
        )

    def lengths(self) -> Lengths:
        """Count the words of each example's anchor and positive, [n]."""
        found = [np.zeros(0, dtype=np.int32)]
        for chunk, rows in zip(self._chunks, self._rows, strict=True):
            words = [pc.list_value_length(chunk[side].field("words")) for side in ("anchor", "positive")]
            found.append(pc.add(*words).to_numpy(zero_copy_only=False)[rows])
        return np.concatenate(found)

    def texts(self) -> Numbers:
        """Number each example's texts, [n, any]; a row that has fewer than others repeats its anchor's.

        Texts that pairs of anchor and positive link, directly or through others, have one number: otherwise
        paraphrases of one text would be negatives of each other. Groups of more than ``_TIED`` examples, such
        as long chains of translations, need not share a meaning and are not merged.

        Texts that differ only in case or spacing have the same number, a hash of 64 bits, so that no list of
        known texts is needed. Two different texts with one number, which ten million texts have in one of
        370,000 corpora, only keep two examples apart.
        """
        most = max(pc.max(pc.list_value_length(chunk["negatives"])).as_py() or 0 for chunk in self._chunks)
        found = [np.zeros((0, 2 + most), dtype=np.int64)]
        for chunk, rows in zip(self._chunks, self._rows, strict=True):
            numbers = np.repeat(_hashes(chunk["anchor"])[:, None], 2 + most, axis=1)
            numbers[:, 1] = _hashes(chunk["positive"])
            owners = pc.list_parent_indices(chunk["negatives"]).to_numpy(zero_copy_only=False)
            within = np.arange(len(owners)) - np.searchsorted(owners, owners)
            numbers[owners, 2 + within] = _hashes(chunk["negatives"].flatten())
            found.append(numbers[rows])
        return _tied(np.concatenate(found))


def _tied(texts: Numbers) -> Numbers:
    """Merge the numbers in [n, any] that the first two columns link, in groups of at most ``_TIED`` rows."""
    if not len(texts):
        return texts
    known, places = np.unique(texts[:, :2], return_inverse=True)
    first, second = places.reshape(-1, 2).T
    ties = csr_matrix((np.ones(len(texts)), (first, second)), shape=(len(known), len(known)))
    group = connected_components(ties, directed=False)[1]
    _, leaders = np.unique(group, return_index=True)
    names = np.where(np.bincount(group[first])[group] <= _TIED, known[leaders[group]], known)
    place = np.searchsorted(known, texts).clip(max=len(known) - 1)
    return np.where(known[place] == texts, names[place], texts)


class Anchors(Iterable[Sentence]):
    """The anchors of examples, read as they are iterated, any number of times."""

    def __init__(self, examples: Examples) -> None:
        self._examples = examples

    def __iter__(self) -> Iterator[Sentence]:
        count = len(self._examples)
        for start in range(0, count, _AT_ONCE):
            yield from self._examples.batch(range(start, min(start + _AT_ONCE, count))).anchors


def _hashes(sides: Any) -> Numbers:
    """Return a number of 64 bits for each side's text, whatever its case and spacing."""
    encoded = sides.field("text").dictionary_encode()
    hashes = [stable_hash(0, normalised(text)) for text in encoded.dictionary.to_pylist()]
    return np.array(hashes, dtype=np.uint64).view(np.int64)[encoded.indices.to_numpy()]
