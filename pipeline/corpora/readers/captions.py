"""Image captions: ``IMAGE#N``, a tab, the caption (Flickr8k, Flickr30k)."""

from collections.abc import Iterator

from pipeline.corpora.readers.part import Part, fields
from pipeline.corpora.records import Record


def read(part: Part) -> Iterator[Record]:
    """One record a caption; captions of one image share its name as pair_id."""
    for _, (image, caption) in fields(part, 2):
        yield Record(caption, presplit=True, pair_id=image.partition("#")[0])
