"""Files whose lines belong together: translations (Multi30k, LASER) or rewrites (ASSET) of one sentence."""

from collections.abc import Iterator
from itertools import zip_longest

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a line of every file, tied by pair_id; of exactly two files, one record with both texts.

    With the option ``languages`` the roles are languages. Raises SynsemError where a file has fewer lines.
    """
    roles = list(part.inputs)
    for row in zip_longest(*(part.inputs[role].lines() for role in roles)):
        if any(line is None for line in row):
            short = part.inputs[roles[row.index(None)]].name
            raise SynsemError(
                f"{short}: has fewer lines than the file it is aligned with; mend or refetch it"
            )
        texts = [line[2] for line in row]
        langs = roles if part.options.get("languages") else [None] * len(roles)
        if len(roles) == 2:
            yield Record(texts[0], texts[1], lang=langs[0], b_lang=langs[1], presplit=True)
            continue
        pair = f"{row[0][0].rpartition('/')[2]}.{row[0][1]}"
        for text, lang in zip(texts, langs, strict=True):
            yield Record(text, lang=lang, presplit=True, pair_id=pair)
