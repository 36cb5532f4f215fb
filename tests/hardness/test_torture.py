"""Unicode that breaks programs goes through every stage and tool, by command."""

import unicodedata
from pathlib import Path

import pytest
from pyarrow import parquet

from pipeline.core import store
from pipeline.corpora.cleaning.text import regular
from tests.hardness.forked import finish
from tests.hardness.small_project import TORTURE

FIT = [regular(text) for text in TORTURE]


def test_documents_are_kept_as_cleaning_is_documented_to_leave_them(whole: Path) -> None:
    kept = {row["text"] for row in store.rows(whole / "data" / "corpus")}
    assert set(FIT) <= kept
    assert len(set(FIT)) == len(FIT) - 1  # the twins in NFC and NFD are one text
    report = store.read_json(whole / "data" / "corpus" / "report.json")
    assert report["dropped"] == {"duplicate": 1}
    for text in FIT:
        assert unicodedata.is_normalized("NFC", text)
        assert not [
            letter for letter in text if unicodedata.category(letter) in ("Cc", "Cs") and letter != "\n"
        ]


def test_sentences_are_cut_out_of_their_documents_to_the_letter(whole: Path) -> None:
    texts = {row["doc_id"]: row["text"] for row in store.rows(whole / "data" / "corpus")}
    found = dict.fromkeys(texts, "")
    for row in store.rows(whole / "data" / "parsed" / "corpus"):
        assert row["text"] in texts[row["doc_id"]]
        assert len(row["words"]) == len(row["space_after"]) == len(row["heads"]) == len(row["deprels"])
        found[row["doc_id"]] += row["text"]
    dropped = store.read_json(whole / "data" / "parsed" / "report.json")["dropped"]
    lost = [name for name, text in texts.items() if "".join(text.split()) != "".join(found[name].split())]
    assert len(lost) <= sum(dropped.values())


def test_benchmark_texts_keep_every_character(whole: Path) -> None:
    asked = {row[side] for row in store.rows(whole / "data" / "benchmarks") for side in ("a", "b")}
    assert {row["text"] for row in store.rows(whole / "data" / "parsed" / "benchmarks")} == asked
    assert {f"Indeed: {regular(text, one_line=True)}" for text in TORTURE} <= asked


def test_variants_and_examples_are_of_the_same_letters(whole: Path) -> None:
    parsed = {row["sent_id"]: row for row in store.rows(whole / "data" / "parsed" / "corpus")}
    variants = list(store.rows(whole / "data" / "augmented"))
    assert len(variants) > 20
    for row in variants:
        source = parsed[row["source_id"]]
        assert len(row["words"]) == len(row["alignment"])
        for word, place in zip(row["words"], row["alignment"], strict=True):
            if not word.isascii():
                assert place, row["text"]
                assert word.casefold() == source["words"][place - 1].casefold()


def test_the_page_names_them(whole: Path) -> None:
    page = (whole / "reports" / "index.html").read_text(encoding="utf-8")
    assert "<b>women</b>" not in page
    assert "\x00" not in page


def test_encode_gives_a_row_a_line(whole: Path, tmp_path: Path) -> None:
    lines = [text.replace("\n", " ").replace("\r", " ").encode("utf-8", "ignore") for text in TORTURE]
    source = tmp_path / "torture.txt"
    source.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines[:5]) + b"\n\n" + b"\n".join(lines[5:]))
    out = tmp_path / "torture.parquet"
    code, said = finish(whole, "encode", "models/sscp/13", str(source), "--out", str(out))
    assert code == 0, said
    table = parquet.read_table(out)
    assert table.num_rows == len(lines) + 1
    assert table["text"].to_pylist()[5] == ""


@pytest.mark.parametrize("command", ["tree", "augment", "similar"])
def test_tools_that_take_a_sentence(command: str, whole: Path) -> None:
    texts = (
        " ".join(TORTURE).replace("\0", "").encode("utf-8", "ignore").decode()
    )  # as a terminal can send it
    others = ("A plain sentence.",) if command == "similar" else ()
    code, said = finish(whole, command, texts[:1500], *others)
    assert code == 0, said


@pytest.mark.parametrize("text", ["\u200b", "\udcff\udcfe bytes that are no text"])
@pytest.mark.parametrize("command", ["tree", "similar"])
def test_tools_that_take_hardly_a_sentence(command: str, text: str, whole: Path) -> None:
    others = ("A plain sentence.",) if command == "similar" else ()
    code, said = finish(whole, command, text, *others)
    assert "Traceback" not in said, said
    if "\udcff" in text:
        assert code == 1
        assert said == "synsem: a text on the command line is not UTF-8; check the encoding of the terminal\n"
    else:
        assert code == 0, said
