"""Arrow on disk: a sharded writer and memory-mapped readers; JSON and text files.

A folder of data is a few large Arrow IPC files ``part-00000.arrow``, ``part-00001.arrow`` ... and, if rows
were dropped, a ``report.json`` with the counts by reason. Every file is written atomically.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from pipeline.core.atomic import atomic_path, atomic_stream
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import DOCUMENT, EXAMPLE, SENTENCE, TRIPLET, VARIANT

ROWS_PER_SHARD = 50_000
_PACK = 1_000  # rows that a ShardWriter keeps as Python objects
_BATCH = 1_024  # rows that are read at once


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
    """Write rows (mappings with the schema's columns) as one Arrow IPC file."""
    write_table(path, pa.Table.from_pylist(list(rows), schema=schema))


def combined(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of all tables, dictionaries unified; a column that a table lacks is null."""
    return pa.concat_tables(tables, promote_options="default").unify_dictionaries()


def shard_path(folder: Path, number: int) -> Path:
    """``folder/part-00000.arrow`` for shard 0."""
    return folder / f"part-{number:05d}.arrow"


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

    def _pack(self) -> None:
        self._packed.append(pa.Table.from_pylist(self._pending, schema=self.schema))
        self._pending = []

    def _flush(self) -> None:
        self._pack()
        write_table(shard_path(self.folder, self.shards), combined(self._packed))
        self.shards += 1
        self._packed, self._held = [], 0

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is None and (self._held or self.shards == 0):
            self._flush()


def shards(folder: Path) -> list[Path]:
    """The Arrow files of a folder in order; SynsemError if there are none."""
    found = sorted(folder.glob("part-*.arrow"))
    if not found:
        raise SynsemError(f"{folder}: no part-*.arrow file; run the stage that writes it (dvc repro)")
    return found


def read_file(path: Path) -> pa.Table:
    """Memory-map one Arrow IPC file; SynsemError if it is missing or cut short."""
    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).read_all()
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise SynsemError(
            f"{path}: not a readable Arrow file ({reason}); delete it and run its stage again"
        ) from error


def read(folder: Path) -> pa.Table:
    """All shards of a folder as one table, memory-mapped, dictionaries unified."""
    return combined([read_file(path) for path in shards(folder)])


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Every row of a folder as a dict, shard by shard, in bounded memory."""
    for path in shards(folder):
        for batch in read_file(path).to_batches(max_chunksize=_BATCH):
            yield from to_rows(batch)


def to_rows(table: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    """Every row as a dict, as ``table.to_pylist()`` but four times as fast, as it has no detour by label."""
    plain = pa.schema([(field.name, _without_dictionaries(field.type)) for field in table.schema])
    found: list[dict[str, Any]] = table.cast(plain).to_pylist()
    return found


def to_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The values of a column, as ``column.to_pylist()``; see ``to_rows``."""
    found: list[Any] = column.cast(_without_dictionaries(column.type)).to_pylist()
    return found


def _without_dictionaries(kind: pa.DataType) -> pa.DataType:
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


# What a row of each schema is, and the stage that writes such rows and where.
_WRITTEN = {
    DOCUMENT: ("documents", "download", "data/corpus"),
    EXAMPLE: ("benchmarks", "download", "data/benchmarks"),
    SENTENCE: ("parsed sentences", "parse", "data/parsed/corpus"),
    VARIANT: ("variants", "augment", "data/augmented"),
    TRIPLET: ("training examples", "mine", "data/triplets/sscp"),
}


def require_rows(folder: Path, schema: pa.Schema) -> None:
    """Raise SynsemError if a folder's files lack columns of ``schema``, one of those that a stage writes."""
    content, stage, place = _WRITTEN[schema]
    for path in shards(folder):
        if not set(schema.names) <= set(read_file(path).schema.names):
            raise SynsemError(
                f"{folder}: holds no {content}; name what the {stage} stage writes, such as {place}"
            )


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically: sorted keys, two spaces, a final newline."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 atomically, line ends as they are."""
    with atomic_stream(path) as sink:
        sink.write(text.encode("utf-8"))


def read_json(path: Path) -> Any:
    """Read JSON; SynsemError if the file is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SynsemError(f"{path}: missing; run the stage that writes it (dvc repro)") from error
    except ValueError as error:
        raise SynsemError(
            f"{path}: not a readable JSON file ({error}); run the stage that writes it again"
        ) from error


def read_object(path: Path, *keys: str) -> dict[str, Any]:
    """Read a JSON object; SynsemError if the file holds another value or lacks one of the keys."""
    value = read_json(path)
    missing = keys if not isinstance(value, dict) else [key for key in keys if key not in value]
    if missing or not isinstance(value, dict):
        raise SynsemError(
            f"{path}: not a JSON object with {', '.join(missing) or 'keys'}; run its stage again"
        )
    return value


def read_metrics(path: Path) -> dict[str, dict[str, float]]:
    """Read ``reports/metrics/RUN.json``: by view, every metric under its dotted name, in their order."""
    return {view: dict(_dotted(found)) for view, found in read_object(path).items()}


def _dotted(node: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for key, value in sorted(node.items()):
        if isinstance(value, dict):
            yield from _dotted(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def read_yaml(file: Traversable) -> Any:
    """Read a table of this library that is a YAML file beside its code."""
    # libyaml's loader, ten times as fast, if PyYAML was built with it.
    return yaml.load(file.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def sha256(path: Path) -> str:
    """Hex sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def folder_digest(folder: Path) -> str:
    """Hex sha256 over the names and contents of all files below a folder but training times (cost.json)."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "cost.json":
            digest.update(f"{path.relative_to(folder).as_posix()} {sha256(path)}\n".encode())
    return digest.hexdigest()
