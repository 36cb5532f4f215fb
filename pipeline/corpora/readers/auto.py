"""The reader that a file's own suffix or first line asks for."""

from collections.abc import Iterator
from pathlib import PurePath

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_PACKED = {".gz", ".bz2", ".xz", ".zst"}
_BY_SUFFIX = {
    ".arrow": "columnar",
    ".conllu": "conllu",
    ".csv": "table",
    ".feather": "columnar",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".md": "text",
    ".mrg": "bracketed",
    ".parquet": "columnar",
    ".text": "text",
    ".tsv": "table",
    ".txt": "text",
    ".xml": "mediawiki",
}


def read(part: Part) -> Iterator[Record]:
    """The records of a user's file; SynsemError where neither its name nor its start tells how to read it."""
    from pipeline.corpora.readers import reader

    yield from reader(_guess(part))(part)


def _guess(part: Part) -> str:
    outer = _by_suffix(part.input.name)
    if outer:
        return outer
    for name, stream in part.input.streams():  # of an archive the first member tells
        inner = _by_suffix(name)
        if inner:
            return inner
        start = stream.read(512).lstrip()
        if start.startswith(b"<doc id="):
            return "wikiextractor"
        if start.startswith(b"<mediawiki"):
            return "mediawiki"
        break
    raise SynsemError(
        f"{part.name}: neither its name nor its start tells how to read it;"
        f" write READER:PATH, such as text:{part.name}"
    )


def _by_suffix(name: str) -> str | None:
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return _BY_SUFFIX.get(suffixes[-1]) if suffixes else None
