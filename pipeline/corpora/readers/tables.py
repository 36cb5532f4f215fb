"""Rows whose columns have names: the usual names of columns tell which field of a record each one is.

table     CSV or TSV with a header line; quotes as in RFC 4180, in TSV only around a field with doubled ones
columnar  Parquet and Arrow IPC (file, stream or Feather), batch by batch
jsonl     JSON lines: an object a line
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from pipeline.core.errors import SynsemError
from pipeline.corpora.clean import regular
from pipeline.corpora.files import LINE_LIMIT, SPLITS, Part, Record, number, suffix

_NAMES = {
    "text": (
        "text", "sentence", "content", "document", "a", "sentence1", "sentence_a", "premise", "question1",
    ),
    "b": ("b", "sentence2", "sentence_b", "hypothesis", "question2", "paraphrase", "translation"),
    "title": ("title",),
    "lang": ("lang", "language"),
    "score": ("score", "similarity_score", "relatedness_score"),
    "label": ("label", "gold_label", "is_duplicate", "class"),
    "split": ("split",),
    "pair_id": ("pair_id",),
}  # fmt: skip
# Fields that nobody cleans later.
_SHORT = frozenset({"label", "lang", "pair_id", "split"})
# Whether two texts say the same, as other programs write it; pandas turns 1 into 1.0 beside a missing one.
_SAME = {"1.0": "1", "true": "1", "0.0": "0", "false": "0"}
_BATCH = 1024


def _columns_of(present: list[str], where: str, needed: bool = True) -> dict[str, str]:
    """Which column holds which field of a record, by the usual names.

    Raises SynsemError if two columns that are read have one name or, with ``needed``, if none holds a text.
    """
    lower = {name.lower(): name for name in present}
    found = {
        field: lower[next(name for name in usual if name in lower)]
        for field, usual in _NAMES.items()
        if not lower.keys().isdisjoint(usual)
    }
    counts = Counter(name.lower() for name in present)
    if twice := [name for name in found.values() if counts[name.lower()] > 1]:
        raise SynsemError(f"{where}: has more than one column {twice[0]!r}; rename or drop one")
    if needed and "text" not in found:
        there = ", ".join(present[:8]) or "none"
        hint = "save it with commas or tabs" if len(present) == 1 and ";" in there else "rename a column"
        raise SynsemError(f"{where}: has no column 'text' (or 'sentence1', ...) among {there}; {hint}")
    return found


def _record(row: Mapping[str, Any], found: Mapping[str, str], where: str) -> Record:
    """One row as a record; ``found`` is what ``_columns_of`` returned.

    A pair needs its score, if there is a column for scores, or a label. A text alone has no score: what
    stands there, such as the stars of a review, is not read. A second text that is null says that there is
    none; one that is empty stays so, for the row to be dropped as half a pair.
    """
    values = {field: row[name] for field, name in found.items() if not _is_missing(row.get(name))}
    text = values.pop("text", "")
    for field, value in (("text", text), ("b", values.get("b", ""))):
        if not isinstance(value, str):
            raise SynsemError(f"{where}: {found[field]!r} is {value!s:.40}, not a string; fix the row")
    if "b" not in values:
        values.pop("score", None)
    elif "score" in values or ("score" in found and "label" not in values):
        values["score"] = number(str(values.get("score", "")), where, found["score"])
    if "b" in found and row.get(found["b"]) == "":
        values["b"] = ""
    strings = {field: str(value) for field, value in values.items() if field != "score"}
    for field in _SHORT & strings.keys():
        strings[field] = regular(strings[field], one_line=True)
        if not strings[field]:
            del values[field], strings[field]
    if "b" in strings and "label" in strings:
        strings["label"] = _SAME.get(strings["label"].casefold(), strings["label"])
    if "split" in strings:
        strings["split"] = SPLITS.get(strings["split"].casefold(), strings["split"])
    return Record(text, **(values | strings))


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)+"')  # a whole field, with a quote in it


def read_table(part: Part) -> Iterator[Record]:
    """Yield a record for each row; the suffix tells TSV from CSV, otherwise a tab in the header line does.

    Raises SynsemError if a needed column is missing or a row has not as many fields as the header.
    """
    csv.field_size_limit(LINE_LIMIT)
    for name, stream in part.input.streams():
        lines = (f"{line}\n" for _, line in part.input.decoded(name, stream))
        first = next(lines, "")
        # Some call a file .csv whose fields stand between tabs; no comma is then in its header.
        tabs = suffix(name) == ".tsv" or ("\t" in first and (suffix(name) != ".csv" or "," not in first))
        header = [column.strip().strip('"') for column in first.rstrip("\n").split("\t")] if tabs else []
        rows = _tabbed(lines) if tabs else csv.reader(_with(first, lines), strict=True)
        try:
            for place, row in enumerate(rows, start=1 + tabs):
                if not header:
                    header = [column.strip() for column in row]
                elif row and len(row) != len(header):
                    raise SynsemError(
                        f"{name}: row {place}: {len(row)} fields under {len(header)} columns; fix the row"
                    )
                elif row:
                    found = _columns_of(header, name)
                    yield _record(dict(zip(header, row, strict=True)), found, f"{name}: row {place}")
        except csv.Error as error:
            raise SynsemError(f"{name}: row {place + 1}: not CSV ({error}); fix the row") from error
        _columns_of(header, name)


def _with(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _tabbed(lines: Iterator[str]) -> Iterator[list[str]]:
    """The fields of each line; those that a CSV writer has quoted for a quote in them without these."""
    for line in lines:
        fields = line.rstrip("\n").split("\t") if line.strip() else []
        yield [each[1:-1].replace('""', '"') if _QUOTED.fullmatch(each) else each for each in fields]


def read_columnar(part: Part) -> Iterator[Record]:
    """Yield a record for each row; the schema tells the columns."""
    for name, stream in part.input.streams():
        try:
            row_number = 0
            for batch in _batches(stream):
                batch.validate(full=True)  # broken offsets would crash the process
                found = _columns_of(batch.schema.names, name)
                for row in batch.select(list(found.values())).to_pylist():
                    row_number += 1
                    yield _record(row, found, f"{name}: row {row_number}")
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split())
            raise SynsemError(f"{name}: neither Parquet nor Arrow ({reason}); write it again") from error


def _batches(stream: Any) -> Iterator[pa.RecordBatch]:
    source = stream if stream.seekable() else pa.BufferReader(stream.read())
    head = source.read(6)
    source.seek(0)
    if head.startswith(b"PAR1"):
        from pyarrow import parquet

        yield from parquet.ParquetFile(source).iter_batches(_BATCH)
    elif head == b"ARROW1":
        reader = ipc.open_file(source)
        yield from (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        yield from ipc.open_stream(source)


def read_jsonl(part: Part) -> Iterator[Record]:
    """Yield a record for each line, which may have columns of its own; the first of a file needs a text."""
    member = None
    for name, line_number, line in part.input.lines():
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SynsemError(
                f"{name}:{line_number}: not JSON ({error}); write one whole object a line"
            ) from error
        if not isinstance(row, dict):
            raise SynsemError(f"{name}:{line_number}: not an object; write one object a line")
        found = _columns_of(list(row), name, needed=name != member)
        member = name
        yield _record(row, found, f"{name}:{line_number}")
