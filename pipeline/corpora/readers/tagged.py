"""Tagged text, ``word/tag`` by spaces, a sentence a line, a document a file (Brown corpus)."""

from collections.abc import Iterator
from itertools import groupby

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a file: its sentences, a line each."""
    for _, lines in groupby(part.input.lines(), key=lambda line: line[0]):
        sentences = [
            " ".join(token.rpartition("/")[0] for token in text.split())
            for _, _, text in lines
            if text.strip()
        ]
        yield Record("\n".join(sentences))
