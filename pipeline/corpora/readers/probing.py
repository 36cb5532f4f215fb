"""Probing tasks: SentEval (split, label, sentence) and X-Probe (sentence, label), by tabs."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, choice, fields
from pipeline.corpora.records import Record

_SPLITS = {"tr": "train", "va": "dev", "te": "test"}


def read(part: Part) -> Iterator[Record]:
    """One record a sentence, with its class."""
    for where, row in fields(part, 2, 3):
        if len(row) == 2:
            yield Record(row[0], presplit=True, label=row[1])
        else:
            split = _SPLITS[choice(row[0], tuple(_SPLITS), where)]
            yield Record(row[2], presplit=True, label=row[1], split=split)
