"""The tools with a system that reads text alone: no parser is asked for, and none need be installed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stages.tools.like
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import SENTENCE
from pipeline.core.store import read_json, write_rows
from pipeline.export.search import Searcher
from pipeline.export.sentence_transformers import export_folder
from pipeline.export.similar import compare
from pipeline.syntax.sentence import Sentence, Side
from pipeline.systems import registry
from stages.tools import encode, similar, tree

ROOT = Path(__file__).parent.parent.parent
A, B = "The dog chased the boy.", "The boy was chased by the dog."
TEXTS = [A, B, "Rain fell on the old bridge.", "A letter was written by the queen."]
VIEWS = ["semantic", "structural", "joint"]

# Every command in one process, where importing spaCy fails.
PROGRAM = """
import json, sys
sys.modules["spacy"] = None
from pipeline.core import scratch
from pathlib import Path
from stages import cli

scratch.ROOT = Path("scratch")
for words in json.load(sys.stdin):
    sys.argv = ["synsem", *words]
    try:
        cli.main()
    except SystemExit as done:
        assert not done.code, words
assert "pipeline.parsing.spacy" not in sys.modules
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Four parsed sentences in two languages, as far as their rows say."""
    rows = []
    for number, text in enumerate(TEXTS):
        words, count = tuple(text.split()), len(text.split())
        sentence = Sentence(
            words, (True,) * count, words, ("NOUN",) * count, ("",) * count, ("",) * count,
            (0, *(1,) * (count - 1)), ("root", *("dep",) * (count - 1)),
        )  # fmt: skip
        ids = {"sent_id": str(number), "doc_id": "d", "lang": "en" if number else "fr", "split": "train"}
        rows.append(ids | sentence.row())
    write_rows(tmp_path / "corpus" / "part-00000.arrow", rows, SENTENCE)
    return tmp_path / "corpus"


def test_no_tool_needs_a_parser_or_its_parameters(text_model: Path, corpus: Path, tmp_path: Path) -> None:
    model, sentences = str(text_model), tmp_path / "sentences.txt"
    sentences.write_text("\n".join(TEXTS) + "\n")
    commands = [["similar", A, B, "--model", model], ["tree", A, "--model", model]]
    for view in VIEWS:
        commands += [
            ["similar", A, B, "--model", model, "--view", view],
            ["like", A, "--model", model, "--corpus", str(corpus), "--view", view, "--top", "2"],
            ["encode", model, str(sentences), "--out", f"{view}.npy", "--view", view, "--precision", "exact"],
            ["search", A, str(sentences), "--model", model, "--view", view],
        ]
    commands += [
        ["like", A, "--model", model, "--corpus", str(corpus)],
        ["encode", model, str(sentences), "--out", "all.parquet"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=json.dumps(commands), cwd=tmp_path, capture_output=True,
        text=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert not (tmp_path / "params.yaml").exists()
    expected = registry.load(text_model).embed([Side(text, (), ()) for text in TEXTS])
    for view in VIEWS:
        np.testing.assert_allclose(np.load(tmp_path / f"{view}.npy"), expected[view], atol=1e-5)
        cosine = f"{float(expected[view][0] @ expected[view][1]):.3f}"
        assert len(re.findall(rf"{view} view, cosine +{cosine}", done.stdout)) == 2  # alone, and with all
    assert "tags alike" not in done.stdout


def test_similar_shows_what_the_network_reads(text_model: Path) -> None:
    system = registry.load(text_model)
    pair = compare(A, B, system, None)
    assert list(pair.scores) == [*(f"{view} view, cosine" for view in VIEWS), "late interaction"]
    sides = [Side(text, (), ()) for text in (A, B)]
    late, *alone = system.late_scores([sides[0], *sides], [sides[1], *sides])
    assert pair.scores["late interaction"] == pytest.approx(float(late), abs=1e-6)
    assert pair.scales["late interaction"] == "each sentence with itself: {:.3f} and {:.3f}".format(*alone)
    assert [str(tree.label) for tree in pair.drawn] == [A, B]
    assert list(compare(A, B, system, None, "joint").scores) == ["joint view, cosine"]


@pytest.mark.parametrize(("asked", "view"), [(None, "joint"), ("structural", "structural")])
def test_like_ranks_by_the_view_asked_for_and_else_by_the_joint_one(
    text_model: Path, corpus: Path, scratch: Path, asked: str | None, view: str
) -> None:
    """Structural vectors of other words are nearly orthogonal: by them the nearest are nearest by chance."""
    searcher = Searcher(text_model, corpus, asked)
    assert (searcher.view, searcher.parses) == (view, False)
    vectors = registry.load(text_model).embed([Side(text, (), ()) for text in [B, *TEXTS]])[view]
    scores = {text: float(vector @ vectors[0]) for text, vector in zip(TEXTS, vectors[1:], strict=True)}
    del scores[B]
    found = searcher(Side(B, (), ()), 3)
    assert [each.sentence.text for each in found] == sorted(scores, key=lambda text: -scores[text])
    assert {each.tag_similarity for each in found} == {None}


def test_a_query_whose_vector_is_zero_is_near_to_nothing(
    text_model: Path, corpus: Path, scratch: Path
) -> None:
    with pytest.raises(SynsemError, match=r"^'\.\.\.': has no structural vector, for it has no pair of"):
        Searcher(text_model, corpus, "structural")(Side("...", (), ()), 3)
    assert Searcher(text_model, corpus, "joint")(Side("...", (), ()), 3)


def test_errors_are_one_sentence(
    model: Path, text_model: Path, corpus: Path, tmp_path: Path, scratch: Path
) -> None:
    missing = "has no view 'syntactic'; choose from semantic, structural, joint"
    with pytest.raises(SynsemError, match=f"--view: synsem {missing}"):
        similar.main(A, B, model=text_model, view="syntactic")
    with pytest.raises(SynsemError, match=f"--view: the model {missing}"):
        stages.tools.like.main(A, model=text_model, corpus=corpus, view="syntactic")
    (tmp_path / "sentences.txt").write_text(A)
    with pytest.raises(SynsemError, match=f"--view: synsem {missing}"):
        encode.main(
            text_model, tmp_path / "sentences.txt", out=tmp_path / "x.npy", kind=None, view="syntactic"
        )
    with pytest.raises(SynsemError, match="' ': has no word to compare"):
        similar.main(A, " ", model=text_model)
    with pytest.raises(SynsemError, match="the text is empty; give a sentence"):
        stages.tools.like.main(" ", model=text_model, corpus=corpus)
    with pytest.raises(
        SynsemError, match="--model: sscp finds no structure by itself; name a model of synsem"
    ):
        tree.main(A, model=model)


def test_one_view_of_words_alone_is_compared_without_a_parser(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a parser was asked for")

    monkeypatch.setattr("pipeline.parsing.registry.load", refuse)
    monkeypatch.chdir(ROOT)
    similar.main(A, B, model=model, view="semantic")


def test_a_shared_folder_of_any_view_names_no_parser(text_model: Path, tmp_path: Path) -> None:
    export_folder(
        text_model, tmp_path / "shared", "structural", None, tmp_path / "data", tmp_path / "reports"
    )
    assert read_json(tmp_path / "shared" / "modules.json")[0]["type"] == "standalone.SynsemEncoder"
    assert read_json(tmp_path / "shared" / "synsem.json")["view"] == "structural"
    assert "pip install" not in (tmp_path / "shared" / "README.md").read_text()
