"""Two texts and a class or a score, by tabs, no header: PAWS-X (XTREME form), LCQMC, BQ, Chinese STS-B."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, fields, number
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a pair; with the option ``score`` the third column is a number, else a class."""
    for where, (a, b, value) in fields(part, 3):
        if part.options.get("score"):
            yield Record(a, b, presplit=True, score=number(value, where))
        else:
            yield Record(a, b, presplit=True, label=value.strip())
