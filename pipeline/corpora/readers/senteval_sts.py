"""SemEval STS in SentEval's layout: a file of pairs by tabs, and a file of gold scores, line by line."""

from collections.abc import Iterator
from itertools import zip_longest

from pipeline.corpora.readers.part import Part, number
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a scored pair (0 to 5); a pair whose gold line is empty was never scored and is left out.

    Raises SynsemError where the two files have not the same number of lines, or a line is no pair.
    """
    for pair, gold in zip_longest(part.role("pairs").lines(), part.role("gold").lines()):
        if pair is None or gold is None:
            raise SynsemError(f"{part.name}: pairs and gold scores differ in their number of lines")
        if not gold[2].strip():
            continue
        where = f"{pair[0]}:{pair[1]}"
        texts = pair[2].split("\t")
        if len(texts) < 2:  # SemEval 2016 adds the two origins
            raise SynsemError(f"{where}: not two texts parted by a tab; mend the line")
        yield Record(texts[0], texts[1], presplit=True, score=number(gold[2], f"{gold[0]}:{gold[1]}"))
