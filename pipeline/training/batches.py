"""Which examples make a batch: random ones of similar length, and never two equal texts.

The order is a pure function of the seed, so a run that continues finds its place by counting batches.
``chunks`` and ``slice_batch`` cut a batch.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.systems.base import Batch

Texts = Sequence[frozenset[int]]  # the texts that each example holds, by number
Lengths = NDArray[np.int64]  # words of each example
Numbers = NDArray[np.int64]  # the examples of a batch

WINDOW = 8  # batches within which examples are sorted by length: similar lengths, yet random negatives


class Limits(NamedTuple):
    """The size of a batch at most; two examples are always allowed."""

    examples: int
    words: int | None = None  # words of the longest example times the number of examples


class Filled(NamedTuple):
    """Examples for a batch, and whether a limit ended it rather than the candidates."""

    chosen: list[int]
    full: bool


def fill(candidates: deque[int], texts: Texts, lengths: Lengths, limits: Limits) -> Filled:
    """Take examples without a text in common from the left of ``candidates``, in order, within the limits.

    An example that shares a text with one already chosen stays for the next batch: a text in the batch twice
    would be its own negative.
    """
    chosen: list[int] = []
    held: set[int] = set()
    passed: list[int] = []
    longest, full = 0, False
    while candidates and not full:
        number = candidates.popleft()
        if not held.isdisjoint(texts[number]):
            passed.append(number)
            continue
        longest = max(longest, int(lengths[number]))
        if limits.words is not None and len(chosen) > 1 and longest * (len(chosen) + 1) > limits.words:
            candidates.appendleft(number)
            full = True
            continue
        chosen.append(number)
        held |= texts[number]
        full = len(chosen) == limits.examples
    candidates.extendleft(reversed(passed))
    return Filled(chosen, full)


def epoch(texts: Texts, lengths: Lengths, limits: Limits, rng: np.random.Generator) -> list[Numbers]:
    """All examples once, in random batches that reach a limit; the rest waits for the next epoch."""
    order, together = rng.permutation(len(texts)), limits.examples * WINDOW
    for start in range(0, len(order), together):
        window = order[start : start + together]
        order[start : start + together] = window[np.argsort(lengths[window], kind="stable")]
    candidates, batches = deque(order.tolist()), []
    while (filled := fill(candidates, texts, lengths, limits)).full:
        batches.append(np.array(filled.chosen))
    return [batches[number] for number in rng.permutation(len(batches))]


def stream(texts: Texts, lengths: Lengths, limits: Limits, seed: int) -> Iterator[Numbers]:
    """Batches without end, epoch after epoch; smaller ones where the examples do not fill a batch.

    Raises SynsemError where there are no two examples with different texts.
    """
    first = fill(deque(range(len(texts))), texts, lengths, limits)
    if len(first.chosen) < 2:
        raise SynsemError("train: fewer than two training examples with different texts; mine more of them")
    if not first.full:
        limits = limits._replace(examples=len(first.chosen))
    number = 0
    while True:
        rng = np.random.default_rng((seed, number))
        yield from epoch(texts, lengths, limits, rng) or [np.array(first.chosen)]
        number += 1


def in_order(texts: Texts, lengths: Lengths, limits: Limits) -> list[Numbers]:
    """Batches in the order of the data, for validation: always the same; the last ones may be smaller."""
    candidates, batches = deque(range(len(texts))), []
    while len(chosen := fill(candidates, texts, lengths, limits).chosen) > 1:
        batches.append(np.array(chosen))
    return batches


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
    )


def chunks(batch: Batch, size: int) -> list[Batch]:
    """Slices of ``size`` examples, the last one perhaps smaller; at least one slice."""
    return [slice_batch(batch, start, start + size) for start in range(0, max(1, len(batch.anchors)), size)]
