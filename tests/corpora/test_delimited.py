"""CSV and TSV of one's own: what pandas wrote comes back, and raw quotes stay as they are."""

import csv
import gzip
import io
from pathlib import Path
from typing import Literal

import pytest

from pipeline.corpora.archives import Input
from pipeline.corpora.readers import reader
from pipeline.corpora.readers.base import Part, Record

COLUMNS = ("text", "label")
ROWS = [
    ('First he said "no" to the old man.', "1"),
    ("Two\nlines.", "2"),
    ("A tab\there, and commas, too.", "3"),
    ('"All of it."', "4"),
    ("", "5"),
    ("Plain.", "6"),
]


def read(path: Path, body: bytes, how: str) -> list[Record]:
    path.write_bytes(body)
    return list(reader(how)(Part({"": Input(path, path.name)})))


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("order", [1, -1], ids=["text first", "text last"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_tsv_as_pandas_writes_it_keeps_its_texts(
    tmp_path: Path, quoting: Literal[0, 1, 2], order: int, ending: str
) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", quoting=quoting, lineterminator=ending)
    writer.writerows(row[::order] for row in (COLUMNS, *ROWS))
    found = read(tmp_path / "a.tsv", stream.getvalue().encode(), "table")
    assert [(record.text, record.label) for record in found] == ROWS


def test_spaces_around_the_names_of_columns_are_no_part_of_them(tmp_path: Path) -> None:
    (found,) = read(tmp_path / "a.csv", b"text, title, lang\nRain fell.,Rain,en\n", "table")
    assert (found.text, found.title, found.lang) == ("Rain fell.", "Rain", "en")


def test_a_file_of_one_column_is_split_as_its_suffix_says(tmp_path: Path) -> None:
    texts = ['"No", he said, "not now".', "Two\nlines, one text.", "Rain, snow, hail.", "Rain fell."]
    for name, comma in (("one.tsv", "\t"), ("one.csv", ","), ("one.csv.gz", ","), ("one.TSV.gz", "\t")):
        stream = io.StringIO()
        csv.writer(stream, delimiter=comma).writerows([["text"], *([text] for text in texts)])
        body = stream.getvalue().encode()
        found = read(tmp_path / name, gzip.compress(body) if name.endswith("gz") else body, "auto")
        assert [record.text for record in found] == texts, name


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.csv", b'text,"notes\tmore"\n"Rain, snow.",x\n'),
        ("a.csv", b"text\tlabel\nRain, snow.\tx\n"),  # tabs alone: such files are about
        ("a", b"text\tlabel\nRain, snow.\tx\n"),
        ("a", b'text,label\n"Rain, snow.",x\n'),
    ],
)
def test_a_tab_in_the_header_decides_only_where_the_name_does_not(
    tmp_path: Path, name: str, body: bytes
) -> None:
    assert [record.text for record in read(tmp_path / name, body, "table")] == ["Rain, snow."]


def test_a_blank_line_makes_a_quoted_tsv_no_raw_one(tmp_path: Path) -> None:
    body = b'text\tlabel\n"A\tb."\t1\n\n"C."\t2\n'
    assert [record.text for record in read(tmp_path / "a.tsv", body, "table")] == ["A\tb.", "C."]


def test_a_quote_that_the_end_of_a_tsv_leaves_open_is_text(tmp_path: Path) -> None:
    body = b'text\tlabel\n"A b."\t1\n5" disc\t2\n'
    assert [record.text for record in read(tmp_path / "a.tsv", body, "table")] == ['"A b."', '5" disc']


def test_raw_quotes_in_a_tsv_are_text(tmp_path: Path) -> None:
    """One line that no CSV writer writes: the file is not CSV, and its lines are its rows."""
    rows = {
        '"I came,': '"I came,',
        'He said "no".': 'He said "no".',
        '"Yes."': '"Yes."',
        'I saw."': 'I saw."',
        '"First ""no"", then ""yes""."': 'First "no", then "yes".',  # but nobody doubles quotes by hand
        '"A ""b" c"': '"A ""b" c"',
    }
    for header, end in (("text", ""), ("text\tlabel", "\t1"), ('text\tso "called"', "\t1")):
        body = "".join(f"{line}{end}\n" for line in rows)
        found = read(tmp_path / "a.tsv", f"{header}\n{body}".encode(), "table")
        assert [record.text for record in found] == list(rows.values())
