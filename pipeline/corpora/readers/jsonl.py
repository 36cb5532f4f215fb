"""JSON lines: an object a line, its text under "text" (or "sentence", "sentence1", ...)."""

import json
from collections.abc import Iterator

from pipeline.corpora.readers.named import columns, record
from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a line; the first line tells the columns."""
    found: dict[str, str] | None = None
    for name, number, line in part.input.lines():
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SynsemError(f"{name}:{number}: not JSON ({error}); mend the line") from error
        if not isinstance(row, dict):
            raise SynsemError(f"{name}:{number}: a {type(row).__name__}, not an object; mend the line")
        found = found or columns(part, list(row))
        yield record(row, found, f"{name}:{number}")
