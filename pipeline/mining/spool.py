"""Rows that wait on disk while something is decided that needs all of them."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline.store import TRIPLET, ShardWriter, read, with_constituents


@contextmanager
def spooled(examples: Iterable[dict[str, Any]]) -> Iterator[pa.Table]:
    """The examples (``store.TRIPLET``) as one memory-mapped table, gone when the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        with ShardWriter(Path(folder), with_constituents(TRIPLET)) as writer:
            for example in examples:
                writer.add(example)
        yield read(Path(folder))


def replay(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Its rows in order, some at a time in memory."""
    for batch in table.to_batches(max_chunksize=1024):
        yield from batch.to_pylist()
