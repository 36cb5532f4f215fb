"""Near-duplicates among all documents, from signatures on disk: memory for a few numbers a document."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.corpora.cleaning.minhash import PERMUTATIONS, agreement, band_keys, bands

_ROWS = 2**15  # signatures read at once: 16 MB
_PAIRS = 2**13


def near_duplicates(
    path: Path, alive: NDArray[np.bool_], unit: NDArray[np.uint64], threshold: float
) -> NDArray[np.bool_]:
    """Which documents are near-duplicates of an earlier one, bool [n].

    ``path`` holds the signatures, uint32 [n, PERMUTATIONS]; documents not ``alive`` bool [n] are passed over;
    documents of one ``unit`` uint64 [n] (translations, paraphrases) may be as alike as they please. Of the
    texts that share a band each is compared with the first and the one before it, so a crowd of copies costs
    linear time and keeps its first member.
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
    """All signatures, some at a time; read rather than mapped, for mapped pages count as memory."""
    with path.open("rb") as stream:
        while len(block := np.fromfile(stream, dtype=np.uint32, count=_ROWS * PERMUTATIONS)):
            yield block.reshape(-1, PERMUTATIONS)


def _rows(path: Path, wanted: NDArray[np.intp]) -> NDArray[np.uint32]:
    """The signatures of some documents, uint32 [len(wanted), PERMUTATIONS]."""
    size = PERMUTATIONS * 4
    with path.open("rb", buffering=0) as stream:
        raw = b"".join(os.pread(stream.fileno(), size, size * int(row)) for row in wanted)
    return np.frombuffer(raw, dtype=np.uint32).reshape(-1, PERMUTATIONS)
