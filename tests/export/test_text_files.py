"""``encode``, ``compare`` and ``search`` over files: lines in, rows out, whatever the lines are."""

import json
import tempfile
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import synsem
from pipeline.core.errors import SynsemError
from pipeline.export.sentence_transformers import parser_of
from pipeline.export.texts import (
    TextEncoder,
    chunks,
    encode_lines,
    nearest,
    pair_scores,
    readable,
    score_lines,
)
from pipeline.systems.base import System, Views, registry

TEXTS = [
    "The old cat sat on the mat.", "", "Rain fell!", "   ", "Ünïcödé — 😀 e\u0301 \u2028 and \x0b more\x00",
    "مرحبا بالعالم", "one \t word", "\ufffd\u200b", '"quoted" \\ {}',
]  # fmt: skip
PAIRS = [
    ("The dog chased the boy.", "The boy was chased by the dog."),
    ("It said \"no\", and 'yes'.", "Ünïcödé — 😀"),
    ("Rain fell.", "Rain fell."),
]


@pytest.fixture(scope="module")
def system(model: Path) -> System:
    return registry.load(model)


@pytest.fixture(scope="module")
def encoder(system: System, model: Path) -> TextEncoder:
    return TextEncoder(system, None, parser_of(model, None))


@pytest.fixture(scope="module")
def expected(system: System, model: Path) -> Views:
    return system.embed(readable(TEXTS, parser_of(model, None), 32))


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "__defaults__", (2,))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Lines with a byte order mark and both kinds of ends."""
    path = tmp_path / "sentences.txt"
    path.write_bytes("\r\n".join(TEXTS[:3]).encode("utf-8-sig") + b"\n" + "\n".join(TEXTS[3:]).encode())
    return path


@pytest.mark.usefixtures("small_chunks")
def test_formats_have_the_systems_vectors(
    encoder: TextEncoder, expected: Views, source: Path, tmp_path: Path
) -> None:
    assert encode_lines(encoder, source, tmp_path / "a.parquet", "parquet") == "9 lines, 2 empty"
    table = pq.read_table(tmp_path / "a.parquet")
    assert table["text"].to_pylist() == TEXTS
    assert table.column_names == ["text", "semantic", "syntactic", "joint"]
    for name in expected:
        np.testing.assert_allclose(np.stack(table[name].to_numpy()), expected[name], atol=1e-5)

    encode_lines(encoder, source, tmp_path / "a.jsonl", "jsonl")
    read = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().split("\n")[:-1]]
    assert [row["text"] for row in read] == TEXTS
    np.testing.assert_allclose([row["joint"] for row in read], expected["joint"], atol=1e-5)

    one = TextEncoder(encoder.system, "semantic", None)
    encode_lines(one, source, tmp_path / "a.npy", "npy")
    np.testing.assert_allclose(np.load(tmp_path / "a.npy"), expected["semantic"], atol=1e-5)


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"))))
def test_chunks_hold_every_line_once(texts: list[str]) -> None:
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes("".join(text + "\n" for text in texts).encode())
        found = list(chunks(Path(file.name), 3))
    if texts and texts[0].startswith("\ufeff"):
        texts = [texts[0][1:], *texts[1:]]
    assert list(chain.from_iterable(found)) == texts
    assert all(len(chunk) <= 3 for chunk in found)


def test_failure_leaves_the_old_file(encoder: TextEncoder, tmp_path: Path) -> None:
    (tmp_path / "broken.txt").write_bytes(b"fine\n" * 5000 + b"caf\xe9\n")
    (tmp_path / "out.parquet").write_bytes(b"old")
    one = TextEncoder(encoder.system, "semantic", None)
    with pytest.raises(SynsemError, match=r"broken.txt: .*UTF-8"):
        encode_lines(one, tmp_path / "broken.txt", tmp_path / "out.parquet", "parquet")
    assert (tmp_path / "out.parquet").read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"broken.txt", "out.parquet"}
    with pytest.raises(SynsemError, match=r"no-such.txt"):
        encode_lines(one, tmp_path / "no-such.txt", tmp_path / "out.parquet", "parquet")


def test_text_is_not_replaced_by_its_vectors(encoder: TextEncoder, source: Path) -> None:
    before = source.read_bytes()
    source.with_name("link.jsonl").symlink_to(source)
    for place in (source, source.with_name("link.jsonl")):
        with pytest.raises(SynsemError, match="--out"):
            encode_lines(encoder, source, place, "jsonl")
    assert source.read_bytes() == before


@pytest.mark.parametrize("native", [True, False])
def test_fast_vectors_are_exact_to_a_thousandth(
    native: bool, system: System, model: Path, expected: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.nn.compute.has_native_fp16", lambda device: native)
    fast = TextEncoder(system, None, parser_of(model, None), "fast")(TEXTS)
    for name, vectors in expected.items():
        np.testing.assert_allclose(fast[name], vectors, atol=1e-3 if native else 1e-6)
        assert (fast[name] == vectors).all() != native


@pytest.mark.usefixtures("small_chunks")
def test_search_of_a_file_finds_what_a_search_of_all_finds(text_model: Path, tmp_path: Path) -> None:
    lines = ["Rain fell.", "", "The dog chased the boy.", "The boy chased the dog.", " ", "Rain fell.", "No."]
    (tmp_path / "lines.txt").write_text("\n".join(lines))
    loaded, query = synsem.load(text_model), "Who chased the boy?"
    encoder = TextEncoder(registry.load(text_model), "joint", None)
    for count in (1, 3, 50):
        expected = loaded.search(query, lines, count)
        found = nearest(query, encoder, chunks(tmp_path / "lines.txt"), count)
        assert [text for _, _, text in found] == [each.text for each in expected]
        assert [score for score, _, _ in found] == pytest.approx([each.score for each in expected], abs=1e-5)
        assert all(lines[number - 1] == text for _, number, text in found)
    with pytest.raises(SynsemError, match="no structural vector"):
        nearest("...", TextEncoder(encoder.system, "structural", None), [lines], 10)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("name", ["sscp", "synsem", "simcse"])
def test_file_of_pairs_has_the_scores_of_each_pair(
    name: str, model: Path, text_model: Path, plain_model: Path, tmp_path: Path
) -> None:
    folder = {"sscp": model, "synsem": text_model, "simcse": plain_model}[name]
    system = registry.load(folder)
    parse = None if system.reads_text_alone else parser_of(folder, None)
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS))
    assert score_lines(system, parse, tmp_path / "pairs.tsv", tmp_path / "scores.tsv") == "3 pairs"
    header, *rows = [line.split("\t") for line in (tmp_path / "scores.tsv").read_text().splitlines()]
    assert [tuple(row[:2]) for row in rows] == PAIRS
    assert ("late_interaction" in header) == (name == "synsem")
    for row, pair in zip(rows, PAIRS, strict=True):
        scores = pair_scores([pair], system, parse)
        assert header[2:] == list(scores)
        assert [float(cell) for cell in row[2:]] == pytest.approx(
            [float(column[0]) for column in scores.values()], abs=1e-5
        )


@pytest.mark.parametrize("line", ["alone", "a\t ", "a\tb\tc", ""])
def test_line_that_is_no_pair_is_named(line: str, text_model: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(f"a\tb\n{line}\n")
    with pytest.raises(SynsemError, match=r"pairs.tsv: line 2"):
        score_lines(registry.load(text_model), None, tmp_path / "pairs.tsv", tmp_path / "out.tsv")
    assert not (tmp_path / "out.tsv").exists()


def test_bad_line_of_standard_input_is_named(text_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.export.texts.chunks", lambda source: [["a\tb", "alone"]])
    with pytest.raises(SynsemError, match="standard input: line 2"):
        score_lines(registry.load(text_model), None, None, None)
