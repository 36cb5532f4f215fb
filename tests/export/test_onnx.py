"""A trained model as an ONNX graph, run by onnxruntime."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import synsem
from pipeline.core.errors import SynsemError
from pipeline.export.graph import INPUTS, WORDS, read
from pipeline.export.onnx import export_onnx, quantise
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import registry

pytestmark = pytest.mark.slow
TEXTS = ["Rain fell.", "", "The old dog, which nobody had seen, chased the boy.", "word-" * 50, "Ünï — 😀"]


@pytest.fixture(scope="module")
def onnxruntime() -> Any:
    pytest.importorskip("onnxscript", reason="pip install '.[export]'")
    return pytest.importorskip("onnxruntime", reason="pip install '.[onnx]'")


def test_graph_gives_the_systems_vectors(onnxruntime: Any, model: Path, tmp_path: Path) -> None:
    system, path = registry.load(model), tmp_path / "new" / "semantic.onnx"
    assert export_onnx(system, path) > 1 - 1e-5
    assert [file.name for file in path.parent.iterdir()] == ["semantic.onnx"]
    session = onnxruntime.InferenceSession(str(path))
    assert [each.name for each in session.get_inputs()] == list(INPUTS)
    graph = synsem.load(path)
    assert graph.views == {"semantic": 32}
    expected = np.concatenate([system.embed([tree(text)])["semantic"] for text in TEXTS])
    np.testing.assert_allclose(graph.encode(TEXTS), expected, atol=1e-5)
    np.testing.assert_allclose([graph.encode(text) for text in TEXTS], expected, atol=1e-5)
    with pytest.raises(SynsemError, match="late interaction"):
        graph.score_pairs(TEXTS, TEXTS)


def tree(text: str) -> Sentence:
    """A text with a tree that its plain view does not read."""
    return Sentence(text, [text], [0], ["root"], ["X"], [""])


@pytest.fixture(scope="module")
def whole(onnxruntime: Any, text_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("onnx") / "whole.onnx"
    export_onnx(registry.load(text_model), path)
    return path


def test_graph_of_all_views_scores_pairs(whole: Path, text_model: Path) -> None:
    graph, own = synsem.load(whole), synsem.load(text_model)
    assert graph.views == own.views
    for weight in (None, 0.8):
        if weight:
            graph, own = synsem.load(whole, weight=weight), synsem.load(text_model, weight=weight)
        for view in own.views:
            np.testing.assert_allclose(graph.encode(TEXTS, view), own.encode(TEXTS, view), atol=1e-5)
    pairs = TEXTS, TEXTS[::-1]
    np.testing.assert_allclose(graph.score_pairs(*pairs), own.score_pairs(*pairs), atol=1e-5)


def test_graph_needs_only_a_tokenizer(onnxruntime: Any, whole: Path, text_model: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(text_model / "tokenizer"))
    session = onnxruntime.InferenceSession(str(whole))
    for texts in (TEXTS, [""], TEXTS[2:3] * 17):
        tokens = tokenizer(texts, padding=True, truncation=True, max_length=32, return_tensors="np")
        words = [[-1 if word is None else word for word in tokens.word_ids(row)] for row in range(len(texts))]
        inputs = {"input_ids": tokens["input_ids"], "attention_mask": tokens["attention_mask"]}
        [found] = session.run(["joint"], inputs | {WORDS: np.array(words)})
        np.testing.assert_allclose(found, synsem.load(text_model).encode(texts), atol=1e-5)


def test_int8_is_smaller_and_near(whole: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.onnx"
    shutil.copy(whole, small)
    quantise(small)
    assert small.stat().st_size < whole.stat().st_size / 2
    graph, own = synsem.load(small), synsem.load(whole)
    vectors = [model.encode(TEXTS, "semantic") for model in (graph, own)]
    assert (vectors[0] * vectors[1]).sum(axis=1).min() > 0.98
    assert np.isfinite(graph.score_pairs(TEXTS, TEXTS)).all()


def test_what_cannot_be_drawn_or_read_is_refused(onnxruntime: Any, model: Path, tmp_path: Path) -> None:
    for view in ("joint", "nope"):
        with pytest.raises(SynsemError, match=view):
            export_onnx(registry.load(model), tmp_path / "x.onnx", view)
    assert not list(tmp_path.iterdir())
    (tmp_path / "broken.onnx").write_bytes(b"no graph")
    for name in ("broken.onnx", "missing.onnx"):
        with pytest.raises(SynsemError, match=name):
            read(tmp_path / name)
