"""TREC question classification: ``COARSE:fine question`` a line (Li & Roth 2002)."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_COARSE = {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}


def read(part: Part) -> Iterator[Record]:
    """One record a question; the label is the coarse class."""
    for name, number, line in part.input.lines():
        kind, _, question = line.strip().partition(" ")
        coarse = kind.partition(":")[0]
        if coarse not in _COARSE or not question:
            raise SynsemError(f"{name}:{number}: not 'COARSE:fine question'; mend the line")
        yield Record(question, presplit=True, label=coarse)
