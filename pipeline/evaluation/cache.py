"""Embeddings kept between runs, by content: the model's weights and code decide the folder, the sentence
the row.

A cache never changes a number beyond the rounding of float32: a vector is what the same model gave for the
same text and tree. Opening a new model's folder removes the least recently used ones beyond ``_MODELS``.
"""

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from pipeline.evaluation.embedders import Vectors
from pipeline.sentences import HasTree
from pipeline.store import read_file, shard_path, shards, write_table

ROOT = Path(os.environ.get("SYNSEM_SCRATCH", ".scratch")) / "embeddings"
_MODELS = 8
_CODE = ("nn", "systems")  # parts of the library that decide what a model makes of a sentence


class DiskCache:
    """The vectors of one model, in ``part-*.arrow`` files that are only ever added to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._where: dict[bytes, int] = {}
        self._vectors: dict[str, list[np.ndarray]] = {}
        self._starts: list[int] = []
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for path in shards(folder) if any(folder.glob("part-*.arrow")) else []:
            self._take(read_file(path))

    def find(self, sentences: Sequence[HasTree]) -> tuple[list[int], Vectors]:
        """Positions of the sentences that are known, and their vectors in that order."""
        known = [(i, row) for i, s in enumerate(sentences) if (row := self._where.get(_key(s))) is not None]
        rows = np.array([row for _, row in known], dtype=np.int64)
        part = np.searchsorted(self._starts, rows, side="right") - 1
        vectors = {}
        for view, blocks in self._vectors.items():
            out = np.empty((len(rows), blocks[0].shape[1]), dtype=np.float32)
            for number, block in enumerate(blocks):
                mine = part == number
                out[mine] = block[rows[mine] - self._starts[number]]
            vectors[view] = out
        return [i for i, _ in known], vectors

    def add(self, sentences: Sequence[HasTree], vectors: Vectors) -> None:
        """Write vectors as one more file."""
        columns: dict[str, pa.Array] = {
            "key": pa.array([_key(s) for s in sentences], type=pa.binary(16)),
        }
        for view, matrix in vectors.items():
            flat = pa.array(np.ascontiguousarray(matrix).reshape(-1))
            columns[view] = pa.FixedSizeListArray.from_arrays(flat, matrix.shape[1])
        table = pa.table(columns)
        write_table(shard_path(self.folder, len(self._starts)), table)
        self._take(table)

    def _take(self, table: pa.Table) -> None:
        start = len(self._where)
        self._starts.append(start)
        for position, key in enumerate(table["key"].to_pylist()):
            self._where[key] = start + position
        for view in table.column_names[1:]:
            column = table[view].combine_chunks()
            flat = column.flatten().to_numpy(zero_copy_only=False)
            self._vectors.setdefault(view, []).append(flat.reshape(table.num_rows, -1))


def _key(sentence: HasTree) -> bytes:
    heads = np.asarray(sentence.heads, dtype=np.int16).tobytes()
    return hashlib.blake2b(
        sentence.text.encode() + b"\0" + "\0".join(sentence.words).encode() + b"\0" + heads, digest_size=16
    ).digest()


def open_cache(model: Path | str, *settings: str, root: Path | None = None) -> DiskCache:
    """The cache of a model: a folder is known by its files' bytes, anything else by its name and the
    settings."""
    digest = hashlib.sha256("\n".join([str(model), *settings]).encode())
    folder = Path(model)
    files = sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else []
    library = Path(__file__).parent.parent
    code = sorted(path for part in _CODE for path in (library / part).glob("*.py"))
    for path in [*files, *code]:
        digest.update(path.name.encode())
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    home = root or ROOT
    cache = DiskCache(home / digest.hexdigest()[:24])
    _forget(home)
    return cache


def _forget(home: Path) -> None:
    latest = sorted(home.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in latest[_MODELS:]:
        shutil.rmtree(old, ignore_errors=True)
