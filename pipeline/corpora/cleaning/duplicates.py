"""Near-duplicates by MinHash signatures and their bands (Broder 1997; datasketch), without all pairs.

A text is the set of its words and pairs of neighbouring words, so that another order counts as a change. The
signatures are on disk; memory holds a few numbers a document.
"""

import functools
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from datasketch import MinHash, MinHashLSH
from numpy.typing import NDArray

PERMUTATIONS = 128
_CHUNK = 8192  # shingles hashed at once, so that a long document needs no large matrix
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

    Candidates are verified afterwards, so a missed pair costs nine times a false one.
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


_ROWS = 2**15  # signatures read at once: 16 MB
_PAIRS = 2**13


def near_duplicates(
    path: Path, alive: NDArray[np.bool_], unit: NDArray[np.uint64], threshold: float
) -> NDArray[np.bool_]:
    """Which documents are near-duplicates of an earlier one, bool [n].

    ``path`` holds the signatures, uint32 [n, PERMUTATIONS]. Documents not ``alive`` bool [n] are ignored;
    documents of one ``unit`` uint64 [n] (translations, paraphrases) are never duplicates of each other. Of
    the texts that share a band each is compared with the first and with the one before it, so many copies
    cost linear time, and the first one is kept.
    """
    near = np.zeros(len(alive), dtype=bool)
    candidates = np.flatnonzero(alive)
    if len(candidates) < 2:
        return near
    count, rows = bands(threshold)
    for band in range(count):
        only = range(band, band + 1)
        keys = np.concatenate([band_keys(block, only, rows)[:, 0] for block in _blocks(path)])[candidates]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        same = keys[1:] == keys[:-1]
        later, starts = np.flatnonzero(same) + 1, np.r_[0, np.flatnonzero(~same) + 1]
        first = starts[np.searchsorted(starts, later, "right") - 1]
        earlier = candidates[order[np.concatenate([first, later - 1])]]
        pairs = np.stack([earlier, candidates[order[np.tile(later, 2)]]], axis=1)
        pairs = pairs[(unit[pairs[:, 0]] != unit[pairs[:, 1]]) & ~near[pairs[:, 1]]]
        for start in range(0, len(pairs), _PAIRS):
            a, b = pairs[start : start + _PAIRS].T
            near[b[agreement(_rows(path, a), _rows(path, b)) >= threshold]] = True
    return near


def _blocks(path: Path) -> Iterator[NDArray[np.uint32]]:
    """All signatures, block by block; read rather than mapped, for mapped pages count as memory."""
    with path.open("rb") as stream:
        while len(block := np.fromfile(stream, dtype=np.uint32, count=_ROWS * PERMUTATIONS)):
            yield block.reshape(-1, PERMUTATIONS)


def _rows(path: Path, wanted: NDArray[np.intp]) -> NDArray[np.uint32]:
    """The signatures of some documents, uint32 [len(wanted), PERMUTATIONS]."""
    size = PERMUTATIONS * 4
    with path.open("rb", buffering=0) as stream:
        raw = b"".join(os.pread(stream.fileno(), size, size * int(row)) for row in wanted)
    return np.frombuffer(raw, dtype=np.uint32).reshape(-1, PERMUTATIONS)
