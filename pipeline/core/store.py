"""Files that appear whole or not at all: Arrow tables, JSON and text, and folders of them.

A folder of data is a few large Arrow IPC files ``part-00000.arrow``, ``part-00001.arrow`` ... and, if rows
were dropped, a ``report.json`` with the counts by reason. Arrow and YAML are imported where they are used: an
install that only embeds text may lack Arrow, and starts sooner.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import json
import os
import shutil
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.core.errors import SynsemError

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_SHARD = 50_000
_PACK = 1_000  # rows that a ShardWriter keeps as Python objects
_BATCH = 1_024  # rows that are read at once


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a path next to ``path`` for a new file, which replaces ``path`` on a clean exit.

    A device or pipe is written to directly.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve() if path.is_symlink() else path
    path.parent.mkdir(parents=True, exist_ok=True)
    # Hidden, so that part-*.arrow does not match it, and with the suffix that some libraries go by.
    partial = path.with_name(f".{uuid.uuid4().hex[:8]}.{path.name}")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def atomic_folder(folder: Path, *written: str) -> Iterator[Path]:
    """Yield an empty folder next to ``folder``, which replaces it on a clean exit.

    ``written`` are patterns of the names that an earlier run may have left in ``folder``. Raises SynsemError
    if anything else is there, which would be lost, or if another run is writing the folder.
    """
    folder = folder.resolve() if folder.is_symlink() else folder
    check_replaceable(folder, *written)
    partial = folder.with_name(folder.name + ".partial")
    partial.mkdir(parents=True, exist_ok=True)
    old = folder.with_name(folder.name + ".old")
    with exclusive_lock(partial):
        remove(old)
        for left in partial.iterdir():
            remove(left)
        try:
            yield partial
        except BaseException:
            shutil.rmtree(partial)
            raise
        for path in partial.rglob("*.safetensors"):
            path.chmod(partial.stat().st_mode & 0o666)  # safetensors lets nobody else read what it writes
        # A folder cannot replace another, so the old one is moved out of the way first.
        if folder.exists():
            folder.rename(old)
        partial.rename(folder)
        try:
            remove(old)
        except OSError as error:  # a folder that is read-only
            print(f"{folder}: written; delete the earlier one, {old} ({error.strerror})", file=sys.stderr)


def check_replaceable(folder: Path, *written: str) -> None:
    """Raise SynsemError if a folder that is to be replaced holds names that match none of the patterns."""
    if folder.is_dir():
        for name in sorted(path.name for path in folder.iterdir()):
            if not any(fnmatchcase(name, pattern) for pattern in (*written, ".DS_Store")):
                raise SynsemError(
                    f"{folder}: holds other files, such as {name}, which would be deleted; name a new folder"
                )
    elif folder.exists():
        raise SynsemError(f"{folder}: is a file, which would be deleted; name a folder")


@contextmanager
def exclusive_lock(folder: Path) -> Iterator[None]:
    """Hold a folder against other runs until the block or the process ends.

    Raises SynsemError if another run holds it.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SynsemError(f"{folder}: another run is writing to it; wait until it ends") from error
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Delete a file, a folder with its contents, or a symbolic link itself, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_table(path: Path, table: pa.Table) -> None:
    """Write one Arrow IPC file, a record batch for each chunk of the table."""
    import pyarrow as pa

    with atomic_path(path) as partial, pa.ipc.new_file(str(partial), table.schema) as writer:
        writer.write_table(table)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> None:
    """Write rows (mappings with the schema's columns) as one Arrow IPC file."""
    import pyarrow as pa

    write_table(path, pa.Table.from_pylist(list(rows), schema=schema))


