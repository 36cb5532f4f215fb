"""The model that comes with SynSem, where no model is trained and where it is named."""

from pathlib import Path

import numpy as np
import pytest

import synsem
from pipeline.core.schemas import SENTENCE
from pipeline.core.store import ShardWriter
from pipeline.syntax.sentence import Sentence
from tests.in_process import python_m

A, B, C = "The dog chased the boy.", "The boy was chased by the dog.", "The boy chased the dog."
TAKEN = "the one that comes with SynSem, as models/synsem/13 is not there; --model names another"


@pytest.fixture(scope="module")
def model() -> synsem.Model:
    return synsem.load()


def flat(text: str) -> Sentence:
    """A sentence whose words all depend on the first."""
    words = tuple(text.split())
    rest, empty = len(words) - 1, ("",) * len(words)
    after = tuple(word != words[-1] for word in words)
    heads, relations = (0, *[1] * rest), ("root", *["dep"] * rest)
    return Sentence(words, after, empty, ("X",) * len(words), empty, empty, heads, relations)


def test_it_has_one_name_in_python_and_on_the_command_line(
    model: synsem.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert np.array_equal(synsem.load("pretrained").encode(A), model.encode(A))
    (tmp_path / "pretrained").mkdir()  # a folder of that name is meant, even if it holds no model
    with pytest.raises(synsem.SynsemError, match="pretrained: "):
        synsem.load("pretrained")


def test_where_nothing_is_trained_two_sentences_are_compared_all_the_same(
    model: synsem.Model, tmp_path: Path
) -> None:
    done = python_m("stages.tools.similar", A, B, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, f"model: {TAKEN}\n")
    assert f"joint view, cosine       {model.similarity(A, B):.3f}" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("scratch")
def test_where_nothing_is_trained_a_corpus_is_searched(model: synsem.Model, tmp_path: Path) -> None:
    texts = ["Rain fell.", B, C]
    with ShardWriter(tmp_path / "data" / "parsed" / "corpus", SENTENCE, rows_per_shard=17) as writer:
        for number, text in enumerate(texts):
            writer.add(
                {"sent_id": f"{number}", "doc_id": "d", "lang": "en", "split": "train"} | flat(text).row()
            )
    for arguments in ((), ("--model", "pretrained")):
        done = python_m("stages.tools.like", A, "--top", "1", *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "" if arguments else f"model: {TAKEN}\n")
        [found] = model.search(A, texts, top=1)
        assert f"{found.score:.3f}" in done.stdout
        assert found.text in done.stdout


def test_a_model_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "models" / "synsem" / "13").mkdir(parents=True)
    done = python_m("stages.tools.similar", A, B, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("synsem: models/synsem/13: there is no model here; name")


def test_it_is_taken_by_its_name(model: synsem.Model, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text(f"{A}\n{B}\n")
    done = python_m(
        "stages.tools.encode", "pretrained", "texts.txt", "--out", "v.npy", "--view", "joint", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "v.npy") == pytest.approx(model.encode([A, B]), abs=1e-3)
    (tmp_path / "pairs.tsv").write_text(f"{A}\t{B}\n")
    done = python_m("stages.tools.score", "pretrained", "pairs.tsv", "--out", "s.tsv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    scores = dict(
        zip(*(line.split("\t") for line in (tmp_path / "s.tsv").read_text().splitlines()), strict=True)
    )
    assert float(scores["joint"]) == pytest.approx(model.similarity(A, B), abs=1e-4)
    done = python_m("stages.tools.tree", A, "--model", "pretrained", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "dog → chased → boy" in done.stdout


@pytest.mark.parametrize("command", ["encode", "score"])
def test_a_folder_of_that_name_goes_first(command: str, tmp_path: Path) -> None:
    (tmp_path / "pretrained").mkdir()
    done = python_m(f"stages.tools.{command}", "pretrained", "--out", "x", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("synsem: pretrained: there is no model here; name")


@pytest.mark.parametrize("command", ["encode", "score"])
def test_a_text_in_the_place_of_the_model_is_told_so(command: str, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text(f"{A}\n")
    done = python_m(f"stages.tools.{command}", "texts.txt", "--out", "x", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "synsem: texts.txt: is a file and no model's folder; name the model first, such as `pretrained`, "
        "the one that comes with SynSem\n"
    )


@pytest.mark.parametrize("there", [False, True])
def test_evaluate_asks_for_a_folder_of_it_unless_one_is_called_so(there: bool, tmp_path: Path) -> None:
    """A stage does not depend on that model, so DVC would not run it again after a change of it."""
    if there:
        (tmp_path / "pretrained").mkdir()
    done = python_m("stages.evaluate", "--model", "pretrained", cwd=tmp_path)
    assert done.returncode == 1
    asked = (
        "synsem: --model: pretrained, the model that comes with SynSem, is judged as a folder; run `synsem "
        "pretrained models/pretrained` and name models/pretrained\n"
    )
    assert (done.stderr == asked) == (not there)
