"""Embed every text once and score every pair once, within a run and between runs.

``EmbeddingCache`` is what tasks call. A model that reads sentences alone gives the vectors and the scores of
pairs from one pass. Where the device multiplies float16 natively, our own models compute in it, as in
``synsem encode``; with ``evaluate.bf16`` in bfloat16, where that alone is native.

It keeps the embeddings of a run in memory. With a ``DiskCache``, it keeps them between runs, too: the
model's files and code decide the folder, the content of a sentence or a pair decides the row. A cache changes
no number: a vector is what the same model gave for the same text and tree.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.core.disk_cache import DiskCache
from pipeline.core.errors import SynsemError
from pipeline.evaluation.models import reads_pairs, scores_pairs
from pipeline.nn.precision import Inference, inference_type, inferred
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Embedder, PairScorer, Views

Result = TypeVar("Result")
LATE = "late"  # the view under which a model's scores of pairs are kept: they belong to no single vector


class EmbeddingCache:
    """Embeddings by text and late-interaction scores by pair of texts, computed on demand.

    Where the model ``reads_trees``, a row on disk is that of the same text with the same tree and labels.
    What was computed in float16 or bfloat16 has rows of its own.
    """

    def __init__(
        self,
        embedder: Embedder,
        disk: DiskCache | None = None,
        reads_trees: bool = True,
        precision: Inference = "fast",
    ) -> None:
        self.embedder, self._disk, self._reads_trees = embedder, disk, reads_trees
        self._precision = precision
        device = getattr(embedder, "device", None)
        # None: of a model that this library does not run itself, so it computes as it likes.
        self._device = device if isinstance(device, torch.device) else None
        self._type = torch.float32 if self._device is None else inference_type(self._device, precision)
        self._row: dict[str, int] = {}
        self._vectors: Views = {}  # with room for more rows behind those of ``_row``
        self._late: dict[tuple[str, str], float] = {}
        self.embedded = 0  # texts that went through the model
        self.scored = 0  # pairs that did, for late interaction

    def __call__(self, sentences: Sequence[HasTree]) -> Views:
        """Vectors of n sentences, float32 [n, d] a view.

        Two sentences of one text share the tree of the first. Raises SynsemError where the model yields NaN,
        a wrong shape, or another width than before.
        """
        new: dict[str, HasTree] = {}
        for sentence in sentences:
            if sentence.text not in self._row:
                new.setdefault(sentence.text, sentence)
        if new:
            self._embed(list(new.values()))
        rows = [self._row[sentence.text] for sentence in sentences]
        return {view: matrix[rows] for view, matrix in self._vectors.items()}

    def pairs(
        self, a: Sequence[HasTree], b: Sequence[HasTree]
    ) -> tuple[Views, Views, NDArray[np.float32] | None]:
        """Vectors of either side of n pairs, and what ``late`` gives of them."""
        late = self.late(a, b)  # first: where one pass gives both, the vectors come with the scores
        vectors = self([*a, *b])
        first = {view: matrix[: len(a)] for view, matrix in vectors.items()}
        return first, {view: matrix[len(a) :] for view, matrix in vectors.items()}, late

    def late(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> NDArray[np.float32] | None:
        """Late-interaction scores of n pairs, float32 [n], higher is nearer; None for a model without.

        Raises SynsemError where the model yields NaN or another number of scores than pairs.
        """
        if not scores_pairs(self.embedder):
            return None
        pairs = list(zip(a, b, strict=True))
        new = {(x.text, y.text): (x, y) for x, y in pairs if (x.text, y.text) not in self._late}
        wanted = list(new.values())
        keys = [_digest(self._key(x), self._key(y)) for x, y in wanted]
        known, rows, rest = self._find(keys)
        if known:
            self._remember([wanted[position] for position in known], rows[LATE][:, 0])
        if rest:
            first, second = zip(*(wanted[position] for position in rest), strict=True)
            scores = _checked_scores(self._scores(self.embedder, first, second), first)
            self.scored += len(rest)
            self._remember([wanted[position] for position in rest], scores)
            if self._disk is not None:
                self._disk.add([keys[position] for position in rest], {LATE: scores[:, None]})
        return np.array([self._late[x.text, y.text] for x, y in pairs], dtype=np.float32)

    def _embed(self, sentences: list[HasTree]) -> None:
        keys = [self._key(sentence) for sentence in sentences]
        known, vectors, rest = self._find(keys)
        self._append([sentences[position] for position in known], vectors)
        if rest:
            unknown = [sentences[position] for position in rest]
            found = self._fast(lambda: self.embedder.embed(unknown), lambda views: views.values())
            self._take(unknown, [keys[position] for position in rest], found)

    def _scores(
        self, embedder: PairScorer, a: Sequence[HasTree], b: Sequence[HasTree]
    ) -> NDArray[np.float32]:
        if not reads_pairs(embedder):
            # float16 is tested for vectors and word states; who asks for bfloat16 takes scores a little off.
            if self._type != torch.bfloat16:
                return embedder.late_scores(a, b)
            return self._fast(lambda: embedder.late_scores(a, b), lambda scores: [scores])
        found = self._fast(
            lambda: embedder.read_pairs(a, b), lambda found: [found.scores, *found.vectors.values()]
        )
        first: dict[str, int] = {}
        for row, sentence in enumerate(found.sentences):
            if sentence.text not in self._row:
                first.setdefault(sentence.text, row)
        new = list(first.values())
        keys = [self._key(found.sentences[row]) for row in new]
        _, _, rest = self._find(keys)  # what is on disk is read from there when it is asked for
        if rest:
            rows = [new[position] for position in rest]
            vectors = {view: matrix[rows] for view, matrix in found.vectors.items()}
            some = [found.sentences[row] for row in rows]
            self._take(some, [keys[position] for position in rest], vectors)
        return found.scores

    def _fast(
        self, compute: Callable[[], Result], arrays: Callable[[Result], Iterable[np.ndarray]]
    ) -> Result:
        """In the cache's precision, where the model is one that this library runs itself."""
        if self._device is None:
            return compute()
        return inferred(self._device, self._precision, compute, arrays)

    def _take(self, sentences: list[HasTree], keys: Sequence[bytes], vectors: Views) -> None:
        """Keep what the model gave of new sentences."""
        vectors = checked(vectors, sentences)
        self.embedded += len(sentences)
        self._append(sentences, vectors)
        if self._disk is not None:
            self._disk.add(keys, vectors)

    def _key(self, sentence: HasTree) -> bytes:
        key = content_key(sentence) if self._reads_trees else _digest(sentence.text.encode())
        return key if self._type == torch.float32 else _digest(key, str(self._type).encode())

    def _find(self, keys: Sequence[bytes]) -> tuple[list[int], Views, list[int]]:
        """Positions of the keys on disk, their rows, and the positions of all other keys."""
        known, rows = self._disk.find(keys) if self._disk is not None else ([], {})
        return known, rows, sorted(set(range(len(keys))) - set(known))

    def _remember(self, pairs: Sequence[tuple[HasTree, HasTree]], scores: NDArray[np.float32]) -> None:
        for (x, y), score in zip(pairs, scores, strict=True):
            self._late[x.text, y.text] = float(score)

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
        used = len(self._row)
        for sentence in sentences:
            self._row[sentence.text] = len(self._row)
        for view, matrix in vectors.items():
            self._vectors[view] = _with_room(self._vectors.get(view, matrix[:0]), used, len(matrix))
            self._vectors[view][used : used + len(matrix)] = matrix


def _with_room(matrix: NDArray[np.float32], used: int, more: int) -> NDArray[np.float32]:
    """The matrix, or a copy of twice its size where ``more`` rows do not fit behind the ``used`` ones.

    So that many small additions cost no more than one large.
    """
    if used + more <= len(matrix):
        return matrix
    larger = np.empty((max(used + more, 2 * len(matrix)), matrix.shape[1]), dtype=matrix.dtype)
    larger[:used] = matrix[:used]
    return larger


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


def checked(vectors: Views, sentences: Sequence[HasTree]) -> Views:
    """The vectors as float32; SynsemError that says what is wrong with them."""
    if not vectors:
        raise SynsemError("the model returned no view at all")
    good: Views = {}
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


def _checked_scores(scores: NDArray[np.float32], first: Sequence[HasTree]) -> NDArray[np.float32]:
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
