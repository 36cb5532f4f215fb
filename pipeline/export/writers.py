"""Vectors to a file or a pipe, chunk by chunk, as Parquet, JSON lines or NumPy."""

import fcntl
import io
import json
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.core.errors import SynsemError
from pipeline.systems.base import Views


class Writer(ABC):
    """Takes texts and their vectors in chunks; as a context manager it finishes unless something failed."""

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is None:
            self.finish()
        else:
            self.abandon()

    @abstractmethod
    def write(self, texts: Sequence[str], views: Views) -> None:
        """Append n texts and their vectors, float32 [n, D] a view."""

    @abstractmethod
    def finish(self) -> None:
        """Write what belongs at the end."""

    def abandon(self) -> None:  # noqa: B027 - most need no clean-up
        """Write nothing more."""


class _Stoppable(io.RawIOBase):
    """Passes bytes on until it is stopped: Arrow's writer writes its footer even when it is thrown away."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink, self.stopped = sink, False

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """All of it, or nothing any more."""
        if not self.stopped:
            self._sink.write(data)
        return len(data)


class ParquetWriter(Writer):
    """Columns: ``text``, and a fixed-size list of float32 a view; a row group a chunk."""

    def __init__(self, sink: BinaryIO, widths: Mapping[str, int]) -> None:
        # The footer counts places from the start: after another table it would be read as that one.
        if sink.seekable() and (sink.tell() or (_appends(sink) and os.fstat(sink.fileno()).st_size)):
            raise _not_appended("parquet", "table")
        fields = [(name, pa.list_(pa.float32(), width)) for name, width in widths.items()]
        self.schema = pa.schema([("text", pa.string()), *fields])
        self.sink = _Stoppable(sink)
        self.writer = pq.ParquetWriter(self.sink, self.schema)

    def write(self, texts: Sequence[str], views: Views) -> None:
        """See ``Writer``."""
        vectors = [
            pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])
            for matrix in (views[name] for name in self.schema.names[1:])
        ]
        self.writer.write_table(pa.table([pa.array(texts, pa.string()), *vectors], schema=self.schema))

    def finish(self) -> None:
        """Write the footer."""
        self.writer.close()

    def abandon(self) -> None:
        """Write no footer, so that an incomplete table cannot be read as a whole one."""
        self.sink.stopped = True
        self.writer.close()


class JsonLinesWriter(Writer):
    """An object a line: ``text``, and a list of numbers a view, short but exact as float32."""

    def __init__(self, sink: BinaryIO, widths: Mapping[str, int]) -> None:
        self.sink, self.names = sink, list(widths)

    def write(self, texts: Sequence[str], views: Views) -> None:
        """See ``Writer``."""
        for row, text in enumerate(texts):
            lists = (f', "{name}": [{_numbers(views[name][row])}]' for name in self.names)
            line = f'{{"text": {json.dumps(text, ensure_ascii=False)}{"".join(lists)}}}\n'
            self.sink.write(line.encode())

    def finish(self) -> None:
        """Nothing: every line is complete."""


class NumpyWriter(Writer):
    """One matrix, float32 [n, D], to be loaded with ``numpy.load(path, mmap_mode="r")``."""

    def __init__(self, sink: BinaryIO, widths: Mapping[str, int]) -> None:
        if len(widths) > 1:
            raise SynsemError(f"--format npy: holds one view; choose --view from {', '.join(widths)}")
        if not sink.seekable():
            raise SynsemError("--format npy: cannot go to a pipe, since its length comes first; give --out")
        if sink.tell() or _appends(sink):
            raise _not_appended("npy", "matrix")
        self.sink, self.rows = sink, 0
        [(self.view, self.width)] = widths.items()
        # Until the end it is no header, so that a part of the matrix cannot be read as a whole one.
        self.sink.write(bytes(len(self._header())))

    def _header(self) -> bytes:
        # NumPy leaves room for the first dimension to grow, so the header's length stays what it is.
        shape = {"descr": "<f4", "fortran_order": False, "shape": (self.rows, self.width)}
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, shape)
        return header.getvalue()

    def write(self, texts: Sequence[str], views: Views) -> None:
        """See ``Writer``."""
        self.sink.write(views[self.view].astype("<f4", copy=False).tobytes())
        self.rows += len(texts)

    def finish(self) -> None:
        """Put the header before the rows, whose number it has."""
        self.sink.seek(0)
        self.sink.write(self._header())


FORMATS: dict[str, Callable[[BinaryIO, Mapping[str, int]], Writer]] = {
    "parquet": ParquetWriter,
    "jsonl": JsonLinesWriter,
    "npy": NumpyWriter,
}


def format_of(name: str | None, path: Path | None) -> str:
    """The format by name, else by the file's suffix, else parquet; a SynsemError for one that is unknown."""
    chosen = name or (path.suffix.removeprefix(".").lower() if path else "") or "parquet"
    if chosen not in FORMATS:
        raise SynsemError(
            f"{'--format' if name else path}: {chosen!r} is no known format; choose from {', '.join(FORMATS)}"
        )
    return chosen


def _not_appended(kind: str, whole: str) -> SynsemError:
    return SynsemError(f"--format {kind}: cannot be appended to a file, being one {whole}; give --out")


def _appends(sink: BinaryIO) -> bool:
    """Whether all that is written goes to a file's end, as by ``>>`` of a shell, wherever the position is."""
    try:
        regular = stat.S_ISREG(os.fstat(sink.fileno()).st_mode)
        return regular and bool(fcntl.fcntl(sink.fileno(), fcntl.F_GETFL) & os.O_APPEND)
    except OSError:  # in memory: io.UnsupportedOperation
        return False


def _numbers(vector: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]") -> str:
    return ", ".join(map(str, vector))
