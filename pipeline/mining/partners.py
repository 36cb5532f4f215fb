"""Which sentences go with a sentence, as arrays of numbers: 8 bytes a pair, nothing for a sentence alone."""

from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


class Partners:
    """For sentences by row number, what was added to each: tuples of ``width`` numbers, in that order.

    The numbers are -1 or row numbers of sentences and the like, below 2**31. All are added before one is
    read.
    """

    def __init__(self, width: int = 1) -> None:
        self._width = width
        self._given = array("i")
        self._owners = np.empty(0, dtype=np.int32)  # in order, once reading has begun
        self._values = np.empty((0, width), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._given) // (self._width + 1) + len(self._values)

    def add(self, owner: int, *numbers: int) -> None:
        """Add one tuple to the sentence ``owner``."""
        if len(numbers) != self._width:
            raise ValueError(f"{len(numbers)} numbers for {self._width}")
        self._given.extend((owner, *numbers))

    def __getitem__(self, owner: int) -> list[tuple[int, ...]]:
        if self._given:
            self._sort()
        first, last = np.searchsorted(self._owners, (owner, owner + 1))
        return [tuple(row) for row in self._values[first:last].tolist()]

    def between(self, first: int, stop: int) -> "Partners":
        """What was added to the sentences ``first .. stop - 1``."""
        if self._given:
            self._sort()
        rows = slice(*np.searchsorted(self._owners, (first, stop)))
        part = Partners(self._width)
        part._owners, part._values = self._owners[rows], self._values[rows]
        return part

    def _sort(self) -> None:
        rows = np.frombuffer(self._given, dtype=np.int32).reshape(-1, self._width + 1)
        order = np.argsort(rows[:, 0], kind="stable")
        self._owners, self._values = rows[order, 0], rows[order, 1:]
        self._given = array("i")


def groups(keys: NDArray[np.uint64]) -> Iterator[NDArray[np.int64]]:
    """The places of equal ``keys`` [n], together: each group in order, groups by their first place."""
    _, first, own = np.unique(keys, return_index=True, return_inverse=True)
    own = first[own.ravel()]  # the group's first place
    order = np.argsort(own, kind="stable")
    starts = np.flatnonzero(np.diff(own[order], prepend=-1))
    for number, start in enumerate(starts):
        yield order[start : starts[number + 1] if number + 1 < len(starts) else None]
