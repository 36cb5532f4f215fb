"""Wikipedia introductions as one JSON object of title -> {title, extract, ...}."""

import json
from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record an article: its introduction and title."""
    for name, stream in part.input.streams():
        try:
            entries = json.load(stream)
            for entry in entries.values():
                text, title = entry["extract"], entry["title"]
                if not isinstance(text, str) or not isinstance(title, str):
                    raise TypeError(f"{title!r} is no text")
                yield Record(text, title=title)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise SynsemError(
                f"{name}: not a JSON object of title to {{title, extract}} ({error})"
            ) from error
