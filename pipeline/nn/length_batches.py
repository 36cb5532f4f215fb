"""Batches of similar length, so that little is padding."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]  # numbers of inputs
Result = TypeVar("Result")


def longest_first(lengths: Sequence[int]) -> Rows:
    """Return row numbers by falling length; rows of equal length keep their order."""
    return np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")


def length_batches(lengths: Sequence[int], budget: int) -> Iterator[Rows]:
    """Yield row numbers in batches, longest first: at most ``budget`` padded tokens, at least one row."""
    order = longest_first(lengths)
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def equal_length_batches(lengths: Sequence[int], budget: int) -> Iterator[Rows]:
    """Yield row numbers in batches of one length each, longest first: no padding, at most ``budget`` tokens.

    Padding, and a batch of one row, which is multiplied by other instructions, would change the last bits of
    a vector with the sentences in its batch. A single row left over is computed twice over.
    """
    for length, alike in groupby(longest_first(lengths).tolist(), key=lambda row: lengths[row]):
        rows = np.array([*alike])
        size = max(2, budget // max(1, length))
        for some in np.split(rows, range(size, len(rows), size)):
            yield some if len(some) > 1 else some.repeat(2)


def compute_by_length(
    compute: Callable[[Rows], Iterable[Result]], lengths: Sequence[int], budget: int
) -> list[Result]:
    """Return a result for each row, in order; ``compute`` is given one batch of rows at a time."""
    found: dict[int, Result] = {}
    for rows in length_batches(lengths, budget):
        found |= zip(rows.tolist(), compute(rows), strict=True)
    return [found[row] for row in range(len(lengths))]
