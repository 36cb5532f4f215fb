"""Two texts a line, by a tab: ManyThings/Tatoeba pairs (a third column is its attribution) and the like."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, fields
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a line; the option ``lang`` is the language of the second text."""
    for _, row in fields(part, 2, 3):
        yield Record(row[0], row[1], b_lang=part.options.get("lang"), presplit=True)
