"""Near-duplicates by MinHash signatures and their bands (Broder 1997; datasketch), without all pairs.

A text is the set of its words and pairs of neighbouring words, so that another order counts as a change. The
signatures are on disk, and a database finds those that share a band: memory holds a byte a document.
"""

import functools
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.store import database

PERMUTATIONS = 128
_CHUNK = 8192  # shingles hashed at once, so that a long document needs no large matrix
Signature = NDArray[np.uint32]


class Signer:
    """Computes signatures; texts with equal sets of shingles have equal signatures, whatever the machine."""

    def __init__(self) -> None:
        from datasketch import MinHash

        self._hash = MinHash(PERMUTATIONS, seed=1, hashfunc=int, scheme="affine32")

    def sign(self, words: Sequence[str]) -> Signature:
        """The signature of a text given by its words, uint32 [PERMUTATIONS]."""
        self._hash.clear()
        single = np.array([zlib.crc32(word.encode()) for word in words], dtype=np.uint64)
        pairs = (single[:-1] * np.uint64(0x9E3779B97F4A7C15) + single[1:]) * np.uint64(0xD1B54A32D192ED03)
        shingles = np.concatenate([single, pairs >> np.uint64(32)])
        for start in range(0, len(shingles), _CHUNK):
            self._hash.update_batch(shingles[start : start + _CHUNK].tolist())
        return self._hash.hashvalues.astype(np.uint32)


@functools.cache
def bands(threshold: float) -> tuple[int, int]:
    """How many bands of how many rows find texts of Jaccard similarity ``threshold`` (0.5 to 1).

    Candidates are verified afterwards, so a missed pair costs nine times a false one.
    """
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=min(threshold, 0.95), num_perm=PERMUTATIONS, weights=(0.1, 0.9))
    return index.b, index.r


def band_keys(signatures: NDArray[np.uint32], wanted: range, rows: int) -> NDArray[np.uint64]:
    """A key for each text and wanted band, uint64 [n, len(wanted)].

    Texts that agree on all rows of a band, and hardly any others, share its key.
    """
    block = signatures[:, wanted.start * rows : wanted.stop * rows].reshape(
        len(signatures), len(wanted), rows
    )
    # FNV-1a over 32-bit units, begun with the band's number, and a finisher.
    key = np.arange(wanted.start, wanted.stop, dtype=np.uint64) + np.uint64(0xCBF29CE484222325)
    key = np.broadcast_to(key, block.shape[:2])
    for row in range(rows):
        key = (key ^ block[:, :, row]) * np.uint64(0x100000001B3)
    return (key ^ (key >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)


def agreement(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Estimated Jaccard similarity of the texts in each row of ``a`` and ``b``, float64 [n]."""
    return np.asarray((a == b).mean(axis=-1), dtype=np.float64)


_ROWS = 2**15  # signatures read at once: 16 MB
_PAIRS = 2**13  # compared at once: 8 MB
_MEMORY = "256MB"  # of the database; a million documents do not fill it
# Rows whose key an earlier row has: with the first row of that key, and the one before. Most keys are of one
# row, so only the others are sorted.
_COPIES = """
    SELECT row, first, before FROM (
        SELECT row, min(row) OVER (PARTITION BY key) AS first,
            lag(row) OVER (PARTITION BY key ORDER BY row) AS before
        FROM keys SEMI JOIN (SELECT key FROM keys GROUP BY key HAVING count(*) > 1) USING (key)
    ) WHERE before IS NOT NULL
"""
Rows = NDArray[np.int64]
Keys = Iterator[tuple[Rows, NDArray[np.uint64]]]  # numbers of rows and their keys, block by block


def later_copies(runs: Iterable[Keys], folder: Path) -> Iterator[tuple[Rows, Rows, Rows]]:
    """Of each run of keys the rows whose key an earlier row has, as blocks in no order.

    A block is (row, the first row of that key, the one before it), int64 [m] each. The runs are looked at one
    after another, in a database in ``folder``, so that memory does not grow with their rows.
    """
    schema = pa.schema([("row", pa.int64()), ("key", pa.uint64())])
    with database(folder, memory=_MEMORY) as connection:
        for run in runs:
            blocks = (pa.record_batch([rows, keys], schema=schema) for rows, keys in run)
            connection.register("blocks", pa.RecordBatchReader.from_batches(schema, blocks))
            connection.execute("CREATE OR REPLACE TABLE keys AS SELECT * FROM blocks")
            connection.unregister("blocks")
            for batch in connection.sql(_COPIES).to_arrow_reader(_PAIRS):
                yield tuple(column.to_numpy() for column in batch.columns)


def near_duplicates(
    path: Path, alive: NDArray[np.bool_], unit: NDArray[np.uint64], threshold: float
) -> NDArray[np.bool_]:
    """Which documents are near-duplicates of an earlier one, bool [n].

    ``path`` holds the signatures, uint32 [n, PERMUTATIONS]; temporary files lie beside it. Documents not
    ``alive`` bool [n] are ignored; documents of one ``unit`` uint64 [n] (translations, paraphrases) are never
    duplicates of each other. Of the texts that share a band each is compared with the first and with the one
    before it, so many copies cost linear time, and the first one is kept.
    """
    near = np.zeros(len(alive), dtype=bool)
    count, rows = bands(threshold)
    runs = (_band(path, alive, range(band, band + 1), rows) for band in range(count))
    for later, first, before in later_copies(runs, path.parent):
        for earlier in (first, before):
            wanted = (unit[earlier] != unit[later]) & ~near[later]
            a, b = earlier[wanted], later[wanted]
            near[b[agreement(_rows(path, a), _rows(path, b)) >= threshold]] = True
    return near


def _band(path: Path, alive: NDArray[np.bool_], only: range, rows: int) -> Keys:
    """Numbers and keys of one band, of the documents that are alive."""
    start = 0
    for block in _blocks(path):
        own = np.flatnonzero(alive[start : start + len(block)])
        yield own + start, band_keys(block, only, rows)[own, 0]
        start += len(block)


def _blocks(path: Path) -> Iterator[NDArray[np.uint32]]:
    """All signatures, block by block; read rather than mapped, for mapped pages count as memory."""
    with path.open("rb") as stream:
        while len(block := np.fromfile(stream, dtype=np.uint32, count=_ROWS * PERMUTATIONS)):
            yield block.reshape(-1, PERMUTATIONS)


def _rows(path: Path, wanted: Rows) -> NDArray[np.uint32]:
    """The signatures of some documents, uint32 [len(wanted), PERMUTATIONS]."""
    size = PERMUTATIONS * 4
    with path.open("rb", buffering=0) as stream:
        raw = b"".join(os.pread(stream.fileno(), size, size * int(row)) for row in wanted)
    return np.frombuffer(raw, dtype=np.uint32).reshape(-1, PERMUTATIONS)
