"""CSV and TSV with a header line. In TSV quotes have no meaning; in CSV they are RFC 4180's."""

import csv
from collections.abc import Iterator

from pipeline.corpora.inputs import LINE_LIMIT
from pipeline.corpora.readers.named import columns, record
from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a row; a tab in the header line tells TSV from CSV.

    Raises SynsemError where a needed column is missing or a row has not as many fields as the header.
    """
    csv.field_size_limit(LINE_LIMIT)
    for name, stream in part.input.streams():
        lines = part.input.decoded(name, stream)
        first = next(lines, (0, ""))[1]
        tabs = "\t" in first
        dialect = (
            {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tabs else {"delimiter": ",", "strict": True}
        )
        rows = csv.reader((f"{line}\n" for _, line in lines), **dialect)  # type: ignore[arg-type]
        try:
            header = next(csv.reader([first], **dialect), [])  # type: ignore[arg-type]
            found = columns(part, header)
            for row in rows:
                where = f"{name}:{rows.line_num + 1}"
                if row and len(row) != len(header):
                    raise SynsemError(f"{where}: {len(row)} fields under {len(header)} columns; mend the row")
                if row:
                    yield record(dict(zip(header, row, strict=True)), found, where)
        except csv.Error as error:
            raise SynsemError(f"{name}:{rows.line_num + 1}: not CSV ({error}); mend the row") from error
