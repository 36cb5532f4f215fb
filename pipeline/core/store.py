"""Arrow on disk: a sharded writer and memory-mapped readers; JSON and text files too.

A folder of data is a few large Arrow IPC files ``part-00000.arrow``, ``part-00001.arrow`` ... and, where
rows were dropped, a ``report.json`` with the counts by reason. Every file is written atomically.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline.core.atomic import atomic_path, atomic_stream, demand_own
from pipeline.core.columns import to_rows
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import DOCUMENT, EXAMPLE, MOST_LABELS, SENTENCE, TRIPLET, VARIANT


def write_table(path: Path, table: pa.Table) -> None:
    """Write one Arrow IPC file atomically, as a single record batch."""
    write_batches(path, table.schema, table.combine_chunks().to_batches())


def write_batches(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write one Arrow IPC file atomically, of record batches with the same dictionaries."""
    with (
        atomic_path(path) as partial,
        pa.OSFile(str(partial), "wb") as sink,
        pa.ipc.new_file(sink, schema) as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> None:
    """Write rows (mappings with the schema's columns) as one Arrow IPC file.

    Raises SynsemError where a column has more labels than it can number.
    """
    write_table(path, _table(path, list(rows), schema))


# What Arrow says where it has to number the labels of a column in more bits than the schema has.
_WIDER = re.compile(r"Column data for field (\d+) .*dictionary.* is inconsistent with schema")


def _table(path: Path, rows: list[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except pa.ArrowInvalid as error:
        if found := _WIDER.match(str(error)):
            raise _too_many_labels(path, schema.names[int(found[1])]) from error
        raise


def combined(tables: Sequence[pa.Table], path: Path) -> pa.Table:
    """The rows of all tables, dictionaries unified, of or for ``path``; a column that a table lacks is null.

    Raises SynsemError naming the path where a column has more labels than it can number.
    """
    table = pa.concat_tables(tables, promote_options="default")
    try:
        return table.unify_dictionaries()
    except pa.ArrowInvalid as error:
        for name in table.column_names:
            try:
                table.select([name]).unify_dictionaries()
            except pa.ArrowInvalid:
                raise _too_many_labels(path, name) from error
        raise


def _too_many_labels(path: Path, column: str) -> SynsemError:
    return SynsemError(
        f"{path}: more than {MOST_LABELS:,} different values of {column!r}; take out of the input what is no"
        " label there (_ in CoNLL-U)"
    )


def shard_path(folder: Path, number: int) -> Path:
    """``folder/part-00000.arrow`` for shard 0."""
    return folder / f"part-{number:05d}.arrow"


ROWS_PER_SHARD = 50_000
_PACK = 1_000  # rows that a ShardWriter keeps as Python objects


class ShardWriter:
    """Stream rows into ``part-*.arrow`` files of ``rows_per_shard`` rows each, in bounded memory.

    A context manager: the last, shorter shard is written on a clean exit. At least one shard is always
    written, so that an empty folder of data still has its schema.
    """

    def __init__(self, folder: Path, schema: pa.Schema, rows_per_shard: int = ROWS_PER_SHARD) -> None:
        self.folder, self.schema, self.rows_per_shard = folder, schema, rows_per_shard
        self.rows = self.shards = 0
        self._pending: list[Mapping[str, Any]] = []
        self._packed: list[pa.Table] = []  # the shard's earlier rows, in a tenth of the memory
        self._held = 0  # rows of both

    def __enter__(self) -> "ShardWriter":
        return self

    def add(self, row: Mapping[str, Any]) -> None:
        """Append one row."""
        self._pending.append(row)
        self.rows += 1
        self._held += 1
        if self._held == self.rows_per_shard:
            self._flush()
        elif len(self._pending) == _PACK:
            self._pack()

    def cut(self) -> None:
        """End the current shard early, for instance because its rows are large."""
        if self._held:
            self._flush()

    def _pack(self) -> None:
        self._packed.append(_table(self.folder, self._pending, self.schema))
        self._pending = []

    def _flush(self) -> None:
        self._pack()
        # Labels are numbered as they first appear, as if all rows had been packed at once.
        table = combined(self._packed, self.folder)
        write_table(shard_path(self.folder, self.shards), table)
        self.shards += 1
        self._packed, self._held = [], 0

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is None and (self._held or self.shards == 0):
            self._flush()


def shards(folder: Path) -> list[Path]:
    """The Arrow files of a folder in order; a SynsemError where there are none."""
    found = sorted(folder.glob("part-*.arrow"))
    if not found:
        raise SynsemError(f"{folder}: no part-*.arrow file; run the stage that writes it (dvc repro)")
    return found


def read_file(path: Path) -> pa.Table:
    """Memory-map one Arrow IPC file; a SynsemError where it is damaged or missing."""
    try:
        with pa.memory_map(str(path)) as source:
            table = pa.ipc.open_file(source).read_all()
        _validate(path, table)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last: of a column's name
        reason = " ".join(str(error).split())
        raise SynsemError(
            f"{path}: not a readable Arrow file ({reason}); delete it and run its stage again"
        ) from error
    return table


FileState = tuple[str, int, int, int]
_valid: set[FileState] = set()


def file_state(path: Path) -> FileState:
    """The absolute path and what changes with a file's content: inode, time of change, size in bytes."""
    status = path.stat()
    return str(path.absolute()), status.st_ino, status.st_mtime_ns, status.st_size


def _validate(path: Path, table: pa.Table) -> None:
    """Raise where offsets, indices or UTF-8 are broken, which would crash the process later.

    This reads the whole file, so a process does it once, unless the file has changed.
    """
    state = file_state(path)
    if state not in _valid:
        table.validate(full=True)
        _valid.add(state)


def read(folder: Path) -> pa.Table:
    """All shards of a folder as one table, memory-mapped, dictionaries unified."""
    return combined([read_file(path) for path in shards(folder)], folder)


# What a row of each schema is, and the stage that writes such rows and where.
_WRITTEN = {
    DOCUMENT: ("documents", "download", "data/corpus"),
    EXAMPLE: ("benchmarks", "download", "data/benchmarks"),
    SENTENCE: ("parsed sentences", "parse", "data/parsed/corpus"),
    VARIANT: ("variants", "augment", "data/augmented"),
    TRIPLET: ("training examples", "mine", "data/triplets/sscp"),
}


def require_rows(folder: Path, schema: pa.Schema) -> None:
    """Raise SynsemError where a folder's files lack columns of ``schema``, which one of the stages writes."""
    content, stage, place = _WRITTEN[schema]
    for path in shards(folder):
        if not set(schema.names) <= set(read_file(path).schema.names):
            raise SynsemError(
                f"{folder}: holds no {content}; name what the {stage} stage writes, such as {place}"
            )


def demand_own_rows(folder: Path, schema: pa.Schema, *others: str) -> None:
    """Raise SynsemError where a folder that is to be replaced holds what its own stage has not written.

    That is rows of another stage's schema, or files beside ``part-*.arrow`` and the patterns ``others``.
    """
    demand_own(folder, "part-*.arrow", *others)
    for path in sorted(folder.glob("part-*.arrow"))[:1]:
        try:
            with pa.memory_map(str(path)) as source:
                names = set(pa.ipc.open_file(source).schema.names)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            return  # cut short by a power cut: its stage makes it again
        for known, (content, stage, _) in _WRITTEN.items():
            if set(known.names) <= names and not set(schema.names) <= names:
                raise SynsemError(
                    f"{folder}: holds {content} of the stage {stage}, which would be deleted;"
                    " name a new folder"
                )


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Every row of a folder as a dict, shard by shard, in bounded memory."""
    for path in shards(folder):
        for batch in read_file(path).to_batches(max_chunksize=1024):
            yield from to_rows(batch)


@dataclass(frozen=True)
class Slice:
    """A range of rows of one shard: what a worker is given instead of the rows themselves."""

    path: Path
    start: int
    stop: int

    def read(self) -> pa.Table:
        """The rows, memory-mapped."""
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


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically: sorted keys, two spaces, a final newline."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 atomically, line ends as they are; to a device, a pipe or what a link names, as it is."""
    with atomic_stream(path) as sink:
        sink.write(text.encode("utf-8"))


def read_json(path: Path) -> Any:
    """Read JSON; a SynsemError where the file is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SynsemError(f"{path}: missing; run the stage that writes it (dvc repro)") from error
    except (OSError, ValueError) as error:
        raise SynsemError(
            f"{path}: not a readable JSON file ({error}); run the stage that writes it again"
        ) from error


def read_object(path: Path, *keys: str) -> dict[str, Any]:
    """Read a JSON object; a SynsemError where the file holds another value or lacks one of the keys."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise SynsemError(f"{path}: not a JSON object; run the stage that writes it again")
    if missing := [key for key in keys if key not in value]:
        raise SynsemError(f"{path}: has no {', '.join(missing)}; run the stage that writes it again")
    return value


def sha256(path: Path) -> str:
    """Hex sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
