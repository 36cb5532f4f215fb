"""Pairs of sentences that share most of their words: an exact join for small corpora, hashing for large ones.

Exact: with the words of each set sorted from rare to frequent, two sets of Jaccard similarity t or more share
a word among the first |x| - ceil(t * |x|) + 1 of each (prefix filter, Chaudhuri et al. 2006; Bayardo et al.
2007). An inverted index of these prefixes gives few candidates. All are checked, so no pair is missed.

Hashing: MinHash with bands (Broder 1997). Each of ``BANDS`` bands hashes every set ``ROWS`` times, and sets
with equal minima in all rows fall into one bucket. A pair of Jaccard similarity s shares a bucket in some
band with probability 1 - (1 - s**ROWS)**BANDS: 0.87 at 0.5, 0.99 at 0.6, 0.9999 at 0.7. All candidates are
checked, so no pair is false. One band is in memory at a time. datasketch's MinHashLSH with the same bands
finds as many pairs of 100,000 sentences but takes 17 times as long (``python benchmarks/mine.py overlap
--datasketch``).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

BANDS, ROWS = 32, 4
WINDOW = 16  # following sets of its bucket that a set is compared with, so a large bucket costs linear time
_CHUNK = 2**20  # words hashed at once; pairs checked at once


class SimilarPair(NamedTuple):
    """Rows ``a`` < ``b`` and the Jaccard similarity of their word sets."""

    a: int
    b: int
    jaccard: float


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """|a ∩ b| / |a ∪ b|; 0 where both are empty."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def similar_pairs(texts: Sequence[frozenset[str]], threshold: float) -> Iterator[SimilarPair]:
    """All pairs of word sets with Jaccard similarity ``threshold`` (above 0) or more, in order of ``b``."""
    frequency = Counter(word for words in texts for word in words)
    prefixes: dict[str, list[int]] = defaultdict(list)
    for b, words in enumerate(texts):
        if not words:
            continue
        rare_first = sorted(words, key=lambda word: (frequency[word], word))
        candidates: set[int] = set()
        # 0.6 * 5 is 3.0000000000000004 in floating point; without the slack it would round up to 4.
        for word in rare_first[: len(words) - math.ceil(threshold * len(words) - 1e-9) + 1]:
            candidates.update(prefixes[word])
            prefixes[word].append(b)
        for a in sorted(candidates):
            smaller, larger = sorted((len(texts[a]), len(words)))
            if smaller >= threshold * larger - 1e-9:
                similarity = jaccard(texts[a], words)
                if similarity >= threshold - 1e-9:
                    yield SimilarPair(a, b, similarity)


class WordSets:
    """n sets of word numbers: ``words`` int32, the sets one after another; ``starts`` int64 [n + 1]."""

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


def hashed_pairs(sets: WordSets, threshold: float, seed: int) -> Iterator[SimilarPair]:
    """Nearly all pairs of Jaccard similarity ``threshold`` or more, once each, by band; deterministic.

    In a bucket each set is compared with the ``WINDOW`` sets after it, so large buckets may lose pairs.
    """
    rng = np.random.default_rng(seed)
    filled = np.flatnonzero(np.diff(sets.starts))
    if len(filled) < 2:
        return
    seen = np.empty(0, dtype=np.uint64)
    for _ in range(BANDS):
        keys = _band_keys(sets, filled, rng)
        pairs = _bucket_pairs(filled[np.argsort(keys, kind="stable")], np.sort(keys, kind="stable"))
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
            yield SimilarPair(int(one), int(other), float(score))


def _band_keys(sets: WordSets, filled: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.uint64]:
    """The bucket of each set that has words in one band, uint64 [len(filled)]."""
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


def _bucket_pairs(order: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Pairs (lower, higher) of sets with equal keys, at most WINDOW apart in the order, int64 [p, 2]."""
    found = []
    for apart in range(1, WINDOW + 1):
        same = np.flatnonzero(keys[apart:] == keys[:-apart])
        found.append(np.sort(np.stack([order[same], order[same + apart]], axis=1), axis=1))
    return np.concatenate(found)
