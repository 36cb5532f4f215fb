"""Damaged files of every layout: a reader gives records or one SynsemError, never anything else."""

import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.corpora.archives import Input
from pipeline.corpora.cleaning.text import regular
from pipeline.corpora.readers import READERS, reader
from pipeline.corpora.readers.base import Part, Record
from pipeline.parsing.conllu import read as read_conllu
from pipeline.parsing.repair import repair
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree
from tests.hardness.damage import FUZZ, damaged, refusal

FEW = settings(FUZZ, max_examples=40)
CONLLU = (
    b"# sent_id = 1\n# text = don't go\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"1\tdo\tdo\tAUX\tVBP\tMood=Ind\t3\taux\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
    b"2.1\tx\tx\tX\t_\t_\t_\t_\t_\t_\n3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No\n\n"
)
SOUND = {  # a whole file of each layout, to be damaged
    "aligned_labels": b"one\ntwo\n",
    "bracketed": b"(S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sits)) (. .))\n(S (NP (-NONE- *)) (VP (VB go)))\n",
    "captions": b"1.jpg#0\tA dog runs .\n1.jpg#1\tA dog plays .\n",
    "constituents": b"(S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sits)) (. .))\n",
    "columns": b"1\tword\tx\n2\tother\ty\n\n",
    "conllu": CONLLU,
    "jsonl": b'{"text": "A b.", "title": "T", "score": 1.5, "label": [1], "lang": "en"}\n{"text": "C"}\n',
    "labelled_pairs": b"a\tb\t1\nc\td\t0\n",
    "lines": b"A line.\n\nAnother.\n",
    "mediawiki": (
        b"<mediawiki><page><title>A</title><ns>0</ns><revision><text>'''A''' is [[b|B]].\n== H ==\n"
        b"{{t}} <ref>x</ref> Text &amp; more.</text></revision></page></mediawiki>"
    ),
    "mrpc": b"Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t2\t3\tA b\tC d\n",
    "pairs": b"A b.\tC d.\nE.\tF.\n",
    "paws": b"id\tsentence1\tsentence2\tlabel\n1\ta b\tb a\t0\n2\tc\td\t1\n",
    "probing": b"tr\tNN\ta sentence\nte\tVB\tother words\n",
    "pythonbible": b"bible = Bible(Version.X, '''At first. God said.''', {1001001: 0, 1001002: 10})\n",
    "qqp": b"1\tHow are you ?\tWho are you ?\t7\n0\ta\tb\t8\n",
    "reuters": (
        b'<REUTERS LEWISSPLIT="TRAIN">\n<TEXT>\n<TITLE>T</TITLE>\n<BODY>Text.\n</BODY></TEXT>\n</REUTERS>\n'
    ),
    "sick": b"pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\ta\tb\t3.5\tX\n",
    "snli": b'{"gold_label": "neutral", "sentence1": "a", "sentence2": "b"}\n',
    "stsb": b"main\tMSR\t2012\t1\t2.5\ta b\tc d\n",
    "summaries": b'{"a": {"title": "A", "extract": "A is."}, "b": {"title": "B", "extract": "B is."}}',
    "table": b'text,label,score\n"A, b",x,1.5\nC,y,2\n',
    "tagged": b"The/at cat/nn sits/vbz ./.\n",
    "text": b"Some text\nthat runs on.\n\nAnother text.\n",
    "treebank": CONLLU,
    "trec": b"NUM:date When was it ?\nHUM:ind Who ?\n",
    "wikiextractor": b'<doc id="1" url="u" title="A &amp; B">\nA &amp; B\n\nText of <a>it</a>.\n</doc>\n',
    "wikisplit": b"A b c .\tA b . <::::> c .\n",
    "wikitext": b" = Title = \n\n Text of it .\n\n = = Part = = \n\n More .\n",
}


def parquet() -> bytes:
    from pyarrow import parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"text": ["A b.", "C."], "label": [1, 2]}), sink)
    return sink.getvalue().to_pybytes()


