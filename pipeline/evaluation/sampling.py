"""Sample rows of a folder of data by hash: a few numbers of each row are in memory, and the rows drawn.

A test set grows with the corpus, and no metric needs all of a large one. So of more than ``MOST`` sentences
those of lowest hash stand for all: the same ones on any machine, and a larger number contains a smaller one.
"""

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core import store
from pipeline.core.store import to_rows

MOST = 20_000  # sentences of a set that are judged: some 5,000 bytes each, with their trees
_AT_ONCE = 1024  # rows that are Python objects meanwhile

Numbers = NDArray[np.int64]


class Sample:
    """Rows in the order of the files, 25 bytes each: number, rank, hash of the text, and a mark.

    The lowest ranks are drawn. ``mark`` is any byte that tells sets of rows apart.
    """

    def __init__(self) -> None:
        self._columns = array("q"), array("Q"), array("Q"), array("B")

    def add(self, row: int, rank: int, text: int, mark: int = 0) -> None:
        """Append a row; ``rank`` and ``text`` are hashes of 64 bits."""
        for column, value in zip(self._columns, (row, rank, text, mark), strict=True):
            column.append(value)

    def lowest(self, mark: int = 0, distinct: bool = True) -> Numbers:
        """At most ``MOST`` row numbers, int64, the lowest rank first; equal ranks in the order of the files.

        ``mark``: only rows that have all of its bits. ``distinct``: of such rows with one text, the first
        stands for them.
        """
        rows, ranks, texts, marks = (np.asarray(column) for column in self._columns)
        places = np.flatnonzero((marks & mark) == mark)
        if distinct:
            places = places[np.sort(np.unique(texts[places], return_index=True)[1])]
        found: Numbers = rows[places[np.argsort(ranks[places], kind="stable")[:MOST]]]
        return found


def batches(folder: Path) -> Iterator[tuple[int, Any]]:
    """The rows of a folder as small record batches, each with the number of its first row."""
    start = 0
    for path in store.shards(folder):
        table = store.read_file(path)
        for batch in table.to_batches(max_chunksize=_AT_ONCE):
            yield start, batch
            start += batch.num_rows


def rows_at(folder: Path, numbers: Numbers) -> list[dict[str, Any]]:
    """The rows of these numbers, in that order."""
    order = np.argsort(numbers, kind="stable")
    wanted, found, start = numbers[order], list[dict[str, Any]](), 0
    for path in store.shards(folder):
        table = store.read_file(path)
        low, high = np.searchsorted(wanted, [start, start + table.num_rows])
        for first in range(low, high, _AT_ONCE):
            some = wanted[first : min(first + _AT_ONCE, high)] - start
            found += to_rows(table.take(pa.array(some)))
        start += table.num_rows
    rows: list[dict[str, Any]] = [{}] * len(numbers)
    for place, row in zip(order.tolist(), found, strict=True):
        rows[place] = row
    return rows
