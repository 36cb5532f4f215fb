"""Pairs of sentences that share most of their words: an exact join for small corpora, hashing for large ones.

Exact: with the words of each set sorted from rare to frequent, two sets of Jaccard similarity t or more share
a word among the first |x| - ceil(t * |x|) + 1 of each (prefix filter, Chaudhuri et al. 2006; Bayardo et al.
2007). A join of these prefixes gives few candidates. All are checked, so no pair is missed.

Hashing: MinHash with bands (Broder 1997). Each of ``BANDS`` bands hashes every set ``ROWS`` times, and sets
with equal minima in all rows fall into one bucket. A pair of Jaccard similarity s shares a bucket in some
band with probability 1 - (1 - s**ROWS)**BANDS: 0.87 at 0.5, 0.99 at 0.6, 0.9999 at 0.7. All candidates are
checked, so no pair is false. One band is in memory at a time, some 30 bytes a set; words and found pairs may
lie in memory-mapped files. datasketch's MinHashLSH with the same bands finds as many pairs of 100,000
sentences but takes 17 times as long (``python benchmarks/mine.py overlap --datasketch``).
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from pipeline.core.store import database

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BANDS, ROWS = 32, 4
WINDOW = 16  # following sets of its bucket that a set is compared with, so a large bucket costs linear time
_CHUNK = 2**20  # words hashed at once
_PAIRS = 2**15  # sets whose candidates are checked at once


class SimilarPair(NamedTuple):
    """Rows ``a`` < ``b`` and the Jaccard similarity of their word sets."""

    a: int
    b: int
    jaccard: float


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """|a ∩ b| / |a ∪ b|; 0 where both are empty."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


