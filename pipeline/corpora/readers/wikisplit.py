"""WikiSplit: a sentence, a tab, and the sentences it was split into, parted by ``<::::>``."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, fields
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """The long sentence and each of its parts, tied by pair_id."""
    for where, (whole, split) in fields(part, 2):
        pair = where.rpartition("/")[2]
        yield Record(whole, presplit=True, pair_id=pair)
        for piece in split.split("<::::>"):
            yield Record(piece, presplit=True, pair_id=pair)