def arrow() -> bytes:
    table = pa.table({"text": pa.array(["A b.", "C."]).dictionary_encode(), "score": [1.0, 2.0]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def zipped() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "A text that is long enough. " * 20)
        archive.writestr("b/c.txt", "Another.")
    return sink.getvalue()


def tarred() -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz") as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = 560
        archive.addfile(info, io.BytesIO(b"A text that is long enough. " * 20))
    return sink.getvalue()


PACKED = {"columnar": [parquet(), arrow()], "text": [zipped(), tarred()]}


def take(path: Path, body: bytes, how: str) -> list[Record]:
    """The records that a reader gives for the bytes; their texts must pass cleaning and Arrow."""
    path.write_bytes(body)
    roles = {"senteval_sts": ("pairs", "gold"), "aligned_labels": ("s1", "s2", "labels")}.get(how, ("",))
    records: list[Record] = []

    def clean() -> None:
        for record in reader(how)(Part({role: Input(path, path.name) for role in roles})):
            text = regular(record.text, one_line=record.presplit)
            assert isinstance(record.title, str | None)
            pa.array([text, record.b and regular(record.b), record.title and regular(record.title)])
            records.append(record)

    refusal(clean)
    return records


def test_every_layout_is_fuzzed() -> None:
    assert set(READERS) - set(SOUND) - set(PACKED) == {
        "aligned",
        "auto",
        "senteval_sts",
    }  # several files, or any


@pytest.mark.parametrize("how", SOUND)
def test_the_undamaged_file_is_read(how: str, tmp_path: Path) -> None:
    if how != "aligned_labels":
        assert take(tmp_path / "f", SOUND[how], how)


@pytest.mark.parametrize("how", SOUND)
@given(data=st.data())
@FEW
def test_a_damaged_file_gives_records_or_one_sentence(how: str, data: st.DataObject, tmp_path: Path) -> None:
    take(tmp_path / "f", data.draw(damaged(SOUND[how])), how)


@pytest.mark.parametrize("how", PACKED)
@given(data=st.data())
@FEW
def test_a_damaged_container_likewise(how: str, data: st.DataObject, tmp_path: Path) -> None:
    take(tmp_path / "f", data.draw(damaged(data.draw(st.sampled_from(PACKED[how])))), how)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ROW = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("text", "title", "lang", "score", "label", "split", "pair_id", "b"), JSON)
)


@given(rows=st.lists(JSON | ROW, min_size=1, max_size=3))
@FEW
def test_json_of_any_types(rows: list[object], tmp_path: Path) -> None:
    take(tmp_path / "f", "".join(json.dumps(row) + "\n" for row in rows).encode(), "jsonl")
    take(tmp_path / "f", "".join(json.dumps(row) + "\n" for row in rows).encode(), "snli")
    entries = {str(number): row for number, row in enumerate(rows)}
    take(tmp_path / "f", json.dumps(entries).encode(), "summaries")


@pytest.mark.parametrize(
    ("how", "body"),
    [
        ("jsonl", b'{"text": "\\ud800 alone", "title": "\\udfff"}\n'),
        ("jsonl", b"[" * 200_000),
        ("jsonl", b'{"text": ' + b"9" * 5000 + b"}\n"),
        ("summaries", b'{"a":' * 100_000),
        ("summaries", b'{"a": {"title": "A", "extract": 3}}'),
        ("bracketed", b"(S " * 50_000 + b"(N x)" + b")" * 50_000),
        ("bracketed", b") (\n"),
        ("pythonbible", b"f(" * 50_000),
        ("pythonbible", b"f(1, " + b"-" * 100_000 + b"1, {})"),
        ("pythonbible", b"f(1, 'text', {1: 'a', 2: 0})\n"),
        ("pythonbible", b"\0"),
        ("table", b'text,"label\nx,y\n'),
        ("mediawiki", b"<mediawiki><page></page></mediawiki>"),
        ("mediawiki", b"<mediawiki><page><ns>0</ns></page></mediawiki>"),
        ("mediawiki", b"<a>" * 100_000),
        ("mediawiki", b"<mediawiki><page><ns>0</ns><title/><text>" + b"{{" * 5000 + b"</text></page></mediawiki>"),  # noqa: E501
        ("snli", b'{"gold_label": 1, "sentence1": 2, "sentence2": []}'),
    ],
)  # fmt: skip
def test_shapes_that_break_parsers(how: str, body: bytes, tmp_path: Path) -> None:
    before = sys.getrecursionlimit()
    take(tmp_path / "f", body, how)
    assert sys.getrecursionlimit() == before


def test_an_entity_bomb_is_refused(tmp_path: Path) -> None:
    bomb = (
        '<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
        "<mediawiki><page><title>T</title><ns>0</ns><text>&c;</text></page></mediawiki>"
    )
    outside = '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><mediawiki>&x;</mediawiki>'
    for body in (bomb, outside):
        path = tmp_path / "f.xml"
        path.write_text(body)
        with pytest.raises(SynsemError, match=r"f\.xml: not a whole MediaWiki XML dump"):
            list(reader("mediawiki")(Part({"": Input(path, path.name)})))


@given(text=damaged(CONLLU).map(lambda body: body.decode(errors="replace")))
@FEW
def test_gold_trees_of_any_text_can_be_repaired(text: str) -> None:
    sentences: list[Sentence] = []
    refusal(lambda: sentences.extend(read_conllu(text, "f")))
    for sentence in sentences:
        if len(sentence):
            assert is_tree(repair(sentence)[0].heads)
        assert all(isinstance(label, str) for label in sentence.deprels)
