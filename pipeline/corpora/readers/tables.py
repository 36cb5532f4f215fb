"""Rows whose columns have names: the usual names of columns tell which field of a record each one is.

table     CSV or TSV with a header line; quotes as in RFC 4180, in TSV where the whole file has them so
columnar  Parquet and Arrow IPC (file, stream or Feather), batch by batch
jsonl     JSON lines: an object a line
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from pipeline.core.errors import SynsemError
from pipeline.corpora.cleaning.text import regular
from pipeline.corpora.readers import delimited
from pipeline.corpora.readers.base import SPLITS, Part, Record, missing, number

_NAMES = {
    "text": (
        "text",
        "sentence",
        "content",
        "document",
        "a",
        "sentence1",
        "sentence_a",
        "premise",
        "question1",
    ),
    "b": ("b", "sentence2", "sentence_b", "hypothesis", "question2", "paraphrase", "translation"),
    "title": ("title",),
    "lang": ("lang", "language"),
    "score": ("score", "similarity_score", "relatedness_score"),
    "label": ("label", "gold_label", "is_duplicate", "class"),
    "split": ("split",),
    "pair_id": ("pair_id",),
}
# Fields that nobody cleans later.
_SHORT = frozenset({"label", "lang", "pair_id", "split"})
# Whether two texts say the same, as other programs write it; pandas turns 1 into 1.0 beside a missing one.
_SAME = {"1.0": "1", "true": "1", "0.0": "0", "false": "0"}


def _columns_of(part: Part, present: list[str], where: str = "") -> dict[str, str]:
    """Which column holds which field of a record: the part's options first, else the usual names.

    Raises SynsemError naming ``where``, else the part, where no column holds the text, an option names one
    that is not there, or two columns that are read have one name.
    """
    found = _found(part, present)
    counts = Counter(name.lower() for name in present)
    for name in found.values():
        if counts[name.lower()] > 1 and name not in part.options.values():
            raise SynsemError(f"{where or part.name}: has more than one column {name!r}; rename or drop one")
    for field, name in part.options.items():
        if field in _NAMES and field not in found:
            raise _missing_column(where or part.name, repr(name), present)
    if "text" not in found:
        usual = "'text' (or 'sentence', 'content', 'document'; of a pair 'sentence1')"
        raise _missing_column(where or part.name, usual, present)
    return found


def _found(part: Part, present: list[str]) -> dict[str, str]:
    """``_columns_of`` without a demand: fields that no column holds are left out."""
    lower = {name.lower(): name for name in present}
    found = {}
    for field, usual in _NAMES.items():
        if field in part.options:
            if part.options[field] in present:
                found[field] = part.options[field]
        else:
            name = next((lower[name] for name in usual if name in lower), None)
            if name is not None:
                found[field] = name
    return found


def _missing_column(where: str, column: str, present: list[str]) -> SynsemError:
    if len(present) == 1 and ";" in present[0]:  # as spreadsheets write where a comma is the decimal point
        return SynsemError(f"{where}: its fields stand between semicolons; save it with commas or tabs")
    there = ", ".join(present[:8]) or "none"
    return SynsemError(f"{where}: has no column {column} among {there}; rename a column")


def _record(row: Mapping[str, Any], found: Mapping[str, str], where: str) -> Record:
    """One row as a record; ``found`` is what ``_columns_of`` returned.

    A pair needs its score, where there is a column for scores, or a label. A text alone has no score: what
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
    elif "score" in values:
        values["score"] = number(str(values["score"]), where, found["score"])
    elif "score" in found and "label" not in values:
        raise missing(where, found["score"])
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


def read_table(part: Part) -> Iterator[Record]:
    """One record a row; the suffix tells TSV from CSV, and where there is none a tab in the header line.

    Raises SynsemError where a needed column is missing or a row has not as many fields as the header.
    """
    for _, header, rows in delimited.rows(part):
        found = _columns_of(part, header)
        for where, row in rows:
            yield _record(dict(zip(header, row, strict=True)), found, where)


_BATCH = 1024


def read_columnar(part: Part) -> Iterator[Record]:
    """One record a row; the schema tells the columns."""
    for name, stream in part.input.streams():
        try:
            row_number = 0
            for batch in _batches(stream):
                batch.validate(full=True)  # broken offsets would crash the process
                found = _columns_of(part, batch.schema.names)
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
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)
    else:
        yield from ipc.open_stream(source)


def read_jsonl(part: Part) -> Iterator[Record]:
    """One record a line, each with columns of its own; the first of a file has those that are needed."""
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
            raise SynsemError(
                f"{name}:{line_number}: a {type(row).__name__}, not an object; write one object a line"
            )
        found = _found(part, list(row)) if name == member else _columns_of(part, list(row), name)
        member = name
        yield _record(row, found, f"{name}:{line_number}")
