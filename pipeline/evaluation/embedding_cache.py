"""Embed every text once and score every pair once, within a run and between runs.

``EmbeddingCache`` is what tasks call. It keeps the embeddings of a run in memory. With a ``DiskCache``, it
keeps them between runs, too: the model's files and code decide the folder, the content of a sentence or a
pair decides the row. A cache changes no number: a vector is what the same model gave for the same text and
tree.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_file, sha256, shard_path, shards, write_table
from pipeline.evaluation.models import scores_pairs
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Embedder, Views

LATE = "late"  # the view under which a model's scores of pairs are kept: they belong to no single vector
ROOT = Path(os.environ.get("SYNSEM_SCRATCH", ".scratch")) / "embeddings"
_MODELS_KEPT = 8
_CODE = ("nn", "syntax", "systems")  # parts of the library that decide what a model makes of a sentence


class DiskCache:
    """Rows of one model by key, in ``part-*.arrow`` files that are only ever added to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._place: dict[bytes, tuple[int, int]] = {}  # key -> file and row
        self._files: list[Views] = []
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for path in shards(folder) if any(folder.glob("part-*.arrow")) else []:
            self._take(read_file(path))

    def find(self, keys: Sequence[bytes]) -> tuple[list[int], Views]:
        """Positions of the keys that are known, and their rows in that order, one matrix a view."""
        known = [position for position, key in enumerate(keys) if key in self._place]
        if not known:
            return [], {}
        places = np.array([self._place[keys[position]] for position in known])
        vectors: Views = {}
        for view, first in self._files[places[0, 0]].items():
            out = np.empty((len(known), first.shape[1]), dtype=np.float32)
            for number in np.unique(places[:, 0]):
                mine = places[:, 0] == number
                out[mine] = self._files[number][view][places[mine, 1]]
            vectors[view] = out
        return known, vectors

    def add(self, keys: Sequence[bytes], vectors: Views) -> None:
        """Write rows as one more file."""
        columns: dict[str, pa.Array] = {"key": pa.array(keys, type=pa.binary(16))}
        for view, matrix in vectors.items():
            flat = pa.array(np.ascontiguousarray(matrix).reshape(-1))
            columns[view] = pa.FixedSizeListArray.from_arrays(flat, matrix.shape[1])
        table = pa.table(columns)
        write_table(shard_path(self.folder, len(self._files)), table)
        self._take(table)

    def _take(self, table: pa.Table) -> None:
        number = len(self._files)
        for row, key in enumerate(table["key"].to_pylist()):
            self._place[key] = (number, row)
        self._files.append({view: _matrix(table[view]) for view in table.column_names[1:]})


def _matrix(column: pa.ChunkedArray) -> np.ndarray:
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(column), -1))


def open_cache(
    model: Path | str, *settings: str, root: Path | None = None, uses_library: bool = True
) -> DiskCache:
    """The cache of a model: a folder is known by its files' bytes, any other name by itself and its settings.

    ``uses_library`` says that the vectors depend on this library's model code, which is then part of the
    key. Opening a new model removes the least recently used ones beyond eight.
    """
    digest = hashlib.sha256("\n".join([str(model), *settings]).encode())
    library = Path(__file__).parent.parent
    code = sorted(path for part in (_CODE if uses_library else ()) for path in (library / part).rglob("*.py"))
    for path in [*_files(Path(model)), *code]:
        digest.update(path.name.encode() + bytes.fromhex(sha256(path)))
    home = root or ROOT
    cache = DiskCache(home / digest.hexdigest()[:24])
    latest = sorted(home.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in latest[_MODELS_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return cache


def model_digest(model: Path | str, *settings: str) -> str:
    """Hex digest of a model: of its files' names and bytes wherever its folder lies, else of its name."""
    folder = Path(model)
    digest = hashlib.sha256("\n".join(["" if folder.is_dir() else str(model), *settings]).encode())
    for path in _files(folder):
        digest.update(path.relative_to(folder).as_posix().encode() + bytes.fromhex(sha256(path)))
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    """The files of a model's folder, sorted; none where it is the name of a model."""
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []


class EmbeddingCache:
    """Embeddings by text and late-interaction scores by pair of texts, computed on demand.

    Where the model ``reads_trees``, a row on disk is that of the same text with the same tree and labels.
    """

    def __init__(self, embedder: Embedder, disk: DiskCache | None = None, reads_trees: bool = True) -> None:
        self.embedder, self._disk, self._reads_trees = embedder, disk, reads_trees
        self._row: dict[str, int] = {}
        self._vectors: Views = {}
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
            scores = _checked_scores(self.embedder.late_scores(first, second), first)
            self.scored += len(rest)
            self._remember([wanted[position] for position in rest], scores)
            if self._disk:
                self._disk.add([keys[position] for position in rest], {LATE: scores[:, None]})
        return np.array([self._late[x.text, y.text] for x, y in pairs], dtype=np.float32)

    def _embed(self, sentences: list[HasTree]) -> None:
        keys = [self._key(sentence) for sentence in sentences]
        known, vectors, rest = self._find(keys)
        self._append([sentences[position] for position in known], vectors)
        if rest:
            unknown = [sentences[position] for position in rest]
            vectors = checked(self.embedder.embed(unknown), unknown)
            self.embedded += len(rest)
            self._append(unknown, vectors)
            if self._disk:
                self._disk.add([keys[position] for position in rest], vectors)

    def _key(self, sentence: HasTree) -> bytes:
        return content_key(sentence) if self._reads_trees else _digest(sentence.text.encode())

    def _find(self, keys: Sequence[bytes]) -> tuple[list[int], Views, list[int]]:
        """Positions of the keys on disk, their rows, and the positions of all other keys."""
        known, rows = self._disk.find(keys) if self._disk else ([], {})
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
