"""One sentence a line, as it stands: ``lines:PATH``."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a line that is not blank."""
    for _, _, line in part.input.lines():
        if line.strip():
            yield Record(line, presplit=True)
