"""Which examples make a batch: random ones of similar length, and never two equal texts.

The order is a pure function of the seed, so a run that continues finds its place by counting batches.
``chunks`` and ``slice_batch`` cut a batch.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.systems.base import Batch

Lengths = NDArray[np.integer[Any]]  # words of each example
Numbers = NDArray[np.int64]  # the examples of a batch

WINDOW = 8  # batches within which examples are sorted by length: similar lengths, yet random negatives


class Texts(Protocol):
    """The texts that each example holds, by number."""

    def __len__(self) -> int: ...
    def __getitem__(self, example: int, /) -> frozenset[int]: ...


class Limits(NamedTuple):
    """The size of a batch at most; two examples are always allowed."""

    examples: int
    words: int | None = None  # words of the longest example times the number of examples


class Filled(NamedTuple):
    """Examples for a batch, and whether a limit ended it rather than the candidates."""

    chosen: list[int]
    full: bool


class Candidates:
    """Examples that may come next: those that waited, then those that no batch has seen yet.

    What has not been seen comes from an iterator, so that no queue of all examples is in memory.
    """

    def __init__(self, numbers: Iterable[int]) -> None:
        self.waiting: deque[int] = deque()
        self._unseen = iter(numbers)

    def take(self) -> int | None:
        """The next example; None at the end."""
        return self.waiting.popleft() if self.waiting else next(self._unseen, None)


def fill(candidates: Candidates, texts: Texts, lengths: Lengths, limits: Limits) -> Filled:
    """Take examples without a text in common from the front of ``candidates``, in order, within the limits.

    An example that shares a text with one already chosen stays for the next batch: a text in the batch twice
    would be its own negative.
    """
    chosen: list[int] = []
    held: set[int] = set()
    passed: list[int] = []
    longest, full = 0, False
    while not full and (number := candidates.take()) is not None:
        own = texts[number]
        if not held.isdisjoint(own):
            passed.append(number)
            continue
        longest = max(longest, int(lengths[number]))
        if limits.words is not None and len(chosen) > 1 and longest * (len(chosen) + 1) > limits.words:
            candidates.waiting.appendleft(number)
            full = True
            continue
        chosen.append(number)
        held |= own
        full = len(chosen) == limits.examples
    candidates.waiting.extendleft(reversed(passed))
    return Filled(chosen, full)


def fill_together(
    candidates: Candidates, texts: Texts, lengths: Lengths, limits: Limits
) -> tuple[Filled, list[int]]:
    """``fill``, and the examples set aside before: each shares a text with all that were left to be with."""
    alone: list[int] = []
    while len((filled := fill(candidates, texts, lengths, limits)).chosen) == 1 and candidates.waiting:
        alone += filled.chosen
    return filled, alone


class Epoch(NamedTuple):
    """The batches of one pass over the examples, and those of them that no batch took."""

    batches: list[Numbers]
    left: list[int]


def epoch(
    texts: Texts, lengths: Lengths, limits: Limits, rng: np.random.Generator, left: Sequence[int] = ()
) -> Epoch:
    """All examples once, and what the epoch before has ``left``, in random batches that reach a limit.

    A batch that reaches none is made where it has an example that would else be left once more: one that
    shares its texts with many others, or any where the examples never fill a batch.
    """
    order = np.concatenate([np.array(left, dtype=np.int64), rng.permutation(len(texts))])
    candidates, batches = Candidates(_shuffled(lengths, limits, order)), []
    waiting, alone = set(left), list[int]()
    while True:
        filled, aside = fill_together(candidates, texts, lengths, limits)
        alone += aside
        if not filled.full and (len(filled.chosen) < 2 or waiting.isdisjoint(filled.chosen)):
            break
        batches.append(np.array(filled.chosen))
        waiting.difference_update(filled.chosen)
    rest = dict.fromkeys([*alone, *filled.chosen, *candidates.waiting])
    return Epoch([batches[number] for number in rng.permutation(len(batches))], list(rest))


def _shuffled(lengths: Lengths, limits: Limits, order: Numbers) -> Iterator[int]:
    """The examples in order, those of each window by length.

    A window is a quarter of the examples at most: were it all of them, the same ones would always meet, and
    the longest would always be left.
    """
    together = min(limits.examples * WINDOW, max(limits.examples, len(order) // 4))
    for start in range(0, len(order), together):
        window = order[start : start + together]
        yield from window[np.argsort(lengths[window], kind="stable")].tolist()


def stream(texts: Texts, lengths: Lengths, limits: Limits, seed: int) -> Iterator[Numbers]:
    """Batches without end, epoch after epoch; smaller ones where the examples do not fill a batch.

    What an epoch leaves is read in the next one, if need be in a smaller batch. Raises SynsemError, before
    the first batch is asked for, where there are no two examples with different texts.
    """
    first, _ = fill_together(Candidates(range(len(texts))), texts, lengths, limits)
    if len(first.chosen) < 2:
        raise SynsemError("train: fewer than two training examples with different texts; mine more of them")
    if not first.full:
        limits = limits._replace(examples=len(first.chosen))
    return _epochs(texts, lengths, limits, seed)


def _epochs(texts: Texts, lengths: Lengths, limits: Limits, seed: int) -> Iterator[Numbers]:
    number, left = 0, list[int]()
    while True:
        rng = np.random.default_rng((seed, number))
        batches, left = epoch(texts, lengths, limits, rng, left)
        yield from batches
        number += 1


def in_order(texts: Texts, lengths: Lengths, limits: Limits, most: int | None = None) -> list[Numbers]:
    """Batches in the order of the data, for validation: always the same; the last ones may be smaller.

    At most ``most`` examples are taken, evenly spaced, because files hold one source after another. One that
    has no other to be with joins an earlier batch without a text of its own; without such it is left out.
    """
    number = min(len(texts), most or len(texts))
    spaced = np.arange(number) * len(texts) // max(1, number)
    candidates, batches = Candidates(spaced.tolist()), list[list[int]]()
    while batch := fill(candidates, texts, lengths, limits).chosen:
        if len(batch) > 1:
            batches.append(batch)
        elif fits := [each for each in batches if all(texts[x].isdisjoint(texts[batch[0]]) for x in each)]:
            fits[-1].append(batch[0])
    return list(map(np.array, batches))


def slice_batch(batch: Batch, start: int, stop: int) -> Batch:
    """The examples ``start`` to ``stop`` with their hard negatives; all slices together are the batch."""
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
    """Slices of ``size`` examples, the last one perhaps smaller; at least one slice."""
    return [slice_batch(batch, start, start + size) for start in range(0, max(1, len(batch.anchors)), size)]
