"""SNLI in SentEval's layout: three files, premise, hypothesis and class, line by line."""

from collections.abc import Iterator
from itertools import zip_longest

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a pair; SynsemError where the three files differ in length."""
    files = (part.role("s1"), part.role("s2"), part.role("labels"))
    for a, b, label in zip_longest(*(file.lines() for file in files)):
        if a is None or b is None or label is None:
            raise SynsemError(f"{part.name}: s1, s2 and labels differ in their number of lines")
        yield Record(a[2], b[2], presplit=True, label=label[2].strip())
