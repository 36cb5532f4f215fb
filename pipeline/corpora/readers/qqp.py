"""Quora Question Pairs: BiMPM's partition (label, two questions, id) and the official file."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, choice, fields
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a pair; label "1" is a duplicate."""
    for where, row in fields(part, 4, 6):
        if row[-1] == "is_duplicate":
            continue
        label, a, b = row[:3] if len(row) == 4 else (row[5], row[3], row[4])
        yield Record(a, b, presplit=True, label=choice(label, ("0", "1"), where))
