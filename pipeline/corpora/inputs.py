"""A fetched file as streams of bytes or lines; compression is told by the first bytes, not by the name."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pipeline.corpora import archives
from pipeline.errors import SynsemError

LINE_LIMIT = 1_000_000  # bytes; a longer line is not prose, and must not fill the memory


@dataclass(frozen=True)
class Input:
    """A file on this disk and how to read it.

    ``name`` stands in messages. ``member`` is a glob over an archive's members; None takes every data file.
    """

    path: Path
    name: str
    member: str | None = None
    encoding: str = "utf-8"
    errors: str = "strict"

    def streams(self) -> Iterator[tuple[str, IO[bytes]]]:
        """Yield (name, binary stream) of the file, or of each member of an archive, sorted by name.

        Raises SynsemError, also while a stream is read, where the file is missing, empty, damaged or unsafe.
        """
        yield from archives.streams(self.path, self.name, self.member)

    def lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield (name, number from 1, line without its end) over all streams."""
        for name, stream in self.streams():
            for number, line in self.decoded(name, stream):
                yield name, number, line

    def decoded(self, name: str, stream: IO[bytes]) -> Iterator[tuple[int, str]]:
        """Yield (number from 1, line without its end) of one stream.

        Raises SynsemError naming the line that is too long, not in the file's encoding, or holds NUL bytes.
        """
        number = 0
        while raw := stream.readline(LINE_LIMIT + 1):
            number += 1
            if len(raw) > LINE_LIMIT:
                raise SynsemError(
                    f"{name}:{number}: a line of more than {LINE_LIMIT:,} bytes; break it into paragraphs"
                )
            if number == 1 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise SynsemError(f"{name}: is UTF-16; save it as UTF-8")
            if b"\0" in raw:
                raise SynsemError(
                    f"{name}:{number}: holds NUL bytes, so it is not text; save it as UTF-8 text"
                )
            try:
                line = raw.decode(self.encoding, self.errors)
            except UnicodeDecodeError as error:
                raise SynsemError(
                    f"{name}:{number}: not {self.encoding.upper()} (byte {error.start + 1} of the line);"
                    " save it as UTF-8"
                ) from error
            yield number, line.removeprefix("\ufeff").rstrip("\r\n") if number == 1 else line.rstrip("\r\n")
