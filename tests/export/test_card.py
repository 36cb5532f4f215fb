"""Model cards: what training knows, and what evaluation adds without touching the model."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from pipeline.core.disk_cache import model_digest
from pipeline.core.errors import SynsemError
from pipeline.core.store import sha256, write_json
from pipeline.export.card import Scores, card, full_card
from pipeline.export.sentence_transformers import export_folder
from pipeline.systems import registry
from stages.tools.export import main


@pytest.fixture
def data(tmp_path: Path) -> Path:
    origin = {"stories": {"licence": "CC0 1.0", "location": "stories==1.0", "sha256": {}, "verified": True}}
    write_json(tmp_path / "data" / "corpus" / "origin.json", origin)
    write_json(tmp_path / "data" / "parsed" / "report.json", {"parsers": ["en: spacy 3.8, some_model 1.0"]})
    return tmp_path / "data"


@pytest.fixture
def reports(model: Path, tmp_path: Path) -> Path:
    """Results that are known to be of the model."""
    view = {"stsb": {"test": {"spearman": 71.254}}, "paws": {"test": {"ap": 55.0}}}
    own = tmp_path / "reports" / "metrics" / "sscp-13.json"
    write_json(own, {"semantic": view, "joint": {"paws": view["paws"]}})
    origin = {"model": model_digest(model), "metrics": sha256(own)}
    write_json(tmp_path / "reports" / "evaluation" / "sscp-13" / "model.json", origin)
    untouched = tmp_path / "reports" / "metrics" / "backbone.json"
    write_json(untouched, {"semantic": view})
    origin = {"model": "the backbone's", "metrics": sha256(untouched)}
    write_json(tmp_path / "reports" / "evaluation" / "backbone" / "model.json", origin)
    return tmp_path / "reports"


def digests(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): sha256(path) for path in folder.rglob("*") if path.is_file()}


def test_each_folder_of_a_trained_model_has_a_card_of_what_is_known(model: Path) -> None:
    for folder in (model, model / "sentence-transformer", model / "sentence-transformer-joint"):
        card = (folder / "README.md").read_text()
        _, front, body = card.split("---\n", 2)
        assert yaml.safe_load(front)["library_name"] == "sentence-transformers"
        assert "1,200 training and 60 development examples" in body
        assert "| `train.tau` | 0.05 |" in body
        assert "before evaluation" in body
        assert ("trust_remote_code=True" in body) == folder.name.endswith("joint")
    assert "synsem encode models/sscp/13" in (model / "README.md").read_text()


def test_the_full_card_has_sources_licences_and_numbers(model: Path, data: Path, reports: Path) -> None:
    before = digests(model)
    card = full_card(model, registry.load(model), None, data, reports)
    assert "- `stories`: stories==1.0, licence: CC0 1.0" in card
    assert "- parsed with en: spacy 3.8, some_model 1.0" in card
    assert "| semantic | 71.25 | 55.00 |" in card
    assert "| joint | – | 55.00 |" in card
    assert "| backbone, untouched | 71.25 | 55.00 |" in card
    assert card == full_card(model, registry.load(model), None, data, reports)
    assert digests(model) == before


def test_results_of_the_backbone_that_came_with_a_clone_are_not_on_the_card(
    model: Path, data: Path, reports: Path
) -> None:
    """They may be of other text, and would stand in one column with the model's."""
    origin = reports / "evaluation" / "backbone" / "model.json"
    write_json(origin, {"model": "the backbone's", "metrics": "of an earlier run"})
    assert "untouched" not in full_card(model, registry.load(model), None, data, reports)
    origin.unlink()
    card = full_card(model, registry.load(model), None, data, reports)
    assert "untouched" not in card
    assert "| semantic | 71.25 | 55.00 |" in card


def test_the_hub_is_told_no_result_of_the_untouched_backbone(model: Path, data: Path, reports: Path) -> None:
    _, front, body = full_card(model, registry.load(model), None, data, reports).split("---\n", 2)
    assert "joint" in front
    assert "untouched" not in front
    assert "untouched" in body


def test_a_bar_within_a_value_does_not_end_its_cell(model: Path) -> None:
    facts = json.loads((model / "training.json").read_text()) | {"device": "one | two"}
    assert "\n| `device` | one \\| two |\n" in card(registry.load(model).settings, facts, None)


