"""Every unique text embedded once and every unique pair scored once, however many tasks ask for it."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.evaluation.embedders import Embedder, Vectors, scores_pairs
from pipeline.sentences import HasTree

LATE = "late"  # the view under which a model's scores of pairs go: they belong to no single vector
Scores = NDArray[np.float32]


class Cache(Protocol):
    """Rows of earlier runs by key (``cache.DiskCache``): one matrix a view."""

    def find(self, keys: Sequence[bytes]) -> tuple[list[int], Vectors]:
        """Positions of the keys that are known, and their rows."""
        ...

    def add(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Remember rows."""
        ...


class Bank:
    """Embeddings by text and late-interaction scores by pair of texts, filled on demand.

    Where the model ``reads_trees``, a cached row is that of the same text with the same tree and labels.
    """

    def __init__(self, embedder: Embedder, cache: Cache | None = None, reads_trees: bool = True) -> None:
        self.embedder, self._cache, self._reads_trees = embedder, cache, reads_trees
        self._row: dict[str, int] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._late: dict[tuple[str, str], float] = {}
        self.embedded = 0  # texts that went through the model
        self.scored = 0  # pairs that did, for late interaction

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

    def late(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> Scores | None:
        """Late-interaction scores of n pairs, float32 [n], higher is nearer; None for a model without.

        Raises SynsemError where the model yields NaN or another number of scores than pairs.
        """
        embedder = self.embedder
        if not scores_pairs(embedder):
            return None
        pairs = list(zip(a, b, strict=True))
        new = {(x.text, y.text): (x, y) for x, y in pairs if (x.text, y.text) not in self._late}
        wanted = list(new.values())
        keys = [_digest(self._key(x), self._key(y)) for x, y in wanted]
        known, rows = self._cache.find(keys) if self._cache else ([], {})
        if known:
            self._remember([wanted[position] for position in known], rows[LATE][:, 0])
        found = set(known)
        rest = [position for position in range(len(wanted)) if position not in found]
        if rest:
            first, second = zip(*(wanted[position] for position in rest), strict=True)
            scores = _checked_scores(embedder.late_scores(first, second), first)
            self.scored += len(rest)
            self._remember([wanted[position] for position in rest], scores)
            if self._cache:
                self._cache.add([keys[position] for position in rest], {LATE: scores[:, None]})
        return np.array([self._late[x.text, y.text] for x, y in pairs], dtype=np.float32)

    def _key(self, sentence: HasTree) -> bytes:
        return content_key(sentence) if self._reads_trees else _digest(sentence.text.encode())

    def _remember(self, pairs: Sequence[tuple[HasTree, HasTree]], scores: Scores) -> None:
        for (x, y), score in zip(pairs, scores, strict=True):
            self._late[x.text, y.text] = float(score)

    def _fill(self, sentences: list[HasTree]) -> None:
        keys = [self._key(sentence) for sentence in sentences]
        known, vectors = self._cache.find(keys) if self._cache else ([], {})
        self._append([sentences[position] for position in known], vectors)
        found = set(known)
        rest = [position for position in range(len(sentences)) if position not in found]
        if rest:
            unknown = [sentences[position] for position in rest]
            vectors = checked(self.embedder.embed(unknown), unknown)
            self.embedded += len(rest)
            self._append(unknown, vectors)
            if self._cache:
                self._cache.add([keys[position] for position in rest], vectors)

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


def content_key(sentence: HasTree) -> bytes:
    """16 bytes that stand for all that a system can read of a sentence: text, words, tree and labels."""
    labels = (sentence.words, sentence.lemmas, sentence.deprels, sentence.upos, sentence.xpos)
    heads = np.asarray(sentence.heads, dtype=np.int16).tobytes()
    return _digest(sentence.text.encode(), *("\0".join(column).encode() for column in labels), heads)


def _digest(*parts: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()


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


def _checked_scores(scores: NDArray[np.float32], first: Sequence[HasTree]) -> Scores:
    array = np.asarray(scores, dtype=np.float32)
    if array.shape != (len(first),):
        raise SynsemError(
            f"late interaction: the model returned shape {list(array.shape)} for {len(first)} pairs"
        )
    bad = ~np.isfinite(array)
    if bad.any():
        text = first[int(bad.argmax())].text
        raise SynsemError(
            f"late interaction: {int(bad.sum())} of {len(bad)} scores are NaN or infinite, "
            f"first for '{text[:60]}'; the model is broken or its precision too low"
        )
    return array
