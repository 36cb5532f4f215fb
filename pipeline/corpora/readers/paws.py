"""PAWS: id, two sentences, label 0 or 1; the header line is there in the original and gone in some copies."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, choice, fields
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a pair; label "1" is a paraphrase."""
    for where, (key, a, b, label) in fields(part, 4):
        if key != "id":
            yield Record(a, b, presplit=True, label=choice(label, ("0", "1"), where))