def test_a_row_without_a_number_is_left_out() -> None:
    table = Scores(
        {"joint": {"paws.test.ap": 78.0}, "combined": {"paws.test.accuracy_logistic": 82.0}}
    ).markdown()
    assert "| joint | 78.00 |" in table
    assert "combined" not in table


def test_a_card_has_no_numbers_of_another_model(
    model: Path, data: Path, reports: Path, tmp_path: Path
) -> None:
    """A clone comes with the metrics of its own run, and another training changes the model alone."""
    origin = reports / "evaluation" / "sscp-13" / "model.json"
    for case in ("another model", "changed metrics", "a fresh clone"):
        if case == "another model":
            write_json(origin, json.loads(origin.read_text()) | {"model": "0" * 64})
        elif case == "changed metrics":
            write_json(origin, {"model": model_digest(model), "metrics": "0" * 64})
        else:
            origin.unlink()
        card = full_card(model, registry.load(model), None, data, reports)
        assert "71.25" not in card, case
        assert "No results are known to be of this very model" in card
        assert "model-index" not in card


@pytest.mark.parametrize("view", ["semantic", "syntactic"])
def test_a_folder_to_share_loads_and_carries_the_numbers(
    view: str, model: Path, data: Path, reports: Path, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    export_folder(model, tmp_path / "shared", view, None, data, reports)
    card = (tmp_path / "shared" / "README.md").read_text()
    assert f"# SynSem: sscp, {view} view" in card
    assert "71.25" in card
    shared = SentenceTransformer(str(tmp_path / "shared"), trust_remote_code=view != "semantic", device="cpu")
    own = SentenceTransformer(
        str(model / "sentence-transformer-joint"),
        trust_remote_code=True,
        device="cpu",
        model_kwargs={"view": view},
    )
    np.testing.assert_allclose(shared.encode(["Rain fell."]), own.encode(["Rain fell."]), atol=1e-5)
    # To be shared: as readable as any new file, its weights, too.
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "shared").rglob("*") if path.is_file()}
    assert modes == {0o644}
    with pytest.raises(SynsemError, match="shared: is not empty; name a new folder"):
        export_folder(model, tmp_path / "shared", view, None, data, reports)


def test_the_export_of_an_unknown_view_writes_nothing(
    model: Path, data: Path, reports: Path, tmp_path: Path
) -> None:
    with pytest.raises(SynsemError, match="has no view 'nonsense'"):
        export_folder(model, tmp_path / "out", "nonsense", None, data, reports)
    assert not list(tmp_path.rglob("out*"))


def test_the_bytes_are_the_same_each_time(model: Path, data: Path, reports: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        export_folder(model, tmp_path / name, "joint", None, data, reports)
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    config = json.loads((tmp_path / "a" / "0_ParsedEncoder" / "config.json").read_text())
    assert config["system"] == "sscp"


@pytest.mark.parametrize(("view", "warned"), [("semantic", True), ("joint", False)])
def test_a_vector_without_structure_is_said_to_hold_little_of_it(
    view: str, warned: bool, text_model: Path, tmp_path: Path
) -> None:
    export_folder(text_model, tmp_path / view, view, None, tmp_path / "data", tmp_path / "reports")
    card = (tmp_path / view / "README.md").read_text()
    assert ("holds little of who did what to whom" in card) == warned


def test_the_command_says_what_it_lacks(model: Path, tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match="nothing to write; give --folder or --onnx"):
        main(model)
    with pytest.raises(SynsemError, match="--int8: is made from the graph of --onnx"):
        main(model, folder=tmp_path / "new", int8=tmp_path / "x.onnx")
    with pytest.raises(SynsemError, match=r"--onnx: .*model.onnx is within --folder, which must be new"):
        main(model, folder=tmp_path / "new", onnx=tmp_path / "new" / "onnx" / "model.onnx")
    assert not (tmp_path / "new").exists()
    with pytest.raises(SynsemError, match=r"--int8: .*x.onnx is the graph of --onnx; name another file"):
        main(model, onnx=tmp_path / "x.onnx", int8=tmp_path / "new" / ".." / "x.onnx")
    for options in (
        {"onnx": model / "model.safetensors"},
        {"onnx": tmp_path / "x.onnx", "int8": tmp_path / "y"},
    ):
        with pytest.raises(SynsemError, match=r"let its name end in \.onnx"):
            main(model, **options)
    assert not list(tmp_path.iterdir())