def combined(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the rows of all tables, dictionaries unified; a column that a table lacks is null."""
    import pyarrow as pa

    return pa.concat_tables(tables, promote_options="default").unify_dictionaries()


def shard_path(folder: Path, number: int) -> Path:
    """Return ``folder/part-00000.arrow`` for shard 0."""
    return folder / f"part-{number:05d}.arrow"


class ShardWriter:
    """Stream rows into ``part-*.arrow`` files of ``rows_per_shard`` rows each, in bounded memory.

    A context manager: the last, shorter shard is written on a clean exit. At least one shard is always
    written, so that an empty folder of data still has its schema.
    """

    def __init__(self, folder: Path, schema: pa.Schema, rows_per_shard: int = ROWS_PER_SHARD) -> None:
        self.folder, self.schema, self.rows_per_shard = folder, schema, rows_per_shard
        self._rows: list[Mapping[str, Any]] = []
        self._packed: list[pa.Table] = []  # the shard's earlier rows, _PACK each, in a tenth of the memory
        self._shards = 0  # written

    def __enter__(self) -> ShardWriter:
        return self

    def add(self, row: Mapping[str, Any]) -> None:
        """Append one row."""
        self._rows.append(row)
        full = _PACK * len(self._packed) + len(self._rows) == self.rows_per_shard
        if full or len(self._rows) == _PACK:
            self._pack(last=full)

    def _pack(self, last: bool) -> None:
        import pyarrow as pa

        self._packed.append(pa.Table.from_pylist(self._rows, schema=self.schema))
        self._rows = []
        if last:
            write_table(shard_path(self.folder, self._shards), combined(self._packed).combine_chunks())
            self._packed, self._shards = [], self._shards + 1

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is None and (self._rows or self._packed or not self._shards):
            self._pack(last=True)


def shards(folder: Path) -> list[Path]:
    """Return the Arrow files of a folder in order; SynsemError if there are none."""
    found = sorted(folder.glob("part-*.arrow"))
    if not found:
        raise SynsemError(f"{folder}: no part-*.arrow file; run the stage that writes it (dvc repro)")
    return found


def read_file(path: Path) -> pa.Table:
    """Memory-map one Arrow IPC file; SynsemError if it is missing or cut short."""
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).read_all()
    except (pa.ArrowException, OSError) as error:
        raise SynsemError(
            f"{path}: not a readable Arrow file ({error}); delete it and run its stage again"
        ) from error


def read(folder: Path) -> pa.Table:
    """Return all shards of a folder as one table, memory-mapped, dictionaries unified."""
    return combined([read_file(path) for path in shards(folder)])


def rows(folder: Path, *names: str) -> Iterator[dict[str, Any]]:
    """Yield the named columns, by default all, of every row of a folder, in bounded memory."""
    for path in shards(folder):
        table = read_file(path)
        for batch in table.select(names or table.column_names).to_batches(max_chunksize=_BATCH):
            yield from to_rows(batch)


def languages(folder: Path) -> list[str]:
    """Return the languages of a folder's rows, sorted; none if it has no shard."""
    columns = (read_file(path)["lang"] for path in folder.glob("part-*.arrow"))
    return sorted({lang for column in columns for lang in column.unique().to_pylist()})


def to_rows(table: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    """Return every row as a dict, as ``table.to_pylist()`` but four times as fast: labels are cast first."""
    import pyarrow as pa

    plain = pa.schema([(field.name, _without_dictionaries(field.type)) for field in table.schema])
    found: list[dict[str, Any]] = table.cast(plain).to_pylist()
    return found


def to_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values of a column, as ``column.to_pylist()``; see ``to_rows``."""
    found: list[Any] = column.cast(_without_dictionaries(column.type)).to_pylist()
    return found


def _without_dictionaries(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(_without_dictionaries(kind.value_type))
    return kind


@dataclass(frozen=True)
class Slice:
    """A range of rows of one shard: what a worker is given instead of the rows themselves."""

    path: Path
    start: int
    stop: int

    def read(self) -> pa.Table:
        """Return the rows, memory-mapped."""
        return read_file(self.path).slice(self.start, self.stop - self.start)


def slices(folder: Path, rows_per_slice: int) -> list[Slice]:
    """Split a folder's shards into ranges of at most ``rows_per_slice`` rows, in order.

    No range crosses the end of a record batch, so that joining shards into larger files changes no range.
    """
    found = []
    for path in shards(folder):
        start = 0
        for batch in read_file(path).to_batches():
            stop = start + len(batch)
            found += [
                Slice(path, first, min(first + rows_per_slice, stop))
                for first in range(start, stop, rows_per_slice)
            ]
            start = stop
    return found


def require_rows(folder: Path, schema: pa.Schema) -> None:
    """Raise SynsemError if a folder's files lack columns of ``schema``."""
    for path in shards(folder):
        found = read_file(path).schema.names
        if lacking := [name for name in schema.names if name not in found]:
            raise SynsemError(
                f"{folder}: has no column {lacking[0]}; run the stage that writes it (dvc repro)"
            )


def write_text(path: Path, text: str) -> None:
    """Write UTF-8, line ends as they are."""
    with atomic_path(path) as partial:
        partial.write_bytes(text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write JSON: sorted keys, two spaces, a final newline."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path: Path, *keys: str) -> Any:
    """Read JSON; SynsemError if the file is missing, damaged or lacks one of the keys."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SynsemError(f"{path}: missing; run the stage that writes it (dvc repro)") from error
    except ValueError as error:
        raise SynsemError(f"{path}: not a readable JSON file ({error}); run its stage again") from error
    if missing := [key for key in keys if key not in value]:
        raise SynsemError(f"{path}: lacks {', '.join(missing)}; run its stage again")
    return value


def read_metrics(path: Path) -> dict[str, dict[str, float]]:
    """Read ``reports/metrics/RUN.json``: by view, every metric under its dotted name, in their order."""
    return {
        view: {name: value for name, value in dotted(found) if not isinstance(value, dict)}
        for view, found in read_json(path).items()
    }


def dotted(node: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all that is in a mapping and the mappings in it, under dotted names in alphabetical order."""
    for key, value in sorted(node.items()):
        yield prefix + key, value
        if isinstance(value, dict):
            yield from dotted(value, f"{prefix}{key}.")


@functools.cache
def read_yaml(file: Path) -> Any:
    """Read a table of this library, a YAML file next to its code, once; do not change it."""
    import yaml

    # libyaml's loader, ten times as fast, if PyYAML was built with it.
    return yaml.load(file.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def sha256(path: Path) -> str:
    """Return the hex sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def folder_digest(folder: Path) -> str:
    """Return a sha256 over names and contents of all files below a folder but training times (cost.json)."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "cost.json":
            digest.update(f"{path.relative_to(folder).as_posix()} {sha256(path)}\n".encode())
    return digest.hexdigest()