class WordSets:
    """n sets of word numbers: ``words`` int32, the sets one after another; ``starts`` int64 [n + 1].

    The numbers of a set are in order. Both arrays may be memory-mapped.
    """

    def __init__(self, words: NDArray[np.int32], starts: NDArray[np.int64]) -> None:
        self.words, self.starts = words, starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def jaccard(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Jaccard similarity of the sets in each row of ``a`` and ``b``, float64 [n]."""
        one, other = self._matrix(a), self._matrix(b)
        shared = np.asarray(one.multiply(other).sum(axis=1)).ravel()
        return np.asarray(shared / (np.diff(one.indptr) + np.diff(other.indptr) - shared))

    def _matrix(self, rows: NDArray[np.int64]) -> csr_matrix:
        """The sets of some rows, one row each, a column for each word number."""
        starts = self.starts[rows]
        sizes = self.starts[rows + 1] - starts
        ends = np.cumsum(sizes)
        words = self.words[np.arange(int(sizes.sum())) + np.repeat(starts - (ends - sizes), sizes)]
        ones = np.ones(len(words), dtype=np.int32)
        return csr_matrix((ones, words, np.r_[0, ends]), shape=(len(rows), 2**31 - 1))


def similar_pairs(sets: WordSets, threshold: float) -> Iterator[SimilarPair]:
    """All pairs of word sets with Jaccard similarity ``threshold`` (above 0) or more, in order of b and a.

    The join runs in a database, whose memory is bounded.
    """
    with database() as rows:
        rows.execute("CREATE TABLE sets (number INTEGER, size INTEGER, least DOUBLE, kept INTEGER)")
        rows.execute("CREATE TABLE words (number INTEGER, word INTEGER)")
        for start in range(0, len(sets), _PAIRS):
            _load(rows, sets, start, threshold)
        rows.execute(_PREFIXES)
        for batch in rows.sql(_CANDIDATES).to_arrow_reader(_PAIRS):
            a, b = (column.to_numpy().astype(np.int64) for column in batch.columns)
            similarity = sets.jaccard(a, b)
            for place in np.flatnonzero(similarity >= threshold - 1e-9).tolist():
                yield SimilarPair(int(a[place]), int(b[place]), float(similarity[place]))


_PREFIXES = """
CREATE TABLE prefixes AS
SELECT number, word, size, least FROM (
    SELECT number, word, size, least, kept,
        row_number() OVER (PARTITION BY number ORDER BY frequency, word) AS rank
    FROM words JOIN sets USING (number)
    JOIN (SELECT word, count(*) AS frequency FROM words GROUP BY word) USING (word)
)
WHERE rank <= kept
"""
_CANDIDATES = """
SELECT DISTINCT one.number AS a, other.number AS b
FROM prefixes AS one JOIN prefixes AS other ON one.word = other.word AND one.number < other.number
WHERE one.size >= other.least AND other.size >= one.least
ORDER BY b, a
"""


def _load(rows: "DuckDBPyConnection", sets: WordSets, start: int, threshold: float) -> None:
    """Add some sets to the tables: their words; their sizes, the least size of a similar set, the prefix."""
    starts = sets.starts[start : start + _PAIRS + 1]
    sizes = np.diff(starts)
    numbers = np.arange(start, start + len(sizes), dtype=np.int32)
    # 0.56 * 25 is 14.000000000000002 in floating point; without the slack it would round up to 15.
    least = threshold * sizes - 1e-9
    kept = (sizes - np.ceil(least) + 1).astype(np.int32)
    words = sets.words[starts[0] : starts[-1]]
    chunk = pa.table({"number": numbers, "size": sizes.astype(np.int32), "least": least, "kept": kept})
    rows.register("chunk", chunk)
    rows.execute("INSERT INTO sets SELECT * FROM chunk")
    rows.register("chunk", pa.table({"number": np.repeat(numbers, sizes), "word": words}))
    rows.execute("INSERT INTO words SELECT * FROM chunk")
    rows.unregister("chunk")


def hashed_pairs(sets: WordSets, threshold: float, seed: int) -> Iterator[SimilarPair]:
    """Nearly all pairs of Jaccard similarity ``threshold`` or more, once each, by band; deterministic.

    In a bucket each set is compared with the ``WINDOW`` sets after it, so large buckets may lose pairs. The
    pairs of earlier bands, which are not to come again, lie in a temporary folder.
    """
    rng = np.random.default_rng(seed)
    filled = _not_empty(sets)
    if len(filled) < 2:
        return
    with tempfile.TemporaryDirectory() as folder:
        earlier: list[NDArray[np.uint64]] = []
        for band in range(BANDS):
            codes, scores = _band_pairs(sets, filled, threshold, rng, earlier)
            if not len(codes):
                continue
            path = Path(folder) / str(band)
            path.write_bytes(codes.data)
            earlier.append(np.memmap(path, codes.dtype, "r"))
            for code, score in zip(codes, scores, strict=True):
                yield SimilarPair(int(code) >> 32, int(code) & 0xFFFFFFFF, float(score))


def _not_empty(sets: WordSets) -> NDArray[np.int32]:
    """The numbers of the sets that are not empty."""
    blocks = [
        np.flatnonzero(np.diff(sets.starts[at : at + _CHUNK + 1])).astype(np.int32) + at
        for at in range(0, len(sets), _CHUNK)
    ]
    return np.concatenate([np.empty(0, dtype=np.int32), *blocks])


def _band_pairs(
    sets: WordSets,
    filled: NDArray[np.int32],
    threshold: float,
    rng: np.random.Generator,
    earlier: Sequence[NDArray[np.uint64]],
) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """The pairs of one band that no earlier band has, ``a << 32 | b`` in order, and their similarity."""
    keys = _band_keys(sets, filled, rng)
    order = np.argsort(keys, kind="stable")
    found = [(np.empty(0, dtype=np.uint64), np.empty(0))]
    for start in range(0, len(order), _PAIRS):
        block = order[start : start + _PAIRS + WINDOW]
        codes = np.sort(_bucket_pairs(filled[block], keys[block], min(_PAIRS, len(block))))
        codes = codes[~_among(codes, earlier)]
        if len(codes):
            a, b = (codes >> np.uint64(32)).astype(np.int64), (codes & np.uint64(0xFFFFFFFF)).astype(np.int64)
            similarity = sets.jaccard(a, b)
            alike = similarity >= threshold - 1e-9
            found.append((codes[alike], similarity[alike]))
    codes, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(codes, kind="stable")
    return codes[order], scores[order]


def _among(codes: NDArray[np.uint64], sorted_arrays: Sequence[NDArray[np.uint64]]) -> NDArray[np.bool_]:
    """Which codes are in one of the sorted arrays, none of them empty, bool [n]."""
    known = np.zeros(len(codes), dtype=bool)
    for array in sorted_arrays:
        places = np.minimum(np.searchsorted(array, codes), len(array) - 1)
        known |= array[places] == codes
    return known


def _band_keys(sets: WordSets, filled: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.uint64]:
    """The bucket of each set that has words in one band, uint64 [len(filled)]."""
    factors = rng.integers(1, 2**63, size=(ROWS, 2), dtype=np.uint64)
    key = np.full(len(filled), 0xCBF29CE484222325, dtype=np.uint64)
    start = 0
    while start < len(filled):
        # As many sets as hold about _CHUNK words; none is empty, so no more than _CHUNK sets.
        starts = sets.starts[filled[start : start + _CHUNK]]
        starts = starts[: max(1, int(np.searchsorted(starts, starts[0] + _CHUNK)))]
        stop = start + len(starts)
        words = sets.words[starts[0] : sets.starts[filled[stop - 1] + 1]].astype(np.uint64)
        for multiplier, offset in factors:
            hashed = words * (multiplier | np.uint64(1)) + offset
            hashed = (hashed ^ (hashed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            hashed ^= hashed >> np.uint64(32)
            least = np.minimum.reduceat(hashed, starts - starts[0])
            key[start:stop] = (key[start:stop] ^ least) * np.uint64(0x100000001B3)
            key[start:stop] ^= key[start:stop] >> np.uint64(31)
        start = stop
    return key


def _bucket_pairs(order: NDArray[np.int32], keys: NDArray[np.uint64], firsts: int) -> NDArray[np.uint64]:
    """Pairs of sets with equal keys, at most WINDOW apart in the order, as ``lower << 32 | higher``.

    The earlier one of a pair is among the ``firsts`` first in the order.
    """
    found = [np.empty(0, dtype=np.uint64)]
    for apart in range(1, min(WINDOW + 1, len(order))):
        same = np.flatnonzero(keys[apart:][:firsts] == keys[:-apart][:firsts])
        one, other = order[same].astype(np.uint64), order[same + apart].astype(np.uint64)
        found.append(np.minimum(one, other) << np.uint64(32) | np.maximum(one, other))
    return np.concatenate(found)
