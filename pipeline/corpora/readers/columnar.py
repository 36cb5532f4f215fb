"""Parquet and Arrow IPC (file, stream or Feather), batch by batch."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import ipc, parquet

from pipeline.corpora.readers.named import columns, record
from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_BATCH = 1024


def read(part: Part) -> Iterator[Record]:
    """One record a row; the schema tells the columns."""
    for name, stream in part.input.streams():
        try:
            row_number = 0
            for batch in _batches(stream):
                batch.validate(full=True)  # broken offsets would crash the process
                found = columns(part, batch.schema.names)
                for row in batch.select(list(found.values())).to_pylist():
                    row_number += 1
                    yield record(row, found, f"{name}: row {row_number}")
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split())
            raise SynsemError(f"{name}: neither Parquet nor Arrow ({reason}); write it again") from error


def _batches(stream: Any) -> Iterator[pa.RecordBatch]:
    source = stream if stream.seekable() else pa.BufferReader(stream.read())
    head = source.read(6)
    source.seek(0)
    if head.startswith(b"PAR1"):
        yield from parquet.ParquetFile(source).iter_batches(_BATCH)
    elif head == b"ARROW1":
        reader = ipc.open_file(source)
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)
    else:
        yield from ipc.open_stream(source)
