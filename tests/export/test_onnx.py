"""A view as an ONNX graph, run by onnxruntime."""

import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.core.errors import SynsemError
from pipeline.export.onnx import INPUTS, OUTPUT, WORDS, export_onnx, quantise, run
from pipeline.nn.encoder import embed
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from stages.tools.export import main

TEXTS = ["Rain fell.", "", "The old dog, which nobody had seen, chased the boy.", "word " * 50, "Ünï — 😀"]


def need_libraries() -> None:
    for library in ("onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(library, reason="pip install '.[onnx]'")


@pytest.fixture(scope="module")
def graph(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_libraries()
    path = tmp_path_factory.mktemp("onnx") / "new" / "semantic.onnx"
    found = export_onnx(registry.load(model), path, "semantic")
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
    assert quantise(registry.load(model), graph, small, "semantic").cosine > 0.97
    assert small.stat().st_size < 0.6 * graph.stat().st_size


@pytest.fixture(scope="module")
def joint_graph(text_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command writes of a system that reads text alone, with no view named."""
    need_libraries()
    path = tmp_path_factory.mktemp("onnx") / "joint.onnx"
    main(text_model, onnx=path)
    return path


def test_a_graph_of_text_and_words_gives_the_joint_vectors_with_a_tokenizer_alone(
    joint_graph: Path, text_model: Path
) -> None:
    import onnxruntime
    from transformers import AutoTokenizer

    system = registry.load(text_model)
    tokenizer = AutoTokenizer.from_pretrained(str(text_model / "tokenizer"))
    session = onnxruntime.InferenceSession(str(joint_graph))
    assert [each.name for each in session.get_inputs()] == [*INPUTS, WORDS]
    assert [each.name for each in session.get_outputs()] == [OUTPUT]
    for texts in (TEXTS, TEXTS[:1], ["a"], [""], TEXTS[2:3] * 17):
        tokens = tokenizer(texts, padding=True, truncation=True, max_length=32, return_tensors="np")
        words = [[-1 if word is None else word for word in tokens.word_ids(row)] for row in range(len(texts))]
        inputs = {"input_ids": tokens["input_ids"], "attention_mask": tokens["attention_mask"]}
        [found] = session.run(None, inputs | {"word_ids": np.array(words)})
        expected = system.embed([Side(text, (), ()) for text in texts])["joint"]
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("view", ["semantic", "structural"])
def test_any_view_of_a_system_that_reads_text_alone_can_be_a_graph(
    view: str, text_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_libraries()
    import onnxruntime

    main(text_model, onnx=tmp_path / "view.onnx", view=view)
    assert f"{view} view" in capsys.readouterr().out
    system, session = registry.load(text_model), onnxruntime.InferenceSession(str(tmp_path / "view.onnx"))
    assert (WORDS in [each.name for each in session.get_inputs()]) == (view != "semantic")
    expected = system.embed([Side(text, (), ()) for text in TEXTS])[view]
    np.testing.assert_allclose(run(session, system, TEXTS), expected, atol=1e-5)


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize(
    ("work", "said"),
    [("torch.onnx.export", "semantic"), ("onnxruntime.quantization.quantize_dynamic", "int8")],
)
def test_long_work_is_told_before_it_begins_but_not_when_quiet(
    work: str,
    said: str,
    shown: bool,
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    need_libraries()

    def begun(*_: object, **__: object) -> None:
        raise SynsemError(capsys.readouterr().err or "nothing")

    monkeypatch.setattr(work, begun)
    monkeypatch.setattr("pipeline.core.progress.shown", shown)
    system, path = registry.load(model), tmp_path / "a.onnx"
    with pytest.raises(SynsemError, match=said if shown else "^nothing$"):
        if said == "int8":
            quantise(system, path, tmp_path / "b.onnx", "semantic")
        else:
            export_onnx(system, path, "semantic")


def test_a_wrong_view_is_one_line_alone(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_libraries()
    with pytest.raises(SynsemError, match="has no view 'nope'"):
        main(model, onnx=tmp_path / "a.onnx", view="nope")
    assert capsys.readouterr() == ("", "")


def test_int8_weights_of_the_joint_view(joint_graph: Path, text_model: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.onnx"
    assert quantise(registry.load(text_model), joint_graph, small, "joint").cosine > 0.9
    assert small.stat().st_size < 0.6 * joint_graph.stat().st_size


def test_a_view_that_no_graph_can_hold_is_one_sentence(
    model: Path, plain_model: Path, tmp_path: Path
) -> None:
    need_libraries()
    with pytest.raises(
        SynsemError, match="the view joint of sscp is no network of words alone; take --view sem"
    ):
        main(model, folder=tmp_path / "new", onnx=tmp_path / "x.onnx", view="joint")
    with pytest.raises(SynsemError, match="has no view 'structural'; choose from semantic"):
        main(plain_model, onnx=tmp_path / "x.onnx", view="structural")
    assert not list(tmp_path.iterdir())


def test_a_graph_of_trees_is_refused_and_so_is_a_missing_library(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    system = registry.load(model)
    system.semantic = system.syntactic
    with pytest.raises(
        SynsemError, match="semantic of sscp is no network of words alone, and a graph cannot"
    ):
        export_onnx(system, tmp_path / "x.onnx", "semantic")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SynsemError, match=r"onnxruntime is not installed; .*pip install -e '\.\[onnx\]'"):
        export_onnx(registry.load(model), tmp_path / "x.onnx", "semantic")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["int8", "folder", "onnx"])
def test_what_cannot_be_written_is_told_before_the_graph_is_traced(
    option: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_libraries()

    def traced(*_: object, **__: object) -> None:
        raise AssertionError("the long work was begun")

    monkeypatch.setattr("torch.onnx.export", traced)
    (tmp_path / "file").touch()
    places = {"onnx": tmp_path / "a.onnx"} | {option: tmp_path / "file" / "b.onnx"}
    with pytest.raises(SynsemError, match=r"b.onnx: (cannot|could not) be written"):
        main(model, **places)
    (tmp_path / "b.onnx").mkdir()
    (tmp_path / "b.onnx" / "kept").touch()
    with pytest.raises(SynsemError, match=r"b.onnx is a folder; name a file|b.onnx: is not empty"):
        main(model, **places | {option: tmp_path / "b.onnx"})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["b.onnx", "file", "kept"]


@pytest.mark.parametrize("option", ["folder", "onnx", "int8"])
def test_nothing_is_written_into_the_folder_of_the_model(option: str, model: Path, tmp_path: Path) -> None:
    """It would be another model then: its results, its card and DVC know it by all its files."""
    before = sorted(model.rglob("*"))
    inside = model / "tokenizer" / "new.onnx"
    with pytest.raises(
        SynsemError, match=rf"--{option}: .*new.onnx is in the model's own folder; name anoth"
    ):
        main(model, **{"onnx": tmp_path / "a.onnx"} | {option: inside})
    assert sorted(model.rglob("*")) == before
    assert not list(tmp_path.iterdir())
