"""Gold constituency trees (Penn Treebank, .mrg) that are to stay with their sentences.

Each tree is a document whose text is its brackets: the parse stage takes the words from them, parses these to
dependencies, and lets the tree travel with the sentence (``Sentence.constituents``).
"""

from collections.abc import Iterator

from pipeline.corpora.readers.bracketed import brackets
from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a tree. Raises SynsemError where a file is cut short."""
    for name, stream in part.input.streams():
        for _, tree in brackets(name, part.input.decoded(name, stream)):
            yield Record(" ".join(tree.split()), gold=True)
