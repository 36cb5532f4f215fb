"""CSV and TSV as rows of strings, quoted or not.

CSV is that of RFC 4180. Some programs write quotes into a TSV as they are; others, such as pandas, as in CSV.
The file itself tells: where each of its quotes stands as a CSV writer would put it, it is read as CSV with
tabs. A file of prose with quotes of its own soon has one that stands otherwise.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.corpora.archives import LINE_LIMIT
from pipeline.corpora.readers.base import Part, suffix

_FIELD = r'(?:"[^"]*(?:""[^"]*)*"|[^"\t]*)'
_RECORD = re.compile(rf"{_FIELD}(?:\t{_FIELD})*")
_DOUBLED = re.compile(r'"[^"]*(?:""[^"]*)+"')  # whole, and with a quote in it
_CSV: dict[str, Any] = {"delimiter": ",", "strict": True}
_QUOTED_TSV: dict[str, Any] = {"delimiter": "\t", "strict": True}
_PLAIN_TSV: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}


def rows(part: Part) -> Iterator[tuple[str, list[str], Iterator[tuple[str, list[str]]]]]:
    """Of each file its name, its header, and its rows with their places (NAME:LINE); blank lines are skipped.

    Raises SynsemError where a row has not as many fields as the header, or a file is no CSV.
    """
    csv.field_size_limit(LINE_LIMIT)
    quoted = {
        name for name, stream in part.input.streams() if _is_quoted(name, part.input.decoded(name, stream))
    }
    for name, stream in part.input.streams():
        lines = (line for _, line in part.input.decoded(name, stream))
        first = next(lines, "")
        if not _has_tabs(name, first):
            dialect = _CSV
        elif name in quoted:
            dialect = _QUOTED_TSV
        else:
            dialect = _PLAIN_TSV
        header = [column.strip() for column in _first_row(name, first, dialect)]
        yield name, header, _below(name, header, lines, dialect)


def _first_row(name: str, line: str, dialect: dict[str, Any]) -> list[str]:
    try:
        return [_plain(field, dialect) for field in next(csv.reader([line], **dialect), [])]
    except csv.Error as error:
        raise SynsemError(f"{name}:1: not CSV ({error}); fix the row") from error


def _below(
    name: str, header: list[str], lines: Iterable[str], dialect: dict[str, Any]
) -> Iterator[tuple[str, list[str]]]:
    found = csv.reader((f"{line}\n" for line in lines), **dialect)
    try:
        for row in found:
            where = f"{name}:{found.line_num + 1}"
            if row and len(row) != len(header):
                raise SynsemError(f"{where}: {len(row)} fields under {len(header)} columns; fix the row")
            if row:
                yield where, [_plain(field, dialect) for field in row]
    except csv.Error as error:
        raise SynsemError(f"{name}:{found.line_num + 1}: not CSV ({error}); fix the row") from error


def _has_tabs(name: str, header: str) -> bool:
    """Whether fields stand between tabs, by the suffix and, without one that tells, by the header line."""
    if suffix(name) == ".tsv":
        return True
    # Some call a file .csv whose fields stand between tabs; no comma is then in its header.
    return "\t" in header and (suffix(name) != ".csv" or "," not in header)


def _is_quoted(name: str, lines: Iterator[tuple[int, str]]) -> bool:
    """Whether a file is a TSV with a quote in it, and every quote is where a CSV writer puts one."""
    columns, quotes, size, any_quote = 0, 0, 0, False
    record: list[str] = []
    for number, line in lines:
        if number == 1 and not _has_tabs(name, line):
            return False
        record.append(line)
        quotes += line.count('"')
        size += len(line)
        if quotes % 2:  # a field goes on in the next line
            if number == 1 or size > LINE_LIMIT:
                return False
            continue
        fields = _fields(record) if quotes else line.count("\t") + 1
        columns = columns or fields
        if not fields or (fields != columns and line):
            return False
        any_quote |= quotes > 0
        record, quotes, size = [], 0, 0
    return any_quote and not record


def _fields(record: list[str]) -> int:
    """How many fields the lines of one row have, read as CSV with tabs; 0 where they are no such row."""
    if not _RECORD.fullmatch("\n".join(record)):
        return 0
    return len(next(csv.reader((f"{line}\n" for line in record), **_QUOTED_TSV)))


def _plain(field: str, dialect: dict[str, Any]) -> str:
    """The field; in a raw TSV without the quotes around it, where those within it are doubled."""
    if dialect is _PLAIN_TSV and field.startswith('"') and _DOUBLED.fullmatch(field):
        return field[1:-1].replace('""', '"')
    return field
