"""Damaged files of every kind: one clear sentence that names the file, and often the line."""

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import time
import tracemalloc
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from pipeline.core.errors import SynsemError
from pipeline.corpora import archives
from pipeline.corpora.archives import Input
from pipeline.corpora.documents import records
from pipeline.corpora.fetching.cache import Access
from pipeline.corpora.fetching.fetch import fetch
from pipeline.corpora.readers import READERS, reader
from pipeline.corpora.readers.base import Part, Record
from pipeline.corpora.readers.wiki import effort
from pipeline.corpora.sources import own_source

TEXT = "".join(f"Line {n} of a text that is long enough to be packed well.\n" for n in range(5000)).encode()


def read(path: Path, body: bytes, how: str = "text", **options: object) -> list[Record]:
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


def linked_zip() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return sink.getvalue()


def encrypted_zip() -> bytes:
    body = bytearray(zipped(**{"a.txt": b"x"}))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(header) + flags] |= 1
    return bytes(body)


def special(kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo("link.txt")
    info.type, info.linkname = kind, "/etc/passwd"
    return info


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("a.txt.gz", gzip.compress(TEXT)[:-200], r"a\.txt\.gz: damaged or cut short"),
        ("a.txt.bz2", bz2.compress(TEXT)[:-200], r"a\.txt\.bz2: damaged or cut short"),
        ("a.txt.zst", zstandard.compress(TEXT)[:-50], r"a\.txt\.zst: damaged or cut short"),
        ("a.txt.xz", lzma.compress(TEXT)[:-200], r"a\.txt\.xz: damaged or cut short"),
        ("a.zip", zipped(a=TEXT)[:-200], r"a\.zip: damaged or cut short"),
        (
            "a.txt.gz",
            gzip.compress(TEXT)[:60] + b"?" * 50 + gzip.compress(TEXT)[110:],
            "damaged or cut short",
        ),
        ("a.txt", b"One line.\nCaf\xe9.\n", r"a\.txt:2: not UTF-8 \(byte 4 of the line\)"),
        ("a.txt", "One line.\n".encode("utf-16"), r"a\.txt: is UTF-16; save it as UTF-8"),
        ("a.txt", b"\xfe\xff" + "One line.\n".encode("utf-16-be"), r"a\.txt: is UTF-16; save it as UTF-8"),
        ("a.txt", "One line.\n".encode("utf-16-le"), r"a\.txt: is UTF-16; save it as UTF-8"),
        ("a.txt", "Одна строка.\n".encode("utf-16-be"), r"a\.txt: is UTF-16; save it as UTF-8"),
        ("a.txt", b"One line.\rTwo.\r", r"a\.txt: has lines that end in CR alone; save it with LF"),
        ("a.txt", b"One line.\r" * 100_000, r"a\.txt: has lines that end in CR alone; save it with LF"),
        ("a.txt", b"One.\n\n" + b"x" * 1_000_001, r"a\.txt:3: a line of more than 1,000,000 bytes"),
        ("a.txt", b"One.\nTw\0o.\n", r"a\.txt:2: holds NUL bytes"),
        ("a.txt", b"", r"a\.txt: is empty"),
        ("a.zip", zipped(**{"../out.txt": b"x"}), "points outside the archive"),
        ("a.zip", zipped(**{"/etc/out.txt": b"x"}), "points outside the archive"),
        ("a.zip", zipped(**{"..\\out.txt": b"x"}), "points outside the archive"),
        ("a.zip", zipped(**{"C:out.txt": b"x"}), "points outside the archive"),
        ("a.zip", linked_zip(), "is a link or a device"),
        ("a.zip", encrypted_zip(), r"a\.zip: a\.txt is encrypted; unpack it first"),
        ("a.zip", zipped(zipfile.ZIP_BZIP2, a=b"x"), r"a\.zip: a is packed by another method than zip's own"),
        ("a.zip", zipped(zipfile.ZIP_LZMA, a=b"x"), r"a\.zip: a is packed by another method than zip's own"),
        ("a.zip", zipped(), r"a\.zip: no member matches"),
        ("a.tar.gz", tarred(tarfile.TarInfo("../../out.txt"), b"x"), "points outside the archive"),
        ("a.tar.gz", tarred(special(tarfile.SYMTYPE)), "is a link or a device"),
        ("a.tar.gz", tarred(special(tarfile.LNKTYPE)), "is a link or a device"),
        ("a.tar.gz", tarred(special(tarfile.CHRTYPE)), "is a link or a device"),
        ("a.tar.gz", tarred(special(tarfile.BLKTYPE)), "is a link or a device"),
        ("a.tar.gz", tarred(special(tarfile.FIFOTYPE)), "is a link or a device"),
        ("a.zip", zipped(README=b"x"), "no member matches"),
    ],
)
def test_bad_bytes(tmp_path: Path, name: str, body: bytes, message: str) -> None:
    with pytest.raises(SynsemError, match=message):
        read(tmp_path / name, body)


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "UNPACKED_FLOOR", 1000)
    zeros = b"a sentence \n" * 1_000_000
    for name, body in (("a.txt.gz", gzip.compress(zeros)), ("a.zip", zipped(a=zeros))):
        with pytest.raises(SynsemError, match="unpacks to more than 200 times its size"):
            read(tmp_path / name, body)


