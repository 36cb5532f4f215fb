"""Which examples make a batch: random, of like length, and never two equal texts.

Everything is a pure function of the seed, so a resumed run finds its place by counting batches.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError

Texts = Sequence[frozenset[int]]  # the texts that each example holds, by number
Lengths = NDArray[np.int64]  # words of each example
Numbers = NDArray[np.int64]  # the examples of a batch

WINDOW = 8  # batches within which examples are sorted by length: like lengths, yet random company


class Limits(NamedTuple):
    """What a batch holds at most; two examples it may always hold."""

    examples: int
    words: int | None = None  # padding counted: the words of the longest example times their number


class Filled(NamedTuple):
    """Examples for a batch, and whether a limit ended it rather than the candidates."""

    chosen: list[int]
    full: bool


def fill(candidates: deque[int], texts: Texts, lengths: Lengths, limits: Limits) -> Filled:
    """Take examples with no text in common off the left of ``candidates``, in order, within the limits.

    Equal texts in a batch would be contrasted with themselves, so an example that shares one with an example
    already chosen stays, for the next batch.
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
    """All examples once, in random batches that reach a limit; what fills none waits for the next epoch."""
    order, together = rng.permutation(len(texts)), limits.examples * WINDOW
    for start in range(0, len(order), together):
        window = order[start : start + together]
        order[start : start + together] = window[np.argsort(lengths[window], kind="stable")]
    candidates, batches = deque(order.tolist()), []
    while (filled := fill(candidates, texts, lengths, limits)).full:
        batches.append(np.array(filled.chosen))
    return [batches[number] for number in rng.permutation(len(batches))]


def stream(texts: Texts, lengths: Lengths, limits: Limits, seed: int) -> Iterator[Numbers]:
    """Batches without end, epoch after epoch; smaller ones where the data cannot fill one.

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
    """Batches in the order of the data, for evaluation: the same at every look; later ones may be smaller."""
    candidates, batches = deque(range(len(texts))), []
    while len(chosen := fill(candidates, texts, lengths, limits).chosen) > 1:
        batches.append(np.array(chosen))
    return batches
