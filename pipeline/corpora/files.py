"""Files, compressed files and archives as streams of bytes or lines, and what a reader makes of them.

The first bytes tell the compression, not the name. Nothing is unpacked to disk.
"""

import bz2
import fnmatch
import gzip
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, zip_longest
from pathlib import Path, PurePath
from typing import IO, Any, NamedTuple

from pipeline.core.errors import SynsemError

LINE_LIMIT = 1_000_000  # bytes; a longer line is not prose, and would fill the memory
_DAMAGED = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError)
_PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
_LITTER = re.compile(r"__MACOSX/|(.*/)?\.")
_NOT_DATA = re.compile(r".*(README|LICENSE)|(.*/)?_about\.txt$")  # read only if ``member`` asks for it


def _members(raw: Any, pattern: str | None) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (name, stream) of each wanted member of an archive, or ("", stream) of a plain or packed file."""

    def is_wanted(name: str) -> bool:
        name = name.removeprefix("./")  # of ``tar -C FOLDER .``
        wanted = not _NOT_DATA.match(name) if pattern is None else fnmatch.fnmatchcase(name, pattern)
        return wanted and not name.endswith("/") and not _LITTER.match(name)

    magic = raw.peek(6)
    if magic.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        with zipfile.ZipFile(raw) as archive:
            for name in filter(is_wanted, sorted(archive.namelist())):
                with archive.open(name) as stream:
                    yield name, stream
        return
    unpack = next((each for start, each in _PACKED.items() if magic.startswith(start)), None)
    stream = unpack(raw) if unpack else raw
    if stream.peek(512)[257:262] != b"ustar":
        yield "", stream
        return
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for info in tar:
            if is_wanted(info.name) and (inner := tar.extractfile(info)):
                yield info.name, inner


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

        A stream is valid until the next one. Raises SynsemError if the file is missing, empty or damaged.
        """
        if not self.path.exists():
            raise SynsemError(f"{self.name}: no such file; check the path")
        if not self.path.stat().st_size:
            raise SynsemError(f"{self.name}: is empty; fetch or write it again")
        found = False
        with self.path.open("rb", buffering=2**18) as raw:
            try:
                for inner, stream in _members(raw, self.member):
                    found = True
                    yield f"{self.name}/{inner}" if inner else self.name, stream
            except _DAMAGED as error:
                raise _damaged(self.name, error) from error
        if not found:
            raise SynsemError(f"{self.name}: no member matches {self.member or 'any text file'!r}")

    def texts(self) -> Iterator[tuple[str, Iterator[tuple[int, str]]]]:
        """Yield (name, lines) of the file or each member; a line is (number from 1, text without its end).

        Raises SynsemError naming the line that is too long, damaged or not in the file's encoding.
        """
        for name, stream in self.streams():
            yield name, self._decoded(name, stream)

    def lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield (name, number from 1, line without its end) of all texts."""
        for name, lines in self.texts():
            for number, line in lines:
                yield name, number, line

    def _decoded(self, name: str, stream: IO[bytes]) -> Iterator[tuple[int, str]]:
        for number in count(1):
            try:
                raw = stream.readline(LINE_LIMIT + 1)
            except _DAMAGED as error:
                raise _damaged(name, error) from error
            if not raw:
                return
            if len(raw) > LINE_LIMIT:
                raise SynsemError(
                    f"{name}:{number}: a line of more than {LINE_LIMIT:,} bytes; break it into paragraphs"
                )
            try:
                line = raw.decode(self.encoding, self.errors)
            except UnicodeDecodeError:
                line = "\0"
            if "\0" in line:  # such as UTF-16 without a mark, or no text at all
                raise SynsemError(f"{name}:{number}: not {self.encoding.upper()} text; save it as UTF-8")
            yield number, (line.removeprefix("\ufeff") if number == 1 else line).rstrip("\r\n")


def _damaged(name: str, error: Exception) -> SynsemError:
    return SynsemError(f"{name}: damaged or cut short ({error}); delete it and fetch it again")


class Document(NamedTuple):
    """One row of a source: as a reader yields it, maybe a pair; cleaned, one text with an id.

    ``pair_id`` is shared by texts of several rows that translate or paraphrase each other, such as captions
    of one image; the two texts of one row need none. It is unique within its source, or ``shared:...`` if it
    links texts of several sources. ``score`` is graded similarity, ``label`` a class; a row has at most one
    of them.
    """

    text: str
    b: str | None = None  # the second text of a pair
    title: str | None = None
    lang: str | None = None  # of text; None means the source's language
    b_lang: str | None = None
    presplit: bool = False  # the text is one sentence already
    pair_id: str | None = None
    split: str | None = None  # None: that of the file it was read from; of a cleaned one, by a hash of whole
    subset: str | None = None
    score: float | None = None
    label: str | None = None
    work: str | None = None  # what it is a part of, such as an article: the parts of one are in one split
    gold: bool = False  # the text is a tree in CoNLL-U: kept as it is, in the split of its file
    source: str = ""
    doc_id: str = ""

    @property
    def whole(self) -> str:
        """What is in one split: the pair, otherwise the parts of one work, otherwise only the document."""
        return self.pair_id or (f"{self.source}:{self.work}" if self.work else self.doc_id)


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


def side_by_side(part: Part) -> Iterator[dict[str, tuple[str, int, str]]]:
    """Yield the lines of a part's files that belong together, by role: (name, number from 1, text).

    Raises SynsemError if a file has fewer lines than another.
    """
    for row in zip_longest(*(each.lines() for each in part.inputs.values())):
        lines = dict(zip(part.inputs, row, strict=True))
        if short := [part.inputs[role].name for role, line in lines.items() if line is None]:
            raise SynsemError(
                f"{short[0]}: has fewer lines than the file it is aligned with; fix it or fetch it again"
            )
        yield lines


# What files and columns call the splits.
SPLITS = dict.fromkeys(("train", "training"), "train") | dict.fromkeys(("test", "testing"), "test")
SPLITS |= dict.fromkeys(("dev", "devel", "development", "trial", "val", "valid", "validation"), "dev")


def plain(name: str) -> str:
    """Return a file's name without the suffix of a compression."""
    return re.sub(r"\.(gz|bz2|xz)$", "", name, flags=re.IGNORECASE)


def suffix(name: str) -> str:
    """Return the suffix of a file's name, in lower case and below that of a compression; "" for none."""
    return PurePath(plain(name)).suffix.lower()