def test_a_bomb_of_zstd_is_unpacked_piece_by_piece(tmp_path: Path) -> None:
    (tmp_path / "a.txt.zst").write_bytes(zstandard.compress(bytes(2**28)))
    tracemalloc.start()
    try:
        for _, stream in Input(tmp_path / "a.txt.zst", "a.txt.zst").streams():
            stream.read(1)
        assert tracemalloc.get_traced_memory()[1] < 2**27
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("how", "body", "message"),
    [
        ("table", b"id,name\n1,x\n", r"has no column 'text' \(or .*\) among id, name; rename"),
        ("table", b"text,label\nonly one field\n", "2: 1 fields under 2 columns"),
        ("table", b'text,label\n"never closed,1\n', "not CSV"),
        ("jsonl", b'{"text": "x"}\n{"text": \n', "2: not JSON"),
        ("jsonl", b'{"text": 3}\n', "1: 'text' is 3, not a string"),
        ("jsonl", b"[1]\n", "1: a list, not an object"),
        ("table", b"id;text\n1;x\n", "its fields stand between semicolons; save it with commas or tabs"),
        ("jsonl", b'{"body": "x"}\n', "has no column 'text'"),
        ("columnar", b"PAR1 but no more", "neither Parquet nor Arrow"),
        ("paws", b"1\ta\tb\n", "1: 3 tab-separated columns where 4 belong"),
        ("paws", b"1\ta\tb\t7\n", "1: label '7' is none of 0, 1"),
        ("stsb", b"g\tf\ty\t1\tfive\ta\tb\n", "1: score 'five' is not a number"),
        ("stsb", b"g\tf\ty\t1\tnan\ta\tb\n", "1: score 'nan' is not a number"),
        ("stsb", b"g\tf\ty\t1\t-inf\ta\tb\n", "1: score '-inf' is not a number"),
        ("stsb", b"g\tf\ty\t1\t1e999\ta\tb\n", "1: score '1e999' is not a number"),
        ("stsb", b"g\tf\ty\t1\t1_0\ta\tb\n", "1: score '1_0' is not a number"),
        ("stsb", b"g\tf\ty\t1\t \ta\tb\n", "1: score is missing"),
        ("table", b"a,b,Similarity_Score\nx,y,1_0\n", "2: Similarity_Score '1_0' is not a number"),
        ("table", b"a,b,score\nx,y,\n", "2: score is missing"),
        ("jsonl", b'{"a": "x", "b": "y", "score": Infinity}\n', "1: score 'inf' is not a number"),
        ("jsonl", b'{"a": "x", "b": "y", "score": NaN}\n', "1: score is missing"),
        ("jsonl", b'{"a": "x", "b": "y", "score": null}\n', "1: score is missing"),
        ("trec", b"WHAT is this\n", "1: not 'COARSE:fine question'"),
        ("conllu", b"1\tword\tonly\n\n", "not CoNLL-U"),
        (
            "conllu",
            b"1\tHi\thi\tX\t_\t_\t0\troot\t_\t_\n\n# the second\n1\tword\n",
            r"4: not CoNLL-U \(2 columns",
        ),
        ("columns", b"word\n", "1: no column 2"),
        ("bracketed", b"(S (NP (DT the)\n", "1: a bracket is never closed"),
        ("wikiextractor", b'<doc id="1" url="" title="A">\nA\n\nText.\n', "its last <doc> is never closed"),
        (
            "wikiextractor",
            b'<doc id="1" url="" title="A">\nA\n<doc id="2" url="" title="B">\nB\n</doc>\n',
            "3: <doc> within the <doc> of 'A'",
        ),
        ("table", b"text,text\nOne.,Two.\n", "more than one column 'text'"),
        ("table", b"Text,text\nOne.,Two.\n", "more than one column 'text'"),
        ("jsonl", b'[{"text": "A."}]\n', "1: a list, not an object; write one object a line"),
        ("wikiextractor", b"Plain text.\n", "1: text outside of <doc>"),
        ("mediawiki", b"<mediawiki><page><title>A</title>", "not a whole MediaWiki XML dump"),
        ("reuters", b"<REUTERS>\n<TEXT><BODY>x\n", "1: an article is never closed"),
        (
            "reuters",
            b"<REUTERS>\n<BODY>x</BODY>\n<REUTERS>\n<BODY>y</BODY>\n</REUTERS>\n",
            "1: an article is never closed",
        ),
        ("reuters", b"Plain text.\n", "1: text outside of <REUTERS>"),
        ("pythonbible", b"bible = open('/etc/passwd')", "not a module of pythonbible"),
        ("summaries", b'{"a": 1}', "not a JSON object of title"),
        ("sick", b"a\tb\tc\td\te\n", "no column relatedness_score, sentence_A, sentence_B"),
    ],
)
def test_a_file_of_another_layout(tmp_path: Path, how: str, body: bytes, message: str) -> None:
    with pytest.raises(SynsemError, match=message):
        read(tmp_path / "f", body, how)


