"""Files, compressed files and archives as streams of bytes or lines, and what a reader makes of them.

The first bytes tell the compression, not the name. Nothing is unpacked to disk. An archive with a member that
points outside is refused all the same, and so is a file that unpacks to far more than its size (a bomb).
"""

import bz2
import fnmatch
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from pipeline.core.errors import SynsemError

UNPACKED_RATIO = 200  # text compresses 3 to 20 times; beyond this the file is a bomb
UNPACKED_FLOOR = 256 * 2**20  # bytes that any file may unpack to
LINE_LIMIT = 1_000_000  # bytes; a longer line is not prose, and would fill the memory
_BUFFER = 2**18
_DAMAGED = (
    EOFError, OSError, NotImplementedError, ValueError, struct.error, zlib.error, lzma.LZMAError,
    zipfile.BadZipFile, tarfile.TarError,
)  # fmt: skip
_PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
_LITTER = ("__MACOSX/*", "*/.*", ".*")
_NOT_DATA = ("*README*", "*LICENSE*", "_about.txt", "*/_about.txt")
PACKED = (".gz", ".bz2", ".xz")  # suffixes of compressed files


class _Limited(io.RawIOBase):
    """A stream that turns damage into a SynsemError and stops at a limit of bytes."""

    def __init__(self, inner: Any, name: str, limit: int) -> None:
        self._inner, self._name, self._left = inner, name, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(len(buffer))
        except _DAMAGED as error:
            raise _damaged(self._name, error) from error
        self._left -= len(data)
        if self._left < 0:
            raise SynsemError(
                f"{self._name}: unpacks to more than {UNPACKED_RATIO} times its size; do not trust this file"
            )
        buffer[: len(data)] = data
        return len(data)


def _damaged(name: str, error: Exception) -> SynsemError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return SynsemError(f"{name}: damaged or cut short ({reason}); delete it and fetch it again")


def _limited(inner: Any, name: str, limit: int) -> io.BufferedReader:
    return io.BufferedReader(_Limited(inner, name, limit), _BUFFER)


def _zip(raw: IO[bytes], name: str, member: str | None, limit: int) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(raw) as archive:
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            _check(name, info.filename)
            if info.is_dir() or not _wanted(info.filename, member):
                continue
            # zipfile unpacks bzip2 and LZMA at once, whatever size it is asked for: 2 KB may fill the memory.
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise SynsemError(
                    f"{name}: {info.filename} is encrypted, or not packed by deflate; unpack it first"
                )
            with archive.open(info) as stream:
                yield f"{name}/{info.filename}", _limited(stream, f"{name}/{info.filename}", limit)


def _tar(stream: IO[bytes], name: str, member: str | None) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for info in archive:
            _check(name, info.name)
            if info.isfile() and _wanted(info.name, member):
                inner = cast(IO[bytes], archive.extractfile(info))
                yield f"{name}/{info.name}", _limited(inner, f"{name}/{info.name}", info.size)
            archive.members.clear()  # type: ignore[attr-defined]  # a thousand bytes each


def _check(archive: str, member: str) -> None:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1]):
        raise SynsemError(f"{archive}: its member {member!r} points outside of it; do not trust this file")


def _wanted(member: str, pattern: str | None) -> bool:
    member = member.removeprefix("./")  # of ``tar -C FOLDER .``
    unwanted = _LITTER if pattern else (*_LITTER, *_NOT_DATA)
    wanted = fnmatch.fnmatchcase(member, pattern or "*")
    return wanted and not any(fnmatch.fnmatchcase(member, each) for each in unwanted)


