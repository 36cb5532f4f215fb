"""Pairs of sentences that share most of their words, among millions: MinHash and bands (Broder 1997).

Each of ``BANDS`` rounds hashes every word set ``ROWS`` times; sets whose least hash values all agree share
the round's key. A pair of Jaccard similarity s meets in some round with probability 1 - (1 - s**ROWS)**BANDS:
0.87 at 0.5, 0.99 at 0.6, 0.9999 at 0.7. Every pair that meets is checked, so none is false.
Memory is a few numbers a sentence and a word; only one round's keys exist at a time.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from pipeline.mining.overlap import Overlap

BANDS, ROWS = 32, 4
COMPANY = 16  # followers in its bucket with which a sentence is compared: a crowd costs linear time
_CHUNK = 2**20  # words hashed at once; pairs checked at once


class WordSets:
    """n sets of words as numbers: ``words`` int32, all sets one after another; ``starts`` int64 [n + 1]."""

    def __init__(self, words: NDArray[np.int32], starts: NDArray[np.int64]) -> None:
        self.words, self.starts = words, starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def jaccard(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Jaccard similarity of the sets in each row of ``a`` and ``b``, float64 [n]."""
        sizes = np.diff(self.starts)
        ones = np.ones(len(self.words), dtype=np.int32)
        matrix = csr_matrix((ones, self.words, self.starts), shape=(len(self), int(self.words.max()) + 1))
        shared = np.concatenate(
            [
                np.asarray(
                    matrix[a[at : at + _CHUNK]].multiply(matrix[b[at : at + _CHUNK]]).sum(axis=1)
                ).ravel()
                for at in range(0, len(a), _CHUNK)
            ]
        )
        return np.asarray(shared / (sizes[a] + sizes[b] - shared))


def hashed_pairs(sets: WordSets, threshold: float, seed: int) -> Iterator[Overlap]:
    """Nearly every pair of Jaccard similarity ``threshold`` or more, once each, by round; deterministic.

    A pair that many others resemble may be passed over: in a bucket each set is compared with the ``COMPANY``
    that follow it.
    """
    rng = np.random.default_rng(seed)
    filled = np.flatnonzero(np.diff(sets.starts))
    if len(filled) < 2:
        return
    seen = np.empty(0, dtype=np.uint64)
    for _ in range(BANDS):
        keys = _keys(sets, filled, rng)
        pairs = _meeting(filled[np.argsort(keys, kind="stable")], np.sort(keys, kind="stable"))
        codes = np.setdiff1d(
            pairs[:, 0].astype(np.uint64) << np.uint64(32) | pairs[:, 1].astype(np.uint64), seen
        )
        if not len(codes):
            continue
        a, b = (codes >> np.uint64(32)).astype(np.int64), (codes & np.uint64(0xFFFFFFFF)).astype(np.int64)
        similarity = sets.jaccard(a, b)
        alike = similarity >= threshold - 1e-9
        seen = np.union1d(seen, codes[alike])
        for one, other, score in zip(a[alike], b[alike], similarity[alike], strict=True):
            yield Overlap(int(one), int(other), float(score))


def _keys(sets: WordSets, filled: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.uint64]:
    """A key for each set that has words, uint64 [len(filled)]."""
    key = np.full(len(filled), 0xCBF29CE484222325, dtype=np.uint64)
    for multiplier, offset in rng.integers(1, 2**63, size=(ROWS, 2), dtype=np.uint64):
        least = np.empty(len(filled), dtype=np.uint64)
        start = 0
        while start < len(filled):
            # As many sets as hold about _CHUNK words.
            first = sets.starts[filled[start]]
            stop = max(start + 1, int(np.searchsorted(sets.starts[filled], first + _CHUNK)))
            last = sets.starts[filled[stop - 1] + 1]
            hashed = sets.words[first:last].astype(np.uint64) * (multiplier | np.uint64(1)) + offset
            hashed = (hashed ^ (hashed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            hashed ^= hashed >> np.uint64(32)
            least[start:stop] = np.minimum.reduceat(hashed, sets.starts[filled[start:stop]] - first)
            start = stop
        key = (key ^ least) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(31)
    return key


def _meeting(order: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Pairs (lower, higher) of sets with one key, at most COMPANY apart in the order, int64 [p, 2]."""
    found = []
    for apart in range(1, COMPANY + 1):
        same = np.flatnonzero(keys[apart:] == keys[:-apart])
        found.append(np.sort(np.stack([order[same], order[same + apart]], axis=1), axis=1))
    return np.concatenate(found)
