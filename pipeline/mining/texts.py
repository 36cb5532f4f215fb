"""Distinct texts and their vectors: each text is embedded once, and none is kept."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.seeding import rank
from pipeline.sentences import Side, normalised

# Unit vectors of n texts, float32 [n, d].
Embed = Callable[[Sequence[Side]], NDArray[np.float32]]
_CHUNK = 16_384  # texts embedded at once


class Texts:
    """Numbers texts as they come (case and spacing apart) and embeds them some at a time."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._known: dict[int, int] = {}
        self._waiting: list[Side] = []
        self._vectors: list[NDArray[np.float32]] = []

    def number(self, side: Mapping[str, Any]) -> int:
        """The number of a side (``store.SIDE``) among all distinct texts."""
        key = rank(0, normalised(side["text"]))
        if key not in self._known:
            self._known[key] = len(self._known)
            self._waiting.append(Side.from_row(side))
            if len(self._waiting) == _CHUNK:
                self._flush()
        return self._known[key]

    def numbers(self, column: pa.ChunkedArray) -> NDArray[np.int64]:
        """The number of each side of a column, int64 [rows]."""
        table = pa.table({"side": column})
        return np.array(
            [
                self.number(side)
                for batch in table.to_batches(max_chunksize=1024)
                for side in batch.column(0).to_pylist()
            ],
            dtype=np.int64,
        )

    def vectors(self) -> NDArray[np.float32]:
        """The vectors of all texts met so far, by number, float32 [n, d]; [0, 0] where there are none."""
        self._flush()
        if len(self._vectors) != 1:
            self._vectors = [np.concatenate(self._vectors or [np.empty((0, 0), dtype=np.float32)])]
        return self._vectors[0]

    def _flush(self) -> None:
        if self._waiting:
            self._vectors.append(self._embed(self._waiting))
            self._waiting = []
