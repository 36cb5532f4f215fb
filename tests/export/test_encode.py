"""``synsem encode``: lines in, rows out, whatever the lines are and however many."""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.export import encode as lines
from pipeline.export.encode import encode_stream
from pipeline.export.sentence_transformers import parser_of
from pipeline.export.text_encoder import TextEncoder, clip, parsed
from pipeline.export.writers import format_of
from pipeline.nn.precision import Inference
from pipeline.systems import registry
from pipeline.systems.base import Views
from stages.tools.encode import Precision, main
from tests.in_process import python_m

ROOT = Path(__file__).parent.parent.parent
TEXTS = [
    "The old cat sat on the mat.", "", "Rain fell!", "   ", "Ünïcödé — 😀 e\u0301 \u2028 and \x0b more\x00",
    "مرحبا بالعالم", "one \t word", "\ufffd\u200b", '"quoted" \\ {}',
]  # fmt: skip


def piped(*arguments: object, stdin: bytes) -> tuple[int, bytes, str]:
    """Exit code, stdout and stderr of the command between two pipes."""
    reader, writer = (os.fdopen(end, mode) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    with reader, writer:
        done = encode_to(writer, *arguments, stdin=stdin)
        writer.close()
        return done.returncode, reader.read(), done.stderr


def encode_to(
    stdout: BinaryIO, *arguments: object, stdin: bytes = b"Rain fell.\n"
) -> "subprocess.CompletedProcess[str]":
    words = map(str, arguments)
    return python_m("stages.tools.encode", *words, stdin=io.BytesIO(stdin), stdout=stdout)


@pytest.fixture(scope="module")
def expected(model: Path) -> Views:
    return registry.load(model).embed(parsed(TEXTS, parser_of(model, None), 32))


def encode(model: Path, source: Path, out: Path, kind: str, view: str | None = None) -> str:
    return str(encode_stream(model, source, out, kind, view, "cpu", None))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_bytes("\r\n".join(TEXTS[:3]).encode("utf-8-sig") + b"\n" + "\n".join(TEXTS[3:]).encode())
    return path


@pytest.mark.parametrize("view", [None, "semantic"])
def test_a_pipe_of_lines_becomes_a_pipe_of_rows(view: str | None, model: Path, expected: Views) -> None:
    options = ["--view", view] if view else []
    code, written, said = piped(model, *options, stdin="\n".join(TEXTS).encode())
    assert code == 0, said
    table = pq.read_table(io.BytesIO(written))
    assert table["text"].to_pylist() == TEXTS
    assert table.column_names == ["text", *([view] if view else ["semantic", "syntactic", "joint"])]
    for name in table.column_names[1:]:
        np.testing.assert_allclose(np.stack(table[name].to_numpy()), expected[name], atol=1e-3)
    assert f"encode: {len(TEXTS)} lines, 2 empty" in said


@pytest.mark.parametrize("rows", [1, 4, 100])
def test_formats_and_chunks_agree(
    rows: int, model: Path, expected: Views, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines.chunks, "__defaults__", (rows, lines.CHARACTERS))
    encode(model, source, tmp_path / "a.parquet", "parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    assert table["text"].to_pylist() == TEXTS
    assert pq.ParquetFile(tmp_path / "a.parquet").num_row_groups == -(-len(TEXTS) // rows)
    np.testing.assert_allclose(np.stack(table["syntactic"].to_numpy()), expected["syntactic"], atol=1e-5)

    encode(model, source, tmp_path / "a.npy", "npy", "joint")
    np.testing.assert_allclose(np.load(tmp_path / "a.npy", mmap_mode="r"), expected["joint"], atol=1e-5)

    encode(model, source, tmp_path / "a.jsonl", "jsonl", "semantic")
    read = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().split("\n")[:-1]]
    assert [row["text"] for row in read] == TEXTS
    np.testing.assert_allclose([row["semantic"] for row in read], expected["semantic"], atol=1e-5)


def test_no_lines_are_an_empty_table(model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    for kind, view in (("parquet", None), ("npy", "joint"), ("jsonl", None)):
        encode(model, tmp_path / "empty.txt", tmp_path / f"out.{kind}", kind, view)
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 0
    assert np.load(tmp_path / "out.npy").shape == (0, 32 + 32 + 512)  # two encoders and the sketch
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_a_line_of_a_megabyte_is_cut_and_counted_and_the_text_kept_whole(model: Path, tmp_path: Path) -> None:
    long, dense = "Rain fell again . " * 60_000, "!" * 1_000_000
    (tmp_path / "long.txt").write_text(f"{long}\n{dense}\nRain fell.\n")
    summary = encode(model, tmp_path / "long.txt", tmp_path / "out.parquet", "parquet")
    assert summary.startswith("3 lines, 2 cut, ")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["text"].to_pylist() == [long, dense, "Rain fell."]
    # What a cut loses was never read: the plain view sees the same first tokens.
    whole = registry.load(model).embed(parsed(["Rain fell again . " * 20], parser_of(model, None), 32))
    np.testing.assert_allclose(table["semantic"][0].as_py(), whole["semantic"][0], atol=1e-5)


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"))))
def test_chunks_hold_every_line_once(texts: list[str]) -> None:
    stream = io.BytesIO("".join(text + "\n" for text in texts).encode())
    found = list(lines.chunks(stream, "x", lines=3, characters=20))
    if texts and texts[0].startswith("\ufeff"):
        texts = [texts[0][1:], *texts[1:]]
    assert list(chain.from_iterable(found)) == texts
    assert all(len(chunk) == 1 or (len(chunk) <= 3 and sum(map(len, chunk)) <= 20) for chunk in found)


@given(st.text(max_size=200), st.integers(1, 8))
def test_a_clipped_text_is_a_beginning_and_no_longer_than_allowed(text: str, max_tokens: int) -> None:
    found = clip(text, max_tokens)
    assert text.lstrip().startswith(found.lstrip())
    assert len(found) <= 16 * max_tokens
    assert found == text or len(text) > 16 * max_tokens


def test_white_space_before_a_text_is_not_all_that_is_read_of_it() -> None:
    assert clip(" \n" * 600 + "The dog chased the boy.", 64) == "The dog chased the boy."
    assert clip("  Rain fell.", 64) == "  Rain fell."


def test_what_goes_wrong_leaves_no_file_and_an_old_one_as_it_was(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"fine\n" * 5000 + b"caf\xe9\n")
    out = tmp_path / "out.parquet"
    for before in (None, b"old"):
        if before:
            out.write_bytes(before)
        with pytest.raises(SynsemError, match=r"broken.txt: line 5,001 is not UTF-8 .* at byte 4\)"):
            encode(model, broken, out, "parquet", "semantic")
        assert (out.read_bytes() if out.exists() else None) == before
        assert {path.name for path in tmp_path.iterdir()} <= {"broken.txt", "out.parquet"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": "nonsense"}, "has no view 'nonsense'; choose from semantic, syntactic, joint"),
        ({"kind": "npy"}, "--format npy: holds one view; choose --view"),
        ({"kind": "csv"}, "--format: 'csv' is no known format; choose from parquet, jsonl, npy"),
        ({"out": Path("vectors.txt")}, "vectors.txt: 'txt' is no known format"),
        ({"source": Path("no-such.txt")}, "no-such.txt: cannot be read"),
        (
            {"device": "nonsense"},
            "--device: 'nonsense' cannot be used here (torch has no such device); take auto, cpu, or cuda",
        ),
        ({"params": Path("no-such.yaml")}, "no-such.yaml: cannot be read"),
    ],
)
def test_errors_are_one_clear_sentence(
    model: Path, source: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    usual = {"source": source, "out": tmp_path / "out.npy", "kind": None, "view": None} | options
    if "kind" not in options and "out" not in options:
        usual["kind"] = "parquet"
    with pytest.raises(SynsemError, match=re.escape(message)):
        main(model, **({"device": "cpu", "params": None} | usual))
    assert {path.name for path in tmp_path.iterdir()} == {"sentences.txt"}


@pytest.mark.parametrize("name", ["texts.csv", "texts.TSV", "texts.jsonl"])
def test_the_lines_of_a_table_are_not_taken_for_sentences(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).write_text("id,text\n1,Rain fell.\n")
    with pytest.raises(SynsemError, match=rf"{name}: is a table by its name; give its column of texts"):
        encode(model, tmp_path / name, tmp_path / "out.npy", "npy", "semantic")
    assert not (tmp_path / "out.npy").exists()
    with (tmp_path / name).open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        encode(model, None, tmp_path / "out.npy", "npy", "semantic")
    assert len(np.load(tmp_path / "out.npy")) == 2


def test_a_closed_output_is_one_clear_sentence(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts.txt").write_text("Rain fell.")
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(SynsemError, match="standard output: is closed; give --out"):
        main(model, tmp_path / "texts.txt")


def test_an_error_in_a_pipe_is_one_line_and_no_bytes(model: Path) -> None:
    code, written, said = piped(model, "--format", "npy", "--view", "joint", stdin=b"Rain fell.\n")
    assert (code, written) == (1, b"")
    [line] = said.splitlines()
    assert line.startswith("synsem: --format npy: cannot go to a pipe")


@pytest.mark.parametrize("name", ["same.jsonl", "link.jsonl", "hard.jsonl"])
def test_the_text_is_not_replaced_by_its_vectors(model: Path, tmp_path: Path, name: str) -> None:
    source = tmp_path / "same.jsonl"
    source.write_text("Rain fell.\n")
    (tmp_path / "link.jsonl").symlink_to(source)
    (tmp_path / "hard.jsonl").hardlink_to(source)
    with pytest.raises(SynsemError, match=f"{name}: is the text itself; name another file with --out"):
        encode(model, source, tmp_path / name, "jsonl", "semantic")
    assert source.read_text() == "Rain fell.\n"
    assert not list(tmp_path.glob("*.partial"))


def test_a_text_that_is_redirected_to_standard_input_is_not_replaced_either(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "same.jsonl"
    source.write_text("Rain fell.\n")
    with source.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with pytest.raises(
            SynsemError, match=r"same.jsonl: is the text itself; name another file with --out"
        ):
            encode_stream(model, None, source, "jsonl", "semantic", "cpu", None)
    assert source.read_text() == "Rain fell.\n"


@pytest.mark.parametrize("kind", ["parquet", "npy"])
def test_a_part_of_a_table_cannot_be_read_as_a_whole_one(
    kind: str, plain_model: Path, tmp_path: Path
) -> None:
    """In what standard output was redirected to, which stays when something fails."""
    given, out = b"Rain fell.\n" * 5000 + b"caf\xe9\n", tmp_path / f"out.{kind}"
    with out.open("wb") as stdout:
        done = encode_to(stdout, plain_model, "--view", "semantic", "--format", kind, stdin=given)
    assert done.returncode == 1
    assert out.stat().st_size > 1000
    with pytest.raises((pa.ArrowInvalid, ValueError)):
        pq.read_table(out) if kind == "parquet" else np.load(out)


NOT_APPENDED = "cannot be appended to a file"


@pytest.mark.parametrize(
    ("mode", "before", "kind", "said"),
    [
        ("ab", b"before\n", "parquet", NOT_APPENDED),  # synsem encode ... >> out
        ("ab", b"", "parquet", None),  # to a new file
        ("ab", b"", "npy", NOT_APPENDED),  # its header is written last
        ("wb", b"before\n", "parquet", NOT_APPENDED),  # (echo before; synsem encode ...) > out
        ("wb", b"before\n", "npy", NOT_APPENDED),
        ("wb", b"", "parquet", None),  # synsem encode ... > out
        ("wb", b"", "npy", None),
    ],
)
def test_a_table_is_written_from_the_start_of_a_file_or_not_at_all(
    plain_model: Path, tmp_path: Path, mode: str, before: bytes, kind: str, said: str | None
) -> None:
    """Parquet counts from the start, so of two tables in a file the first would be read, without a word."""
    out = tmp_path / "out"
    out.write_bytes(before)
    with out.open(mode) as stdout:
        if mode == "wb":
            stdout.write(before)
            stdout.flush()
        done = encode_to(stdout, plain_model, "--view", "semantic", "--format", kind)
    assert (done.returncode == 0) == (said is None), done.stderr
    if said is None:
        assert len(pq.read_table(out) if kind == "parquet" else np.load(out)) == 1
    else:
        assert said in done.stderr
        assert out.read_bytes() == before


def test_nothing_is_appended_to_a_device(plain_model: Path) -> None:
    """``>> /dev/null``, as a stopwatch may have it."""
    with Path("/dev/null").open("ab") as stdout:
        done = encode_to(stdout, plain_model, "--view", "semantic")
    assert done.returncode == 0, done.stderr


def test_a_reader_that_has_seen_enough_is_no_error_message(model: Path) -> None:
    encode = f"{sys.executable} -m stages.tools.encode {model} --view semantic --format jsonl"
    command = ["bash", "-c", f"yes 'Rain fell.' | {encode} | head -1"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, text=True, timeout=60)
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("native", [True, False])
def test_fast_vectors_are_exact_to_a_thousandth(
    native: bool, model: Path, expected: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.nn.precision.has_native_fp16", lambda device: native)
    fast = TextEncoder(registry.load(model), None, parser_of(model, None), "fast")(TEXTS)
    for name, vectors in expected.items():
        np.testing.assert_allclose(fast[name], vectors, atol=1e-3 if native else 1e-6)
        assert (fast[name] == vectors).all() != native


@pytest.mark.parametrize(("fp16", "bf16"), [(False, False), (False, True), (True, True)])
def test_bfloat16_is_used_where_it_is_asked_for_and_the_finer_float16_is_not_native(
    fp16: bool, bf16: bool, model: Path, expected: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.nn.precision.has_native_fp16", lambda device: fp16)
    monkeypatch.setattr(
        "pipeline.nn.precision.effective_precision", lambda device, kind: "bf16" if bf16 else "fp32"
    )
    found = TextEncoder(registry.load(model), None, parser_of(model, None), "bf16")(TEXTS)
    for name, vectors in expected.items():
        off = np.abs(found[name] - vectors).max()
        assert off < 1e-6 if not (fp16 or bf16) else off < (1e-3 if fp16 else 1e-2)
        if bf16 and not fp16:
            assert off > 1e-4  # rounded to eight bits


def test_where_the_range_of_float16_is_too_narrow_vectors_are_exact(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.nn.precision.has_native_fp16", lambda device: True)
    system, parse = registry.load(model), parser_of(model, None)
    with torch.no_grad():
        system.get_parameter("semantic.model.encoder.layer.0.intermediate.dense.weight").mul_(1e6)
    exact, fast = (TextEncoder(system, "semantic", parse, each)(TEXTS) for each in ("exact", "fast"))
    assert np.isfinite(exact["semantic"]).all()
    np.testing.assert_array_equal(fast["semantic"], exact["semantic"])


def test_the_semantic_view_needs_no_parser(
    plain_model: Path, model: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a parser was asked for")

    monkeypatch.setattr("pipeline.parsing.registry.load", refuse)
    encode(model, source, tmp_path / "a.npy", "npy", "semantic")
    encode_stream(plain_model, source, tmp_path / "b.npy", "npy", None, "cpu", None)
    assert np.load(tmp_path / "b.npy").shape == (len(TEXTS), 32)


def test_the_command_knows_every_precision() -> None:
    assert set(get_args(Precision)) == set(get_args(Inference))


def test_every_text_that_is_cut_is_counted(model: Path, tmp_path: Path) -> None:
    long = "Rain fell again . " * 40  # 720 characters, of 16 for each of 32 tokens
    blank = " " * 720 + "Rain fell."  # nothing of it is lost
    (tmp_path / "texts.txt").write_text("\n".join([long, "Rain fell.", long, "", long, blank]) + "\n")
    found = encode_stream(model, tmp_path / "texts.txt", tmp_path / "out.npy", "npy", "semantic", "cpu", None)
    assert (found.lines, found.empty, found.cut) == (6, 1, 3)


def test_a_text_of_more_tokens_than_are_read_counts_as_cut(model: Path, tmp_path: Path) -> None:
    whole, longer = "the " * 30, "the " * 31  # of 32 tokens two are special
    (tmp_path / "texts.txt").write_text("\n".join([whole, longer, "", longer]) + "\n")
    found = encode_stream(
        model, tmp_path / "texts.txt", tmp_path / "out.parquet", "parquet", None, "cpu", None
    )
    assert (found.lines, found.cut) == (4, 2)
    vectors = pq.read_table(tmp_path / "out.parquet")["semantic"].to_pylist()
    assert vectors[0] == pytest.approx(vectors[1], abs=1e-5)  # what is counted as cut is not read


def test_a_text_of_many_characters_and_few_tokens_is_read_to_its_end(text_model: Path) -> None:
    """Where nothing is parsed, only tokens count, as in sentence-transformers."""
    system = registry.load(text_model)
    blob, blank = "x" * 1100 + " The dog chased the boy.", "The dog" + " " * 1100 + "chased the boy."
    encoder = TextEncoder(system, "joint", None)
    assert encoder.cut([blob, blank]) == 0
    [of_blob, of_blank, other, plain] = encoder([blob, blank, "x" * 1100, "The dog chased the boy."])["joint"]
    assert of_blank == pytest.approx(plain, abs=1e-6)
    assert np.abs(of_blob - other).max() > 0.01


def test_a_text_without_end_is_cut_even_where_nothing_is_parsed(text_model: Path) -> None:
    encoder = TextEncoder(registry.load(text_model), "joint", None)
    assert encoder.cut([" " * (1 << 15) + "Rain fell.", "Rain fell."]) == 1


def test_a_dash_is_standard_input_and_output(model: Path, tmp_path: Path) -> None:
    options = ("-", "--out", "-", "--view", "semantic", "--format", "jsonl")
    code, written, said = piped(model, *options, stdin=b"Rain fell.\n")
    assert code == 0, said
    assert json.loads(written)["text"] == "Rain fell."
    assert said.endswith(" a second\n")
    assert "encode: 1 line, " in said
    assert not (ROOT / "-").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(b"Rain fell.\n"), "is packed by gzip; unpack it, as with zcat"),
        (bz2.compress(b"Rain fell.\n"), "is packed by bzip2; unpack it, as with bzcat"),
        (lzma.compress(b"Rain fell.\n"), "is packed by xz; unpack it, as with xzcat"),
        ("Rain fell.\n".encode("utf-16"), "is UTF-16; save it as UTF-8"),
        ("Rain fell.\n".encode("utf-16-le"), "is UTF-16; save it as UTF-8"),
        ("\r\nRain fell.\r\n".encode("utf-16-be"), "is UTF-16; save it as UTF-8"),
        ("Идёт дождь.\n".encode("utf-16-le"), "is UTF-16; save it as UTF-8"),
        (b"Rain fell.\rSnow fell.\r", "has lines that end in CR alone; save it with LF as the end of a line"),
        (b"Rain fell.\rSnow fell.", "has lines that end in CR alone; save it with LF as the end of a line"),
        (b"PAR1\x15\x04\x15\x80\n", "is a Parquet table; give its column of texts, one a line"),
    ],
    # gzip writes the time into its first bytes, which must not name a test
    ids=[
        "gzip",
        "bzip2",
        "xz",
        "utf-16",
        "little-endian",
        "big-endian",
        "cyrillic",
        "cr",
        "cr-between",
        "parquet",
    ],
)
def test_what_is_no_text_is_called_by_its_name(content: bytes, said: str) -> None:
    with pytest.raises(SynsemError, match=f"^a: {said}$"):
        list(lines.chunks(io.BytesIO(content), "a"))


def test_nul_characters_are_text_where_they_are_in_no_order_of_utf_16() -> None:
    for text in ("\0" * 8, "a\0b", "\0 is a character that texts may hold"):
        assert list(lines.chunks(io.BytesIO(f"{text}\n".encode()), "a")) == [[text]]


def test_the_suffix_of_a_format_may_be_in_capitals() -> None:
    assert format_of(None, Path("VECTORS.NPY")) == "npy"


def test_each_chunk_is_as_large_as_the_first() -> None:
    """Else all after the first million characters would go through the model one by one."""
    stream = io.BytesIO(b"12345678\n" * 7)
    assert list(map(len, lines.chunks(stream, "x", lines=10, characters=20))) == [2, 2, 2, 1]
