"""What a reader takes and yields: a ``Part``, files that are read together, and ``Record``, a row of them."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, NamedTuple

from pipeline.core.errors import SynsemError
from pipeline.corpora.archives import Input


class Record(NamedTuple):
    """One row of a source, before cleaning.

    ``b`` is the second text of a pair, ``None`` for a single text. ``pair_id`` is shared by texts of several
    records that translate or paraphrase each other, such as captions of one image; the two texts of one
    record need none. It is unique within its source, or ``shared:...`` where it links texts of several
    sources. ``score`` is graded similarity, ``label`` a class; a record has at most one of them.
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

    def role(self, name: str) -> Input:
        """The file with that role; SynsemError where the part has none."""
        if name not in self.inputs:
            raise SynsemError(f"{self.name}: lacks the file in the role {name!r}; check sources.yaml")
        return self.inputs[name]

    @property
    def name(self) -> str:
        """The first file's name, for messages."""
        return next(iter(self.inputs.values())).name


def fields(part: Part, count: int, *more: int) -> Iterator[tuple[str, list[str]]]:
    """Split each line of the part's only file at tabs: (NAME:LINE, fields). Quotes have no meaning.

    Blank lines are skipped. Raises SynsemError where a line has not ``count`` fields, or one of ``more``.
    """
    for name, number, line in part.input.lines():
        if not line.strip():
            continue
        row = line.split("\t")
        if len(row) != count and len(row) not in more:
            wanted = " or ".join(str(n) for n in (count, *more))
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
PACKED = (".gz", ".bz2", ".xz", ".zst")  # suffixes of compressed files


def suffix(name: str) -> str:
    """The suffix of a file's name, in lower case and below that of a compression; "" for none."""
    found = [each.lower() for each in PurePath(name).suffixes]
    while found and found[-1] in PACKED:
        found.pop()
    return found[-1] if found else ""


_DECIMAL = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*")


def number(text: str, where: str, column: str = "score") -> float:
    """A finite decimal number; SynsemError naming place and column where there is another text or none."""
    if not text.strip():
        raise missing(where, column)
    # Python's float takes "nan", "inf" and "1_0" too.
    if not _DECIMAL.fullmatch(text) or not math.isfinite(value := float(text)):
        raise SynsemError(f"{where}: {column} {text!r} is not a number; fix the line")
    return value


def missing(where: str, column: str) -> SynsemError:
    """The error for a value that is needed and not there."""
    return SynsemError(f"{where}: {column} is missing; fill it in or remove the line")


def choice(text: str, allowed: tuple[str, ...], where: str) -> str:
    """A label of ``allowed``; SynsemError naming the place where it is another one."""
    if text not in allowed:
        raise SynsemError(f"{where}: label {text!r} is none of {', '.join(allowed)}; fix the line")
    return text
