"""Every unique text embedded once, whatever the number of tasks that ask for it."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.evaluation.embedders import Embedder, Vectors
from pipeline.sentences import HasTree


class Cache(Protocol):
    """Vectors of earlier runs (``cache.DiskCache``)."""

    def find(self, sentences: Sequence[HasTree]) -> tuple[list[int], Vectors]:
        """Positions of the sentences that are known, and their vectors."""
        ...

    def add(self, sentences: Sequence[HasTree], vectors: Vectors) -> None:
        """Remember vectors."""
        ...


class Bank:
    """Embeddings by text, filled on demand."""

    def __init__(self, embedder: Embedder, cache: Cache | None = None) -> None:
        self._embedder, self._cache = embedder, cache
        self._row: dict[str, int] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self.embedded = 0  # texts that went through the model

    def __call__(self, sentences: Sequence[HasTree]) -> Vectors:
        """Vectors of the sentences, float32 [n, d] a view. Two sentences of one text share the first one's
        tree.

        Raises SynsemError where the model yields NaN, a wrong shape, or another width than before.
        """
        new: dict[str, HasTree] = {}
        for sentence in sentences:
            if sentence.text not in self._row:
                new.setdefault(sentence.text, sentence)
        if new:
            self._fill(list(new.values()))
        rows = [self._row[sentence.text] for sentence in sentences]
        return {view: matrix[rows] for view, matrix in self._vectors.items()}

    def _fill(self, sentences: list[HasTree]) -> None:
        known, vectors = self._cache.find(sentences) if self._cache else ([], {})
        self._append([sentences[position] for position in known], vectors)
        found = set(known)
        rest = [sentence for position, sentence in enumerate(sentences) if position not in found]
        if rest:
            vectors = checked(self._embedder.embed(rest), rest)
            self.embedded += len(rest)
            self._append(rest, vectors)
            if self._cache:
                self._cache.add(rest, vectors)

    def _append(self, sentences: Sequence[HasTree], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        if not sentences:
            return
        if self._vectors:
            before = {view: matrix.shape[1] for view, matrix in self._vectors.items()}
            now = {view: matrix.shape[1] for view, matrix in vectors.items()}
            if before != now:
                raise SynsemError(
                    f"the model's views or their widths changed between two calls ({before}, then {now})"
                )
        for sentence in sentences:
            self._row[sentence.text] = len(self._row)
        for view, matrix in vectors.items():
            old = self._vectors.get(view)
            self._vectors[view] = matrix if old is None else np.concatenate([old, matrix])


def checked(vectors: Vectors, sentences: Sequence[HasTree]) -> Vectors:
    """The vectors as float32, or a SynsemError that says what is wrong with them."""
    if not vectors:
        raise SynsemError("the model returned no view at all")
    good: Vectors = {}
    for view, matrix in vectors.items():
        array = np.asarray(matrix, dtype=np.float32)
        if array.ndim != 2 or len(array) != len(sentences):
            raise SynsemError(
                f"view {view}: the model returned shape {list(array.shape)} for {len(sentences)} sentences"
            )
        bad = np.asarray(~np.isfinite(array).all(axis=1))
        if bad.any():
            text = sentences[int(bad.argmax())].text
            raise SynsemError(
                f"view {view}: {int(bad.sum())} of {len(bad)} embeddings hold NaN or infinity, "
                f"first for '{text[:60]}'; the model is broken or its precision too low"
            )
        good[view] = array
    return good