@dataclass(frozen=True)
class Input:
    """A file on this disk and how to read it.

    Messages call it ``name``. ``member`` is a glob over an archive's members; None takes every data file.
    """

    path: Path
    name: str
    member: str | None = None
    encoding: str = "utf-8"
    errors: str = "strict"

    def streams(self) -> Iterator[tuple[str, IO[bytes]]]:
        """Yield (name, binary stream) of the file, or of each member of an archive.

        A stream is valid until the next one. Raises SynsemError if the file is missing, empty, damaged or
        unsafe; also while a stream is read.
        """
        if not self.path.exists():
            raise SynsemError(f"{self.name}: no such file; check the path")
        found = False
        with self.path.open("rb", buffering=_BUFFER) as raw:
            magic = cast(io.BufferedReader, raw).peek(6)
            if not magic:
                raise SynsemError(f"{self.name}: is empty; fetch or write it again")
            limit = max(UNPACKED_FLOOR, UNPACKED_RATIO * self.path.stat().st_size)
            try:
                for inner, stream in self._members(raw, magic, limit):
                    found = True
                    yield inner, stream
            except _DAMAGED as error:
                raise _damaged(self.name, error) from error
        if not found:
            raise SynsemError(f"{self.name}: no member matches {self.member or 'any text file'!r}")

    def _members(self, raw: Any, magic: bytes, limit: int) -> Iterator[tuple[str, IO[bytes]]]:
        if magic.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            yield from _zip(raw, self.name, self.member, limit)
            return
        unpack = next((each for start, each in _PACKED.items() if magic.startswith(start)), None)
        stream = _limited(unpack(raw), self.name, limit) if unpack else raw
        if stream.peek(512)[257:262] == b"ustar":
            yield from _tar(stream, self.name, self.member)
        else:
            yield self.name, stream

    def lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield (name, number from 1, line without its end) over all streams."""
        for name, stream in self.streams():
            for number, line in self.decoded(name, stream):
                yield name, number, line

    def decoded(self, name: str, stream: IO[bytes]) -> Iterator[tuple[int, str]]:
        """Yield (number from 1, line without its end) of one stream.

        Raises SynsemError naming the line that is too long or not in the file's encoding.
        """
        number = 0
        while raw := stream.readline(LINE_LIMIT + 1):
            number += 1
            if len(raw) > LINE_LIMIT:
                raise SynsemError(
                    f"{name}:{number}: a line of more than {LINE_LIMIT:,} bytes; break it into paragraphs"
                )
            try:
                line = raw.decode(self.encoding, self.errors)
            except UnicodeDecodeError as error:
                raise _no_text(f"{name}:{number}", self.encoding) from error
            if "\0" in line:  # UTF-16 without a mark, or no text at all
                raise _no_text(f"{name}:{number}", self.encoding)
            yield number, (line.removeprefix("\ufeff") if number == 1 else line).rstrip("\r\n")


def _no_text(where: str, encoding: str) -> SynsemError:
    return SynsemError(f"{where}: not {encoding.upper()} text; save it as UTF-8")


class Record(NamedTuple):
    """One row of a source, before cleaning.

    ``b`` is the second text of a pair, None for a single text. ``pair_id`` is shared by texts of several
    records that translate or paraphrase each other, such as captions of one image; the two texts of one
    record need none. It is unique within its source, or ``shared:...`` if it links texts of several sources.
    ``score`` is graded similarity, ``label`` a class; a record has at most one of them.
    """

    text: str
    b: str | None = None
    title: str | None = None
    lang: str | None = None  # of text; None means the source's language
    b_lang: str | None = None
    presplit: bool = False  # the text is one sentence already
    pair_id: str | None = None
    split: str | None = None  # None means the split of the file it was read from
    subset: str | None = None
    score: float | None = None
    label: str | None = None
    work: str | None = None  # what it is a part of, such as an article: the parts of one are in one split
    gold: bool = False  # the text holds trees (CoNLL-U, brackets): kept as it is, in the split of its file


@dataclass(frozen=True)
class Part:
    """Files of a source that are read together, by role; a single file has the role ``""``.

    ``options`` are the location's own settings for its reader. ``folder`` (``""`` or ``NAME/``) is where they
    lie below the folder of a user's own files, which may hold files of one name in several folders.
    """

    inputs: Mapping[str, Input]
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: str = ""

    @property
    def input(self) -> Input:
        """The only file."""
        (only,) = self.inputs.values()
        return only


def fields(part: Part, *counts: int) -> Iterator[tuple[str, list[str]]]:
    """Split each line of the part's only file at tabs: (NAME:LINE, fields). Quotes have no meaning.

    Blank lines are skipped. Raises SynsemError if a line has another number of fields than ``counts`` allow.
    """
    for name, number, line in part.input.lines():
        if not line.strip():
            continue
        row = line.split("\t")
        if len(row) not in counts:
            wanted = " or ".join(map(str, counts))
            raise SynsemError(
                f"{name}:{number}: {len(row)} tab-separated columns where {wanted} belong;"
                " fix the line or choose another reader"
            )
        yield f"{name}:{number}", row


# What files and columns call the splits.
SPLITS = {
    "train": "train", "training": "train",
    "dev": "dev", "devel": "dev", "development": "dev", "trial": "dev",
    "val": "dev", "valid": "dev", "validation": "dev",
    "test": "test", "testing": "test",
}  # fmt: skip


def suffix(name: str) -> str:
    """Return the suffix of a file's name, in lower case and below that of a compression; "" for none."""
    found = [each.lower() for each in PurePath(name).suffixes]
    while found and found[-1] in PACKED:
        found.pop()
    return found[-1] if found else ""
