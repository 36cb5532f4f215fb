"""``synsem search``: the lines of a text that are most like a query."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import synsem
from pipeline.core.errors import SynsemError
from pipeline.export import encode
from pipeline.export.line_search import FoundLine, search_lines
from pipeline.export.text_encoder import TextEncoder, text_encoder
from pipeline.systems import registry
from stages.tools import search
from tests.export.conftest import save

QUERY = "Who chased the boy?"
LINES = ["Rain fell.", "", "The dog chased the boy.", "The boy chased the dog.", "  ", "Rain fell.", "No."]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "my lines.txt").write_text("\n".join(LINES))
    return tmp_path / "my lines.txt"


def found(model: Path, source: Path | None, count: int, view: str = "joint") -> list[FoundLine]:
    encoder = text_encoder(registry.load(model), model, view, None)
    return search_lines(QUERY, source, encoder, count)


@pytest.mark.parametrize("size", [1, 3, 100])
def test_the_lines_are_those_that_a_search_of_all_finds(
    size: int, text_model: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encode.chunks, "__defaults__", (size, 1 << 20))
    for count in (1, 3, 50):
        texts = [line for line in LINES if line.strip()]
        expected = synsem.load(text_model).search(QUERY, texts, count)
        lines = found(text_model, source, count)
        assert [line.text for line in lines] == [each.text for each in expected]
        assert [line.score for line in lines] == pytest.approx([each.score for each in expected], abs=1e-5)
        assert all(LINES[line.number - 1] == line.text for line in lines)
    first, again = (line.number for line in found(text_model, source, 50) if line.text == "Rain fell.")
    assert (first, again) == (1, 6)


class Drifting:
    """Scores that rise by a last bit with each text that is read."""

    views = {"joint": 1}  # noqa: RUF012 - as in TextEncoder
    read = 0

    def __call__(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        first, self.read = self.read, self.read + len(texts)
        return {"joint": np.float32([[0.5 + each * 1e-7] for each in range(first, self.read)]).reshape(-1, 1)}


@pytest.mark.parametrize("size", [1, 100])
def test_equal_lines_keep_their_order(size: int, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode.chunks, "__defaults__", (size, 1 << 20))
    lines = search_lines(QUERY, source, cast("TextEncoder", Drifting()), 10)
    assert [line.number for line in lines if line.text == "Rain fell."] == [1, 6]


def test_a_model_that_reads_trees_parses_query_and_lines(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encode.chunks, "__defaults__", (1, 1 << 20))
    save("sscp", tiny_backbone, tmp_path / "model")
    (tmp_path / "lines.txt").write_text("The dog chased the boy.\n\nRain fell.\n")
    texts = ["The dog chased the boy.", "Rain fell."]
    expected = synsem.load(tmp_path / "model").search(QUERY, texts)
    lines = found(tmp_path / "model", tmp_path / "lines.txt", 10)
    assert [(line.text, line.number) for line in lines] == [
        (each.text, 1 + 2 * texts.index(each.text)) for each in expected
    ]


def test_the_command_reads_a_file_or_a_pipe_and_writes_a_table(
    text_model: Path, source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    search.main(QUERY, source, model=text_model, top=2)
    written = capsys.readouterr().out
    assert written.splitlines()[0] == "cosine\tline\tsentence"
    expected = found(text_model, source, 2)
    assert written.splitlines()[1:] == [f"{line.score:.3f}\t{line.number}\t{line.text}" for line in expected]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(source.read_bytes())))
    search.main(QUERY, Path("-"), model=text_model, top=2)
    assert capsys.readouterr().out == written


def test_with_standard_output_closed_the_lines_are_not_lost_in_silence(
    text_model: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(SynsemError, match="standard output: is closed"):
        search.main(QUERY, source, model=text_model)


def test_what_cannot_be_searched_is_one_sentence(text_model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n \n")
    (tmp_path / "rows.csv").write_text("id,text\n1,Rain fell.\n")
    for name, message in (
        ("empty.txt", "empty.txt: holds no text"),
        ("rows.csv", "rows.csv: is a table by its name"),
        ("none.txt", "none.txt: cannot be read"),
    ):
        with pytest.raises(SynsemError, match=message):
            search.main(QUERY, tmp_path / name, model=text_model)
    with pytest.raises(SynsemError, match="the query is empty"):
        search.main(" ", tmp_path / "empty.txt", model=text_model)
    with pytest.raises(SynsemError, match="has no structural vector"):
        search.main("Rain", tmp_path / "empty.txt", model=text_model, view="structural")
    with pytest.raises(SynsemError, match="--view: synsem has no view 'late'"):
        search.main(QUERY, tmp_path / "empty.txt", model=text_model, view="late")
