"""Files, compressed files and archives as streams of bytes or lines, safely.

The first bytes tell the compression, not the name. Nothing is unpacked to disk, so a member such as
``../../etc/passwd`` or a link can do no harm; an archive that holds one is refused all the same. A file that
unpacks to far more than its size (a bomb) is refused too.
"""

import bz2
import fnmatch
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from pipeline.core.errors import SynsemError

UNPACKED_RATIO = 200  # text compresses 3 to 20 times; beyond this the file is a bomb
LINE_LIMIT = 1_000_000  # bytes; a longer line is not prose, and would fill the memory
UNPACKED_FLOOR = 256 * 2**20  # bytes that any file may unpack to
_BUFFER = 2**18
_ZSTD_PIECE = 2**10  # packed bytes; zstd unpacks them all at once, to 32 MB at most
# What the standard library raises for a damaged file; NotImplementedError for an encryption that it lacks.
_BROKEN = (
    EOFError, OSError, OverflowError, NotImplementedError, ValueError, struct.error, zlib.error,
    lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError,
)  # fmt: skip
_LITTER = ("__MACOSX/*", "*/.*", ".*")
_NOT_DATA = ("*README*", "*LICENSE*", "_about.txt", "*/_about.txt")


class _Guarded(io.RawIOBase):
    """A stream that turns damage into a SynsemError and stops at a limit of bytes."""

    def __init__(self, inner: Any, name: str, limit: int) -> None:
        self._inner, self._name, self._left = inner, name, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(len(buffer))
        except _BROKEN as error:
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


def _guarded(inner: Any, name: str, limit: int) -> io.BufferedReader:
    return io.BufferedReader(_Guarded(inner, name, limit), _BUFFER)


# How a file begins, by what packed it.
PACKED = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0", "zstd": b"\x28\xb5\x2f\xfd"}
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how such a text begins


_HIGHEST_CONTROL = 8  # below the tab; and above the high byte of Latin, Greek, Cyrillic, Hebrew and Arabic
_LEAST = 3  # characters by which UTF-16 without a mark at its beginning is known


def no_utf8(line: bytes, number: int) -> str:
    """What the bytes of a line show to be no UTF-8 with a usual line end, with the remedy; ``""`` for others.

    UTF-16 without a mark may be valid UTF-8: every second byte is then a control character. Where lines end
    in CR alone, the whole file is the first line.
    """
    marked = number == 1 and line.startswith(UTF_16)
    if marked or (min(line[:2], default=255) <= _HIGHEST_CONTROL and _wide(line)):
        return "is UTF-16; save it as UTF-8"
    if number == 1 and not line.endswith(b"\n") and b"\r" in line:
        return "has lines that end in CR alone; save it with LF as the end of a line"
    return ""


def _wide(line: bytes) -> bool:
    control = [[byte <= _HIGHEST_CONTROL for byte in line[start::2]] for start in (0, 1)]
    return len(line) >= 2 * _LEAST and any(all(a) and not any(b) for a, b in (control, control[::-1]))


def _decompressed(raw: IO[bytes], magic: bytes, name: str, limit: int) -> IO[bytes]:
    if magic.startswith(PACKED["gzip"]):
        return _guarded(gzip.GzipFile(fileobj=raw), name, limit)
    if magic.startswith(PACKED["bzip2"]):
        return _guarded(bz2.BZ2File(raw), name, limit)
    if magic.startswith(PACKED["xz"]):
        return _guarded(lzma.LZMAFile(raw), name, limit)
    if magic.startswith(PACKED["zstd"]):
        import zstandard

        return _guarded(_WholeZstd(zstandard.ZstdDecompressor(), raw), name, limit)
    return raw


class _WholeZstd:
    """zstd frames one after another; EOFError where the last is cut short, which zstandard's reader hides."""

    def __init__(self, decompressor: Any, raw: IO[bytes]) -> None:
        self._decompressor, self._raw = decompressor, raw
        self._frame = decompressor.decompressobj()
        self._ready = b""

    def read(self, size: int) -> bytes:
        while not self._ready:
            between, packed = self._frame.eof, self._frame.unused_data or self._raw.read(_ZSTD_PIECE)
            if not packed and between:
                return b""
            if not packed:
                raise EOFError("the compressed stream ends early")
            if between:
                self._frame = self._decompressor.decompressobj()
            self._ready = self._frame.decompress(packed)
        data, self._ready = self._ready[:size], self._ready[size:]
        return data


def _is_tar(stream: IO[bytes]) -> bool:
    return cast(io.BufferedReader, stream).peek(512)[257:262] == b"ustar"


