"""Which examples make a batch: random, of like length, and never two equal texts.

Everything is a pure function of the seed, so a resumed run finds its place by counting batches.
"""

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError

Texts = Sequence[frozenset[int]]  # the texts that each example holds, by number
Numbers = NDArray[np.int64]  # the examples of a batch

WINDOW = 8  # batches within which examples are sorted by length: like lengths, yet random company


def fill(candidates: deque[int], texts: Texts, size: int) -> list[int]:
    """Take up to ``size`` examples with no text in common off the left of ``candidates``, in order.

    Equal texts in a batch would be contrasted with themselves, so an example that shares one with an example
    already chosen stays, for the next batch.
    """
    chosen: list[int] = []
    held: set[int] = set()
    passed: list[int] = []
    while len(chosen) < size and candidates:
        number = candidates.popleft()
        if held.isdisjoint(texts[number]):
            chosen.append(number)
            held |= texts[number]
        else:
            passed.append(number)
    candidates.extendleft(reversed(passed))
    return chosen


def epoch(texts: Texts, lengths: NDArray[np.int64], size: int, rng: np.random.Generator) -> list[Numbers]:
    """All examples once, in random batches of ``size``; what fills no batch waits for the next epoch."""
    order = rng.permutation(len(texts))
    for start in range(0, len(order), size * WINDOW):
        window = order[start : start + size * WINDOW]
        order[start : start + size * WINDOW] = window[np.argsort(lengths[window], kind="stable")]
    candidates, batches = deque(order.tolist()), []
    while len(chosen := fill(candidates, texts, size)) == size:
        batches.append(np.array(chosen))
    return [batches[number] for number in rng.permutation(len(batches))]


def stream(texts: Texts, lengths: NDArray[np.int64], size: int, seed: int) -> Iterator[Numbers]:
    """Batches without end, epoch after epoch; smaller than ``size`` where the data cannot fill one batch.

    Raises SynsemError where there are no two examples with different texts.
    """
    first = fill(deque(range(len(texts))), texts, size)
    if len(first) < 2:
        raise SynsemError("train: fewer than two training examples with different texts; mine more of them")
    number = 0
    while True:
        yield from epoch(texts, lengths, len(first), np.random.default_rng((seed, number))) or [
            np.array(first)
        ]
        number += 1


def in_order(texts: Texts, size: int) -> list[Numbers]:
    """Batches in the order of the data, for evaluation: the same at every look; later ones may be smaller."""
    candidates, batches = deque(range(len(texts))), []
    while len(chosen := fill(candidates, texts, size)) > 1:
        batches.append(np.array(chosen))
    return batches
