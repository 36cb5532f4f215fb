"""Fetched files -> parts -> records, each record knowing its split and subset."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipeline.corpora.fetching.cache import address
from pipeline.corpora.fetching.fetch import Fetched
from pipeline.corpora.inputs import Input
from pipeline.corpora.readers import reader
from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.corpora.registry import File
from pipeline.errors import SynsemError


def records(fetched: Fetched) -> Iterator[Record]:
    """Every record of a source, its split and subset filled in from the file where the reader does not say.

    Raises SynsemError where a file cannot be read, or where the source has no record at all.
    """
    location = fetched.location
    read = reader(location.reader)
    options = dict(location.options)
    encoding, errors = options.pop("encoding", "utf-8"), options.pop("errors", "strict")
    labelled = options.pop("labelled", None)  # only records of that label, such as the paraphrases of a set
    count = 0
    for group in _groups(fetched):
        first = group[0][0]
        inputs = {
            file.role: Input(path, address(location, file), file.member, encoding, errors)
            for file, path in group
        }
        for record in read(Part(inputs, options)):
            count += 1
            if labelled is not None and record.label != labelled:
                continue
            if record.split is None or record.subset is None:
                record = record._replace(
                    split=first.split if record.split is None else record.split,
                    subset=first.subset if record.subset is None else record.subset,
                )
            yield record
    if count == 0:
        raise SynsemError(
            f"{fetched.source.name}: its {len(location.files)} file(s) hold no text; check {location.at}"
        )


def _groups(fetched: Fetched) -> list[list[tuple[File, Path]]]:
    """Files with roles are read together, by split and subset; every other file is read by itself."""
    groups: dict[tuple[object, ...], list[tuple[File, Path]]] = defaultdict(list)
    for position, (file, path) in enumerate(fetched.files()):
        groups[file.split, file.subset, "" if file.role else position].append((file, path))
    return list(groups.values())