def _zip(raw: IO[bytes], name: str, member: str | None, limit: int) -> Iterator[tuple[str, IO[bytes]]]:
    try:
        archive = zipfile.ZipFile(raw)
    except _BROKEN as error:
        raise _damaged(name, error) from error
    with archive:
        infos = sorted(archive.infolist(), key=lambda info: info.filename)
        for info in infos:
            _check(name, info.filename, stat.S_ISLNK(info.external_attr >> 16))
        if sum(info.file_size for info in infos) > limit:
            raise SynsemError(
                f"{name}: unpacks to more than {UNPACKED_RATIO} times its size; do not trust this file"
            )
        for info in infos:
            if info.is_dir() or not _wanted(info.filename, member):
                continue
            if info.flag_bits & 1:
                raise SynsemError(f"{name}: {info.filename} is encrypted; unpack it first")
            # zipfile unpacks bzip2 and LZMA at once, whatever size it is asked for: 2 KB may fill the memory.
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise SynsemError(
                    f"{name}: {info.filename} is packed by another method than zip's own (deflate);"
                    " unpack it first"
                )
            try:
                stream = archive.open(info)
            except _BROKEN as error:
                raise _damaged(f"{name}/{info.filename}", error) from error
            with stream:
                yield f"{name}/{info.filename}", _guarded(stream, f"{name}/{info.filename}", limit)


def _tar(stream: IO[bytes], name: str, member: str | None) -> Iterator[tuple[str, IO[bytes]]]:
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for info in archive:
                _check(name, info.name, not (info.isfile() or info.isdir()))
                if info.isfile() and _wanted(info.name, member):
                    inner = cast(IO[bytes], archive.extractfile(info))
                    yield f"{name}/{info.name}", _guarded(inner, f"{name}/{info.name}", info.size)
                # It would keep a thousand bytes of each member, to find it again.
                archive.members.clear()  # type: ignore[attr-defined]
    except _BROKEN as error:
        raise _damaged(name, error) from error


def _check(archive: str, member: str, special: bool) -> None:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1]):
        raise SynsemError(
            f"{archive}: its member {member!r} points outside the archive; do not trust this file"
        )
    if special:
        raise SynsemError(f"{archive}: its member {member!r} is a link or a device; do not trust this file")


def _wanted(member: str, pattern: str | None) -> bool:
    member = member.removeprefix("./")  # of ``tar -C FOLDER .``

    def matches(patterns: tuple[str, ...]) -> bool:
        return any(fnmatch.fnmatchcase(member, each) for each in patterns)

    if matches(_LITTER):
        return False
    return not matches(_NOT_DATA) if pattern is None else matches((pattern,))


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
        """Yield (name, binary stream) of the file, or of each member of an archive, sorted by name.

        A stream is valid until the next one. Raises SynsemError where the file is missing, empty, damaged or
        unsafe; also while a stream is read.
        """
        try:
            raw: IO[bytes] = self.path.open("rb", buffering=_BUFFER)
        except OSError as error:
            raise SynsemError(f"{self.name}: cannot be read ({error.strerror}); check the path") from error
        found = False
        with raw:
            magic = raw.read(6)
            raw.seek(0)
            if not magic:
                raise SynsemError(f"{self.name}: is empty; fetch or write it again")
            limit = max(UNPACKED_FLOOR, UNPACKED_RATIO * self.path.stat().st_size)
            if magic.startswith((b"PK\x03\x04", b"PK\x05\x06")):
                members = _zip(raw, self.name, self.member, limit)
            else:
                stream = _decompressed(raw, magic, self.name, limit)
                tar = _is_tar(stream)
                members = _tar(stream, self.name, self.member) if tar else iter([(self.name, stream)])
            for inner, stream in members:
                found = True
                yield inner, stream
        if not found:
            wanted = self.member or "any text file"
            raise SynsemError(f"{self.name}: no member matches {wanted!r}; check the archive")

    def lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield (name, number from 1, line without its end) over all streams."""
        for name, stream in self.streams():
            for number, line in self.decoded(name, stream):
                yield name, number, line

    def decoded(self, name: str, stream: IO[bytes]) -> Iterator[tuple[int, str]]:
        """Yield (number from 1, line without its end) of one stream.

        Raises SynsemError naming the line that is too long, not in the file's encoding, or holds NUL bytes,
        and for UTF-16 and lines that end in CR alone.
        """
        number = 0
        while raw := stream.readline(LINE_LIMIT + 1):
            number += 1
            if told := no_utf8(raw, number):
                raise SynsemError(f"{name}: {told}")
            if len(raw) > LINE_LIMIT:
                raise SynsemError(
                    f"{name}:{number}: a line of more than {LINE_LIMIT:,} bytes; break it into paragraphs"
                )
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
