"""The Microsoft Research Paraphrase Corpus: Quality, two ids, two sentences, with a header line."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, choice, fields
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a pair; label "1" is a paraphrase."""
    for where, (label, _, _, a, b) in fields(part, 5):
        if label != "Quality":
            yield Record(a, b, presplit=True, label=choice(label, ("0", "1"), where))
