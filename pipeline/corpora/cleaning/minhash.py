"""MinHash signatures and their bands (Broder 1997; datasketch): near-duplicates without comparing all pairs.

A text is the set of its words and pairs of neighbouring words, so that a swapped order counts as a change.
"""

import functools
import zlib
from collections.abc import Sequence

import numpy as np
from datasketch import MinHash, MinHashLSH
from numpy.typing import NDArray

PERMUTATIONS = 128
_CHUNK = 8192  # shingles hashed at once: a long document must not need a large matrix
Signature = NDArray[np.uint32]


class Signer:
    """Computes signatures; texts with equal sets of shingles have equal signatures, whatever the machine."""

    def __init__(self) -> None:
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

    Candidates are verified afterwards, so a missed pair weighs nine times a false one.
    """
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
