"""The semantic view as an ONNX graph, run by onnxruntime."""

import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.core.errors import SynsemError
from pipeline.export.onnx import INPUTS, OUTPUT, export_onnx, quantise, run
from pipeline.nn.embedding import embed
from pipeline.syntax.sentence import Side
from pipeline.systems import registry

TEXTS = ["Rain fell.", "", "The old dog, which nobody had seen, chased the boy.", "word " * 50, "Ünï — 😀"]


@pytest.fixture(scope="module")
def graph(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    for library in ("onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(library, reason="pip install 'synsem[onnx]'")
    path = tmp_path_factory.mktemp("onnx") / "new" / "semantic.onnx"
    found = export_onnx(registry.load(model), path)
    assert found.difference < 1e-5
    assert found.cosine > 0.9999
    assert [file.name for file in path.parent.iterdir()] == ["semantic.onnx"]
    return path


def test_the_graph_gives_the_systems_vectors_for_any_batch_and_length(graph: Path, model: Path) -> None:
    import onnxruntime

    system = registry.load(model)
    expected = embed({"semantic": system.semantic}, system.tokenizer, [Side(t, (), ()) for t in TEXTS])
    session = onnxruntime.InferenceSession(str(graph))
    assert [each.name for each in session.get_inputs()] == list(INPUTS)
    assert [each.name for each in session.get_outputs()] == [OUTPUT]
    together = run(session, system, TEXTS)
    alone = np.concatenate([run(session, system, [text]) for text in TEXTS])
    np.testing.assert_allclose(together, expected["semantic"], atol=1e-4)
    np.testing.assert_allclose(alone, expected["semantic"], atol=1e-4)


def test_int8_weights_keep_the_direction_in_a_fraction_of_the_bytes(
    graph: Path, model: Path, tmp_path: Path
) -> None:
    small = tmp_path / "small.onnx"
    assert quantise(registry.load(model), graph, small).cosine > 0.97
    assert small.stat().st_size < 0.6 * graph.stat().st_size


def test_a_graph_of_trees_is_refused_and_so_is_a_missing_library(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    system = registry.load(model)
    system.semantic = system.syntactic
    with pytest.raises(SynsemError, match="onnx: sscp has no view of the words alone"):
        export_onnx(system, tmp_path / "x.onnx")
    (tmp_path / "file").touch()
    with pytest.raises(SynsemError, match=r"x.onnx: could not be written"):
        export_onnx(registry.load(model), tmp_path / "file" / "x.onnx")
    (tmp_path / "file").unlink()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SynsemError, match=r"onnxruntime is not installed; pip install 'synsem\[onnx\]'"):
        export_onnx(registry.load(model), tmp_path / "x.onnx")
    assert not list(tmp_path.iterdir())
