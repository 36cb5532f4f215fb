"""``synsem score``: a line of two texts in, a row of scores out."""

import csv
import io
import subprocess
from pathlib import Path

import pytest

import synsem
from pipeline.core.errors import SynsemError
from pipeline.export import encode
from pipeline.export.score import score_stream
from tests.export.conftest import save
from tests.in_process import python_m

PAIRS = [
    ("The dog chased the boy.", "The boy was chased by the dog."),
    ("Rain fell.", "The dog chased the boy."),
    ("It said \"no\", and 'yes'.", "Ünïcödé — 😀"),
    ("Rain fell.", "Rain fell."),
]


@pytest.fixture(scope="module")
def models(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name in ("synsem", "sscp"):
        save(name, tiny_backbone, folder / name)
    save("simcse", tiny_backbone, folder / "simcse", sketch=None)
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS), encoding="utf-8")
    return path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("system", ["synsem", "sscp", "simcse"])
def test_a_row_has_what_the_model_says_of_its_pair(
    system: str, models: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        encode.chunks, "__defaults__", (3, 1 << 20)
    )  # the last pair comes in a chunk of its own
    said = score_stream(models / system, source, tmp_path / "scores.tsv")
    assert said.startswith("4 pairs, ")
    found = rows((tmp_path / "scores.tsv").read_text(encoding="utf-8"))
    assert [(row["a"], row["b"]) for row in found] == PAIRS
    model = synsem.load(models / system)
    for row, (a, b) in zip(found, PAIRS, strict=True):
        scores = model.scores(a, b)
        scores["late_interaction"] = scores.pop("late interaction", None)
        scores.pop("structural agreement", None)
        expected = {name: score for name, score in scores.items() if score is not None}
        assert list(row)[2:] == list(expected)
        assert [float(cell) for cell in list(row.values())[2:]] == pytest.approx(
            list(expected.values()), abs=1e-5
        )


def score(model: Path, given: bytes, folder: Path) -> "subprocess.CompletedProcess[str]":
    """The command between two files in the place of pipes; its output is in ``folder / "out"``."""
    with (folder / "out").open("wb") as out:
        return python_m("stages.tools.score", str(model), stdin=io.BytesIO(given), stdout=out)


def test_a_pipe_of_pairs_becomes_a_pipe_of_scores(models: Path, tmp_path: Path) -> None:
    done = score(models / "synsem", "\ufeffA dog.\tA cat.\r\nNo.\tYes.".encode(), tmp_path)
    assert done.returncode == 0, done.stderr
    found = rows((tmp_path / "out").read_text())
    assert [(row["a"], row["b"]) for row in found] == [("A dog.", "A cat."), ("No.", "Yes.")]
    assert "score: 2 pairs" in done.stderr


def test_a_closed_output_is_one_clear_sentence(
    models: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(SynsemError, match="standard output: is closed; give --out"):
        score_stream(models / "synsem", source, None)


def test_a_text_with_a_carriage_return_is_one_row(models: Path, tmp_path: Path) -> None:
    done = score(models / "synsem", "a\rb  c\u2028d\te\n".encode(), tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out").open(encoding="utf-8", newline=None) as table:
        [_, row] = [line.split("\t")[:2] for line in table.read().splitlines()]
    assert row == ["a b  c d", "e"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (
            b"a\tb\nalone\n",
            "standard input: line 2 has 1 text in 1 column; give two texts, separated by a tab",
        ),
        (b"a\tb\n\n", "line 2 has 0 texts in 1 column"),
        (b"a\t \n", "line 1 has 1 text in 2 columns"),
        (b"a\tb\tc\n", "line 1 has 3 texts in 3 columns"),
        (b"", "standard input: holds no pair"),
        (b"a\tb\n\xff\tc\n", "line 2 is not UTF-8"),
    ],
)
def test_a_line_that_is_no_pair_is_named(models: Path, tmp_path: Path, given: bytes, complaint: str) -> None:
    done = score(models / "synsem", given, tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert complaint in done.stderr


def test_the_line_is_counted_over_chunks_and_the_table_is_left(
    models: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encode.chunks, "__defaults__", (3, 1 << 20))
    out = tmp_path / "scores.tsv"
    out.write_text("as it was")
    with source.open("a") as more:
        more.write("alone\n")
    with pytest.raises(SynsemError, match=r"pairs.tsv: line 5 has 1 text"):
        score_stream(models / "synsem", source, out)
    assert out.read_text() == "as it was"
    with pytest.raises(SynsemError, match="holds the pairs themselves; name another file with --out"):
        score_stream(models / "synsem", source, source)
