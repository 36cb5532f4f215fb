"""Vectors and scores of a model on disk, between runs: rows by key, in a folder that its content decides."""

import hashlib
import math
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core import scratch
from pipeline.core.store import read_file, sha256, write_table

Matrices = dict[str, NDArray[np.float32]]  # a row for each key, by the name of the view
_MODELS_KEPT = 8
_CODE = ("nn", "syntax", "systems")  # parts of the library that decide what a model makes of a sentence
_READERS = Path("evaluation/models.py")  # how other people's models are read


class DiskCache:
    """Rows of one model by key, in ``part-*.arrow`` files that are only ever added to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._place: dict[bytes, tuple[int, int]] = {}  # key -> file and row
        self._files: list[Matrices] = []
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for path in sorted(folder.glob("part-*.arrow")):
            self._take(read_file(path))

    def __len__(self) -> int:
        return len(self._place)

    def find(self, keys: Sequence[bytes]) -> tuple[list[int], Matrices]:
        """Positions of the keys that are known, and their rows in that order, one matrix a view."""
        known = [position for position, key in enumerate(keys) if key in self._place]
        if not known:
            return [], {}
        places = np.array([self._place[keys[position]] for position in known])
        vectors: Matrices = {}
        for view, first in self._files[places[0, 0]].items():
            out = np.empty((len(known), first.shape[1]), dtype=np.float32)
            for number in np.unique(places[:, 0]):
                mine = places[:, 0] == number
                out[mine] = self._files[number][view][places[mine, 1]]
            vectors[view] = out
        return known, vectors

    def add(self, keys: Sequence[bytes], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Write rows as one more file, which appears whole or not at all."""
        columns: dict[str, pa.Array] = {"key": pa.array(keys, type=pa.binary(16))}
        for view, matrix in vectors.items():
            flat = pa.array(np.ascontiguousarray(matrix).reshape(-1))
            columns[view] = pa.FixedSizeListArray.from_arrays(flat, matrix.shape[1])
        # Named by what it holds: another process may have added files since this one looked.
        name = hashlib.sha256(b"".join(keys)).hexdigest()[:24]
        path = self.folder / f"part-{name}.arrow"
        write_table(path, pa.table(columns))
        self._take(read_file(path))  # memory-mapped: a large corpus need not fit into memory

    def _take(self, table: pa.Table) -> None:
        number = len(self._files)
        for row, key in enumerate(table["key"].to_pylist()):
            self._place[key] = (number, row)
        self._files.append({view: _matrix(table[view]) for view in table.column_names[1:]})


def _matrix(column: pa.ChunkedArray) -> np.ndarray:
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()  # the first copies nothing
    flat = whole.flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(column), -1))


def open_cache(
    model: Path | str, *settings: str, root: Path | None = None, uses_library: bool = True
) -> DiskCache:
    """The cache of a model: a folder is known by its files' bytes, any other name by itself and its settings.

    ``uses_library`` says that the vectors depend on this library's model code, which is then part of the
    key. Opening a new model removes the least recently used ones beyond eight.
    """
    digest = hashlib.sha256(model_digest(model, *settings).encode())
    library = Path(__file__).parent.parent
    code = [path for part in _CODE for path in scratch.deciding(library / part)]
    for path in [*code, library / _READERS] if uses_library else []:
        digest.update(path.name.encode() + bytes.fromhex(sha256(path)))
    home = root or scratch.ROOT / "embeddings"
    cache = DiskCache(home / digest.hexdigest()[:24])
    # The folder may be a user's own.
    caches = [path for path in home.iterdir() if scratch.KEY.fullmatch(path.name)]
    latest = sorted(caches, key=_last_opened, reverse=True)
    for old in latest[_MODELS_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return cache


def _last_opened(folder: Path) -> float:
    """When a cache was opened last, in seconds; infinity where another process has just removed it."""
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def model_digest(model: Path | str, *settings: str) -> str:
    """Hex digest of a model: of its files' names and bytes wherever its folder lies, else of its name."""
    folder = Path(model)
    digest = hashlib.sha256("\n".join(["" if folder.is_dir() else str(model), *settings]).encode())
    for path in _files(folder):
        digest.update(path.relative_to(folder).as_posix().encode() + bytes.fromhex(sha256(path)))
    return digest.hexdigest()


def origin_of_results(digest: str, metrics: Path) -> dict[str, str]:
    """What ``model.json`` beside a run's results says: a ``model_digest``, and that of the metrics file."""
    return {"model": digest, "metrics": sha256(metrics)}


def _files(folder: Path) -> list[Path]:
    """The files of a model's folder, sorted; none where it is the name of a model."""
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
