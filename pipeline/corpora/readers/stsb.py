"""The STS Benchmark: genre, file, year, id, score, two sentences, and in some rows their two origins."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, fields, number
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a pair, score 0 to 5; the subset is the genre (main-captions, main-forums, main-news)."""
    for where, row in fields(part, 7, 8, 9):
        yield Record(row[5], row[6], presplit=True, score=number(row[4], where), subset=row[0])
