"""A view as an ONNX graph, run by onnxruntime."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.core.errors import SynsemError
from pipeline.export.onnx import INPUTS, OUTPUT, WORDS, default_view, export_onnx, run
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import registry

TEXTS = ["Rain fell.", "", "The old dog, which nobody had seen, chased the boy.", "word " * 50, "Ünï — 😀"]


@pytest.fixture(scope="module")
def onnxruntime() -> Any:
    pytest.importorskip("onnxscript", reason="pip install '.[onnx]'")
    return pytest.importorskip("onnxruntime", reason="pip install '.[onnx]'")


@pytest.fixture(scope="module")
def graph(onnxruntime: Any, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("onnx") / "new" / "semantic.onnx"
    assert export_onnx(registry.load(model), path, "semantic") < 1e-5
    assert [file.name for file in path.parent.iterdir()] == ["semantic.onnx"]
    return path


def test_graph_gives_the_systems_vectors(onnxruntime: Any, graph: Path, model: Path) -> None:
    system, session = registry.load(model), onnxruntime.InferenceSession(str(graph))
    assert [each.name for each in session.get_inputs()] == list(INPUTS)
    assert [each.name for each in session.get_outputs()] == [OUTPUT]
    expected = np.concatenate([system.embed([tree(text)])["semantic"] for text in TEXTS])
    np.testing.assert_allclose(run(session, system, TEXTS), expected, atol=1e-4)
    alone = np.concatenate([run(session, system, [text]) for text in TEXTS])
    np.testing.assert_allclose(alone, expected, atol=1e-4)


def tree(text: str) -> Sentence:
    """A text with a tree that its plain view does not read."""
    return Sentence(text, [text], [0], ["root"], ["X"], [""])


def test_joint_graph_needs_only_a_tokenizer(onnxruntime: Any, text_model: Path, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    system = registry.load(text_model)
    assert default_view(system) == "joint"
    export_onnx(system, tmp_path / "joint.onnx", "joint")
    tokenizer = AutoTokenizer.from_pretrained(str(text_model / "tokenizer"))
    session = onnxruntime.InferenceSession(str(tmp_path / "joint.onnx"))
    assert [each.name for each in session.get_inputs()] == [*INPUTS, WORDS]
    for texts in (TEXTS, TEXTS[:1], [""], TEXTS[2:3] * 17):
        tokens = tokenizer(texts, padding=True, truncation=True, max_length=32, return_tensors="np")
        words = [[-1 if word is None else word for word in tokens.word_ids(row)] for row in range(len(texts))]
        inputs = {"input_ids": tokens["input_ids"], "attention_mask": tokens["attention_mask"]}
        [found] = session.run(None, inputs | {"word_ids": np.array(words)})
        expected = system.embed([Sentence(text) for text in texts])["joint"]
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_view_that_reads_trees_is_refused(onnxruntime: Any, model: Path, tmp_path: Path) -> None:
    system = registry.load(model)
    assert default_view(system) == "semantic"
    for view in ("joint", "nope"):
        with pytest.raises(SynsemError, match=view):
            export_onnx(system, tmp_path / "x.onnx", view)
    assert not list(tmp_path.iterdir())