def test_files_that_should_be_aligned(tmp_path: Path) -> None:
    for name, body in (("a", b"x\ny\n"), ("b", b"x\n")):
        (tmp_path / name).write_bytes(body)
    inputs = {role: Input(tmp_path / role, role) for role in ("a", "b")}
    with pytest.raises(SynsemError, match="b: has fewer lines"):
        list(reader("aligned")(Part(inputs)))


def test_an_unknown_reader_or_option(tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match="did you mean wikiextractor"):
        reader("wikiextracter")
    with pytest.raises(SynsemError, match="has no column 'body' among text"):
        read(tmp_path / "a.jsonl", b'{"text": "x"}\n', "jsonl", text="body")
    with pytest.raises(SynsemError, match="write READER:PATH"):
        read(tmp_path / "a.unknown", b"x\n", "auto")


@pytest.mark.parametrize("name", READERS)
def test_every_reader_refuses_an_empty_file(tmp_path: Path, name: str) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    roles = {"senteval_sts": ("pairs", "gold"), "aligned_labels": ("s1", "s2", "labels")}.get(name, ("",))
    with pytest.raises(SynsemError, match="is empty"):
        list(reader(name)(Part({role: Input(empty, "empty") for role in roles})))


def test_quotes_and_odd_line_ends_are_text(tmp_path: Path) -> None:
    table = 'text\tlabel\n"Quoted and not closed\t1\na\u2028b\x85c\t2\n'
    assert [record.text for record in read(tmp_path / "a.tsv", table.encode(), "table")] == [
        '"Quoted and not closed',
        "a\u2028b\x85c",
    ]
    paws = b"1\t`` A '' \"b\tC \"\t0\r\n"
    assert read(tmp_path / "p", paws, "paws")[0][:2] == ("`` A '' \"b", 'C "')
    rows = b'\xef\xbb\xbftext,label\r\n"Two\nlines, one field",1\r\n'
    assert read(tmp_path / "a.csv", rows, "table")[0].text == "Two\nlines, one field"


def test_every_packing_gives_the_same_text(tmp_path: Path) -> None:
    plain = [record.text for record in read(tmp_path / "a.txt", TEXT)]
    packed = {
        "a.txt.gz": gzip.compress(TEXT[:100_000]) + gzip.compress(TEXT[100_000:]),
        "a.txt.bz2": bz2.compress(TEXT),
        "a.txt.zst": zstandard.compress(TEXT[:100_000]) + zstandard.compress(TEXT[100_000:]),
        "a.txt.xz": lzma.compress(TEXT),
        "a.zip": zipped(**{"README.md": b"no data", "__MACOSX/._a": b"\0", "a.txt": TEXT}),
        "a.tar.gz": tarred(tarfile.TarInfo("a.txt"), TEXT),
    }
    for name, body in packed.items():
        assert [record.text for record in read(tmp_path / name, body)] == plain, name
        assert [record.text for record in read(tmp_path / name, body, "auto")] == plain, name


