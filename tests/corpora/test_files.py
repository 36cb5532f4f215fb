"""Damaged files of every kind: one clear sentence that names the file, and often the line."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.core.errors import SynsemError
from pipeline.corpora.files import Document, Input, Part
from pipeline.corpora.readers import READERS, reader

TEXT = "".join(f"Line {n} of a text that is long enough to be packed well.\n" for n in range(5000)).encode()


def read(path: Path, body: bytes, how: str = "text", **options: object) -> list[Document]:
    path.write_bytes(body)
    return list(reader(how)(Part({"": Input(path, path.name)}, options)))


def zipped(method: int = zipfile.ZIP_DEFLATED, /, **members: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", method) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return sink.getvalue()


def tarred(info: tarfile.TarInfo, body: bytes = b"") -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz") as archive:
        info.size = len(body)
        archive.addfile(info, io.BytesIO(body))
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("a.txt.gz", gzip.compress(TEXT)[:-200], r"a\.txt\.gz: damaged or cut short"),
        ("a.txt.xz", lzma.compress(TEXT)[:-200], r"a\.txt\.xz: damaged or cut short"),
        ("a.zip", zipped(a=TEXT)[:-200], r"a\.zip: damaged or cut short"),
        ("a.txt", b"One line.\nCaf\xe9.\n", r"a\.txt:2: .*save it as UTF-8"),
        ("a.txt", "One line.\n".encode("utf-16"), r"a\.txt:1: .*save it as UTF-8"),
        ("a.txt", "One line.\n".encode("utf-16-le"), r"a\.txt:1: .*save it as UTF-8"),
        ("a.txt", b"One.\n\n" + b"x" * 1_000_001, r"a\.txt:3: a line of more than 1,000,000 bytes"),
        ("a.txt", b"", r"a\.txt: is empty"),
        ("a.zip", zipped(README=b"x"), "no member matches"),
    ],
)
def test_bad_bytes(tmp_path: Path, name: str, body: bytes, message: str) -> None:
    with pytest.raises(SynsemError, match=message):
        read(tmp_path / name, body)


@pytest.mark.parametrize(
    ("how", "body", "message"),
    [
        ("table", b"id,name\n1,x\n", r"has no column 'text' .* among id, name"),
        ("table", b"text,label\nonly one field\n", "row 2: 1 fields under 2 columns"),
        ("table", b'text,label\n"never closed,1\n', "not CSV"),
        ("table", b"id;text\n1;x\n", "save the table with commas or tabs"),
        ("table", b"Text,text\nOne.,Two.\n", "more than one column 'Text'"),
        ("table", b"a,b,Similarity_Score\nx,y,1_0\n", "row 2: Similarity_Score '1_0' is not a number"),
        ("table", b"a,b,score\nx,y,\n", "row 2: score '' is not a number"),
        ("jsonl", b'{"text": "x"}\n{"text": \n', "2: not a JSON object"),
        ("jsonl", b'{"text": 3}\n', "1: 'text' is 3, not a string"),
        ("jsonl", b"[1]\n", "1: not a JSON object"),
        ("jsonl", b'{"body": "x"}\n', "has no column 'text'"),
        ("jsonl", b'{"a": "x", "b": "y", "score": Infinity}\n', "1: score 'inf' is not a number"),
        ("columnar", b"PAR1 but no more", "neither Parquet nor Arrow"),
        ("paws", b"1\ta\tb\n", "1: 3 tab-separated columns where 4 belong"),
        ("stsb", b"g\tf\ty\t1\tnan\ta\tb\n", "1: score 'nan' is not a number"),
        ("trec", b"WHAT is this\n", "1: not 'COARSE:fine question'"),
        ("conllu", b"1\tword\tonly\n\n", "1: not CoNLL-U"),
        ("columns", b"word\n", "1: no column 2"),
        ("wikiextractor", b'<doc id="1" url="" title="A">\nA\n\nText.\n', "its last <doc> is never closed"),
        ("wikiextractor", b"Plain text.\n", "1: <doc>"),
        ("reuters", b"<REUTERS>\n<TEXT><BODY>x\n", "is never closed"),
        ("auto", b"Rain fell.\n", "write READER:PATH"),
    ],
)
def test_a_file_of_another_layout(tmp_path: Path, how: str, body: bytes, message: str) -> None:
    with pytest.raises(SynsemError, match=message):
        read(tmp_path / "f", body, how)


@pytest.mark.parametrize("name", READERS)
def test_every_reader_refuses_an_empty_file(tmp_path: Path, name: str) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    roles = {"senteval_sts": ("pairs", "gold")}.get(name, ("",))
    with pytest.raises(SynsemError, match="is empty"):
        list(reader(name)(Part({role: Input(empty, "empty") for role in roles}, {"set": "x"})))


def test_quotes_and_odd_line_ends_are_text(tmp_path: Path) -> None:
    table = 'text\tlabel\n"Quoted and not closed\t1\na\u2028b\x85c\t2\n'
    assert [record.text for record in read(tmp_path / "a.tsv", table.encode(), "table")] == [
        '"Quoted and not closed',
        "a\u2028b\x85c",
    ]
    paws = b"1\t`` A '' \"b\tC \"\t0\r\n"
    assert read(tmp_path / "p", paws, "paws")[0][:2] == ("`` A '' \"b", 'C "')
    quoted = b'text\tlabel\n"She said ""no"" twice."\t1\n'
    assert read(tmp_path / "q.tsv", quoted, "table")[0].text == 'She said "no" twice.'
    rows = b'\xef\xbb\xbftext,label\r\n"Two\nlines, one field",1\r\n'
    assert read(tmp_path / "a.csv", rows, "table")[0].text == "Two\nlines, one field"


def test_every_packing_gives_the_same_text(tmp_path: Path) -> None:
    plain = [record.text for record in read(tmp_path / "a.txt", TEXT)]
    packed = {
        "a.txt.gz": gzip.compress(TEXT[:100_000]) + gzip.compress(TEXT[100_000:]),
        "a.txt.bz2": bz2.compress(TEXT),
        "a.txt.xz": lzma.compress(TEXT),
        "a.zip": zipped(**{"README.md": b"no data", "__MACOSX/._a": b"\0", "a.txt": TEXT}),
        "a.tar.gz": tarred(tarfile.TarInfo("a.txt"), TEXT),
    }
    for name, body in packed.items():
        assert [record.text for record in read(tmp_path / name, body)] == plain, name
        assert [record.text for record in read(tmp_path / name, body, "auto")] == plain, name


def test_an_archive_is_read_by_what_it_holds(tmp_path: Path) -> None:
    packed = zipped(**{"README": b"x", "a.jsonl": b'{"text": "A sentence."}\n'})
    assert read(tmp_path / "a.zip", packed, "auto") == [Document("A sentence.")]
    wiki = b'<doc id="1" url="" title="T">\nT\n\nA sentence of an article.\n</doc>\n'
    assert read(tmp_path / "wiki_00", wiki, "auto") == [
        Document("A sentence of an article.", title="T", work="T")
    ]
    assert read(tmp_path / "a.zip", zipped(wiki_00=wiki), "auto")[0].title == "T"


def test_named_columns(tmp_path: Path) -> None:
    rows = [
        {"sentence1": "A b.", "sentence2": "C d.", "label": 1},
        {"sentence1": "E.", "sentence2": None, "label": 0},
    ]
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, tmp_path / "parquet")
    with pa.OSFile(str(tmp_path / "file"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pa.OSFile(str(tmp_path / "stream"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    expected = [Document("A b.", "C d.", label="1"), Document("E.", label="0")]
    assert read(tmp_path / "a.jsonl", lines, "jsonl") == expected
    for name in ("parquet", "file", "stream"):
        assert read(tmp_path / name, (tmp_path / name).read_bytes(), "columnar") == expected
    assert (
        read(tmp_path / "a.zip", zipped(**{"a.parquet": (tmp_path / "parquet").read_bytes()}), "columnar")
        == expected
    )


def test_each_line_of_json_has_its_own_columns(tmp_path: Path) -> None:
    """An optional key may be absent anywhere, and a member of an archive has another layout than the last."""
    rows = [
        {"text": "A."},
        {"text": "B.", "title": "T", "label": 1, "pair_id": "p"},
        {"sentence1": "C.", "b": "D.", "score": 2},
        {"text": "E.", "b": "F."},
        {"title": "no text"},
    ]
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    expected = [
        Document("A."),
        Document("B.", title="T", label="1", pair_id="p"),
        Document("C.", "D.", score=2.0),
        Document("E.", "F."),
        Document("", title="no text"),
    ]
    assert read(tmp_path / "a.jsonl", body, "jsonl") == expected
    own = b'{"content": "G.", "LABEL": "x"}\n'
    packed = zipped(**{"a.jsonl": body, "b.jsonl": own})
    assert read(tmp_path / "a.zip", packed, "jsonl") == [*expected, Document("G.", label="x")]
    packed = zipped(**{"a.jsonl": body, "b.jsonl": b'{"body": "G."}\n'})
    with pytest.raises(SynsemError, match=r"b\.jsonl.*has no column 'text'"):
        read(tmp_path / "b.zip", packed, "jsonl")
