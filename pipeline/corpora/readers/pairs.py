"""Texts that belong together: translations, paraphrases, captions.

pairs      two texts a line, by a tab: ManyThings/Tatoeba (a third column is the attribution) and the like
aligned    files whose lines belong together: translations (Multi30k, LASER) or rewrites (ASSET)
captions   ``IMAGE#N``, a tab, the caption (Flickr8k, Flickr30k)
wikisplit  a sentence, a tab, and the sentences it was split into, with ``<::::>`` between them
"""

from collections.abc import Iterator
from itertools import zip_longest

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import OTHER_PARTS
from pipeline.corpora.readers.base import Part, Record, fields


def read_pairs(part: Part) -> Iterator[Record]:
    """One record a line; the option ``lang`` is the language of the second text."""
    for _, row in fields(part, 2, 3):
        yield Record(row[0], row[1], b_lang=part.options.get("lang"), presplit=True)


def read_aligned(part: Part) -> Iterator[Record]:
    """One record a line of every file, linked by pair_id; of exactly two files, one record with both texts.

    With the option ``languages`` the roles are languages. Raises SynsemError where a file has fewer lines.
    """
    roles = list(part.inputs)
    for row in zip_longest(*(part.inputs[role].lines() for role in roles)):
        if any(line is None for line in row):
            short = part.inputs[roles[row.index(None)]].name
            raise SynsemError(
                f"{short}: has fewer lines than the file it is aligned with; fix it or fetch it again"
            )
        texts = [line[2] for line in row]
        langs = roles if part.options.get("languages") else [None] * len(roles)
        if len(roles) == 2:
            yield Record(texts[0], texts[1], lang=langs[0], b_lang=langs[1], presplit=True)
            continue
        pair = f"{part.folder}{row[0][0].rpartition('/')[2]}.{row[0][1]}"
        for text, lang in zip(texts, langs, strict=True):
            yield Record(text, lang=lang, presplit=True, pair_id=pair)


def read_captions(part: Part) -> Iterator[Record]:
    """One record a caption; captions of one image share its name as pair_id."""
    for _, (image, caption) in fields(part, 2):
        yield Record(caption, presplit=True, pair_id=image.partition("#")[0])


def read_wikisplit(part: Part) -> Iterator[Record]:
    """The long sentence and each of its parts, linked by pair_id."""
    for where, (whole, split) in fields(part, 2):
        parts = split.split("<::::>")
        pair = part.folder + where.rpartition("/")[2] + ("" if len(parts) == 2 else OTHER_PARTS)
        yield Record(whole, presplit=True, pair_id=pair)
        for short in parts:
            yield Record(short, presplit=True, pair_id=pair)