def test_members_of_a_zip_are_read_by_their_names_without_what_is_no_text(tmp_path: Path) -> None:
    packed = zipped(
        **{"b.txt": b"Two.", "a.txt": b"One.", ".c.txt": b"hidden", "d/.e.txt": b"hidden", "LICENSE": b"MIT",
           "d/_about.txt": b"a note"}
    )  # fmt: skip
    assert [record.text for record in read(tmp_path / "a.zip", packed)] == ["One.", "Two."]


def test_the_last_sentence_of_a_member_ends_with_it(tmp_path: Path) -> None:
    tree = b"1\tHi\thi\tX\t_\t_\t0\troot\t_\t_\n"  # no blank line follows
    packed = zipped(**{"a.conllu": tree, "b.conllu": tree})
    assert [record.text for record in read(tmp_path / "a.zip", packed, "conllu")] == ["Hi", "Hi"]


def test_a_line_may_be_as_long_as_the_limit(tmp_path: Path) -> None:
    (record,) = read(tmp_path / "a.txt", b"x" * (archives.LINE_LIMIT - 1) + b"\n")
    assert len(record.text) == archives.LINE_LIMIT - 1


def test_an_archive_is_read_by_what_it_holds(tmp_path: Path) -> None:
    packed = zipped(**{"README": b"x", "a.jsonl": b'{"text": "A sentence."}\n'})
    assert read(tmp_path / "a.zip", packed, "auto") == [Record("A sentence.")]
    wiki = b'<doc id="1" url="" title="T">\nT\n\nA sentence of an article.\n</doc>\n'
    assert read(tmp_path / "wiki_00", wiki, "auto") == [
        Record("A sentence of an article.", title="T", work="T")
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
    expected = [Record("A b.", "C d.", label="1"), Record("E.", label="0")]
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
        Record("A."),
        Record("B.", title="T", label="1", pair_id="p"),
        Record("C.", "D.", score=2.0),
        Record("E.", "F."),
        Record("", title="no text"),
    ]
    assert read(tmp_path / "a.jsonl", body, "jsonl") == expected
    own = b'{"content": "G.", "LABEL": "x"}\n'
    packed = zipped(**{"a.jsonl": body, "b.jsonl": own})
    assert read(tmp_path / "a.zip", packed, "jsonl") == [*expected, Record("G.", label="x")]
    packed = zipped(**{"a.jsonl": body, "b.jsonl": b'{"body": "G."}\n'})
    with pytest.raises(SynsemError, match=r"b\.jsonl.*has no column 'text'"):
        read(tmp_path / "b.zip", packed, "jsonl")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.xlsx", zipped(**{"[Content_Types].xml": b"<Types/>", "xl/sheet1.xml": b"<row/>"})),
        ("a.DOCX", zipped(**{"word/document.xml": b"<w>Rain fell.</w>"})),
        ("a.pdf", b"%PDF-1.4\n%\xe2\xe3\n"),
        ("a.html", b"<p>Rain fell.</p>"),
    ],
)
def test_a_document_that_is_no_plain_text_is_told_so(tmp_path: Path, name: str, body: bytes) -> None:
    told = f"{name}: is no plain text; save its text as .txt, or its table as .csv"
    with pytest.raises(SynsemError, match=f"^{re.escape(told)}$"):
        read(tmp_path / name, body, "auto")
    with pytest.raises(SynsemError, match=r"a\.xyz: neither its name nor its start"):
        read(tmp_path / "a.xyz", b"Rain fell.", "auto")


def test_a_column_of_splits_is_read_as_the_names_of_files_are(tmp_path: Path, own_cache: Path) -> None:
    names = {"Validation": "dev", "val": "dev", "trial": "dev", "devel": "dev", "TRAINING": "train",
             "train ": "train", "testing": "test", "Test": "test"}  # fmt: skip
    table = tmp_path / "pairs.csv"
    table.write_text("text,split\n" + "".join(f"A dog {name}.,{name}\n" for name in names))
    (own,) = own_source(str(table), "benchmark", "en")
    (fetched,) = fetch([own], Access(own_cache))
    assert [record.split for record in records(fetched)] == list(names.values())
    table.write_text("text,split\nA dog.,train\nA cat.,fold3\n")
    with pytest.raises(SynsemError, match=r"/pairs\.csv: split 'fold3' is none of train, dev, test; "):
        list(records(fetched))
    (own,) = own_source(str(table), "corpus", "en")  # where nobody reads the column
    (fetched,) = fetch([own], Access(own_cache))
    assert [record.text for record in records(fetched)] == ["A dog.", "A cat."]


