"""Dependency trees as plain columns, a word a line, a blank line between sentences (STBC, NLTK)."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a sentence; the option ``form`` is the column of the word, counted from 0."""
    column = part.options.get("form", 1)
    words: list[str] = []
    before = None
    for name, number, line in part.input.lines():
        if words and (not line.strip() or name != before):
            yield Record(" ".join(words), presplit=True)
            words = []
        before = name
        if line.strip():
            row = line.split("\t")
            if len(row) <= column:
                raise SynsemError(f"{name}:{number}: no column {column + 1}; choose another reader")
            words.append(row[column])
    if words:
        yield Record(" ".join(words), presplit=True)
