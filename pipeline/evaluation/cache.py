"""Embeddings and pair scores kept between runs, by content: the model's weights and code decide the
folder, the sentence or the pair the row.

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
from pipeline.store import read_file, shard_path, shards, write_table

ROOT = Path(os.environ.get("SYNSEM_SCRATCH", ".scratch")) / "embeddings"
_MODELS = 8
_CODE = ("nn", "systems")  # parts of the library that decide what a model makes of a sentence


class DiskCache:
    """Rows of one model by key, in ``part-*.arrow`` files that are only ever added to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._where: dict[bytes, tuple[int, int]] = {}  # key -> file and row
        self._files: list[Vectors] = []
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for path in shards(folder) if any(folder.glob("part-*.arrow")) else []:
            self._take(read_file(path))

    def find(self, keys: Sequence[bytes]) -> tuple[list[int], Vectors]:
        """Positions of the keys that are known, and their rows in that order, one matrix a view."""
        known = [position for position, key in enumerate(keys) if key in self._where]
        if not known:
            return [], {}
        places = np.array([self._where[keys[position]] for position in known])
        vectors: Vectors = {}
        for view, first in self._files[places[0, 0]].items():
            out = np.empty((len(known), first.shape[1]), dtype=np.float32)
            for number in np.unique(places[:, 0]):
                mine = places[:, 0] == number
                out[mine] = self._files[number][view][places[mine, 1]]
            vectors[view] = out
        return known, vectors

    def add(self, keys: Sequence[bytes], vectors: Vectors) -> None:
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
            self._where[key] = (number, row)
        self._files.append({view: _matrix(table[view]) for view in table.column_names[1:]})


def _matrix(column: pa.ChunkedArray) -> np.ndarray:
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(column), -1))


def open_cache(model: Path | str, *settings: str, root: Path | None = None, ours: bool = True) -> DiskCache:
    """The cache of a model: a folder is known by its files' bytes, anything else by its name and the
    settings.

    ``ours`` says that the vectors depend on this library's model code, which then is part of the key.
    """
    digest = hashlib.sha256("\n".join([str(model), *settings]).encode())
    folder = Path(model)
    files = sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else []
    library = Path(__file__).parent.parent
    code = sorted(path for part in (_CODE if ours else ()) for path in (library / part).glob("*.py"))
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
