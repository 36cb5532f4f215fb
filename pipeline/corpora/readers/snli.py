"""SNLI as given out: JSON lines with sentence1, sentence2 and gold_label."""

import json
from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a pair on which the annotators agreed (a gold label other than "-")."""
    for name, number, line in part.input.lines():
        try:
            row = json.loads(line)
            a, b, label = row["sentence1"], row["sentence2"], row["gold_label"]
            if not all(isinstance(value, str) for value in (a, b, label)):
                raise TypeError("a value is no string")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SynsemError(f"{name}:{number}: not a row of SNLI ({error}); fetch it again") from error
        if label != "-":
            yield Record(a, b, presplit=True, label=label)