def test_half_a_character_is_in_no_column(tmp_path: Path) -> None:
    """JSON can name one, and UTF-8 cannot hold it."""
    half = "\ud83d"
    rows = [
        {"text": "A.", "lang": half, "pair_id": half, "label": half, "split": half},
        {"text": "B.", "lang": f"de{half}", "pair_id": f" p{half}", "label": f"x{half} y", "title": "T"},
    ]
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    assert read(tmp_path / "a.jsonl", body, "jsonl") == [
        Record("A."),
        Record("B.", lang="de", pair_id="p", label="x y", title="T"),
    ]


def test_a_score_that_is_missing_is_no_number(tmp_path: Path) -> None:
    """Parquet has null and NaN for it; of a single text, and beside a label, none is needed."""
    rows = {"a": ["A.", "C."], "b": ["B.", "D."], "score": [1.5, None]}
    for missing in (None, float("nan")):
        rows["score"] = [1.5, missing]
        pq.write_table(pa.table(rows), tmp_path / "parquet")
        with pytest.raises(SynsemError, match=r"^a\.parquet: row 2: score is missing; fill it in or remove"):
            read(tmp_path / "a.parquet", (tmp_path / "parquet").read_bytes(), "columnar")
        for more in ({"b": ["B.", None]}, {"label": ["x", "y"]}):
            pq.write_table(pa.table(rows | more), tmp_path / "parquet")
            found = read(tmp_path / "b.parquet", (tmp_path / "parquet").read_bytes(), "columnar")
            assert [record.score for record in found] == [1.5, None]
            assert [record.b for record in found] == ["B.", None if "b" in more else "D."]
    pq.write_table(pa.table({"text": ["A.", "B."], "label": [1.0, float("nan")]}), tmp_path / "parquet")
    found = read(tmp_path / "c.parquet", (tmp_path / "parquet").read_bytes(), "columnar")
    assert [record.label for record in found] == ["1.0", None]


def test_blank_files_are_named_and_not_their_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("blank.txt").write_text(" \n\n")
    (source,) = own_source("blank.txt", "corpus", "en")
    fetched = fetch([source], Access(tmp_path / "cache"))
    with pytest.raises(SynsemError, match=r"hold no text; check (\./)?blank\.txt$"):
        list(records(fetched[0]))


@pytest.mark.parametrize(
    "markup",
    ["{{a|" * 8_000, "<div>" * 20_000, "[http://a " * 10_000, "{|\n|-\n|a\n" * 10_000, "<a " * 30_000,
     "[[a|" * 25_000],
    ids=["template", "tag", "link", "table", "half a tag", "inner link"],
)  # fmt: skip
def test_markup_that_is_never_closed_takes_no_time(
    markup: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parser of wikitext reads the rest of an article again for each: 20 s for 32,000 characters."""
    page = "<page><title>{}</title><ns>0</ns><revision><text>{}</text></revision></page>"
    bodies = [markup.replace("<", "&lt;"), "A plain article.", "{{note|" * 50 + "left open."]
    pages = "".join(page.format(f"T{number}", body) for number, body in enumerate(bodies))
    began = time.process_time()
    found = read(tmp_path / "dump.xml", f"<mediawiki>{pages}</mediawiki>".encode(), "mediawiki")
    assert time.process_time() - began < 5
    assert [record.title for record in found] == ["T0", "T1", "T2"]
    assert [record.text for record in found[:2]] == ["", "A plain article."]
    assert "left open." in found[2].text
    assert "dump.xml: 'T0' is left out: its markup is never closed" in capsys.readouterr().err


def test_marks_that_end_more_than_began_make_up_for_no_others() -> None:
    markup = "{{a|" * 100
    assert effort(markup) == 100 * 400
    assert effort(markup + " -->" * 100) == 100 * 800
