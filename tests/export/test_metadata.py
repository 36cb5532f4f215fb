"""What a card tells the hub: licence, language, base model and results, as huggingface_hub reads them."""

from pathlib import Path

import pytest
from huggingface_hub import ModelCard

from pipeline.core.disk_cache import model_digest, origin_of_results
from pipeline.core.schemas import DOCUMENT
from pipeline.core.store import shard_path, write_json, write_rows
from pipeline.export.card import About, Scores, card, full_card
from pipeline.export.metadata import Base, base_model
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import Settings
from tests.export.conftest import FACTS, ROOT

MINILM = Base("sentence-transformers/all-MiniLM-L6-v2", "apache-2.0", ("en",))


def settings(name: str = "sscp", model: str | None = None, **system: object) -> Settings:
    params = load(ROOT / "params.yaml", "encoder", "train", name)
    encoder = params.encoder.model_copy(update={"model": model} if model else {})
    return Settings(encoder, params.train, getattr(params, name).model_copy(update=system))


def read(text: str) -> ModelCard:
    """The card as the hub's library reads it, which raises where the metadata is not valid."""
    return ModelCard(text, ignore_metadata_errors=False)


def test_the_packaged_backbone_says_its_own_licence_language_and_name() -> None:
    assert base_model(settings()) == MINILM
    data = read(card(settings(), FACTS, None)).data
    assert (data.license, data.language, data.base_model) == (MINILM.licence, "en", MINILM.name)
    assert data.library_name == "sentence-transformers"
    assert data.eval_results is None


def test_a_folder_says_what_its_card_says_and_a_hub_model_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    assert base_model(settings(model=str(folder))) == Base(None, None, ())
    (folder / "README.md").write_text("---\nlicense: mit\nlanguage: [de, fr]\n---\n# Own\n")
    assert base_model(settings(model=str(folder))) == Base(None, "mit", ("de", "fr"))
    for broken in ("---\nlicense: [\n---\n", "---\n- a\n---\n", "no metadata"):
        (folder / "README.md").write_text(broken)
        assert base_model(settings(model=str(folder))) == Base(None, None, ())
    hub = settings(model="intfloat/e5-small-v2")
    assert base_model(hub) == Base("intfloat/e5-small-v2", None, ())
    text = card(hub, FACTS, None)
    data = read(text).data
    assert (data.base_model, data.license) == ("intfloat/e5-small-v2", None)
    assert "`intfloat/e5-small-v2`, whose licence is not known here" in text


def test_a_package_that_a_model_names_is_not_imported_for_its_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evil_model.py").write_text("raise AssertionError('the code of the model was run')")
    monkeypatch.syspath_prepend(tmp_path)
    assert base_model(settings(model="package:evil_model")) == Base(None, None, ())


@pytest.mark.parametrize(("name", "encoder"), [("cssl", "scratch"), ("upos", "bilstm")])
def test_random_weights_have_no_base_model(name: str, encoder: str) -> None:
    fresh = settings(name, encoder=encoder)
    assert base_model(fresh) is None
    text = card(fresh, FACTS | {"system": name}, None)
    assert read(text).data.get("base_model") is None
    assert "from random weights" in text


def test_results_are_those_of_the_view_with_task_data_and_metric() -> None:
    measured = {"stsb.test.spearman": 83.456, "retrieval.test.accuracy": 90.0, "other": 1.0}
    scores = Scores({"semantic": measured, "joint": {"paws.test.ap": 60.0}, "backbone, untouched": measured})
    results = read(card(settings(), FACTS, "semantic", About(scores=scores))).data.eval_results
    found = {each.dataset_name: (each.task_type, each.metric_type, each.metric_value) for each in results}
    assert found == {
        "STS-B": ("semantic-similarity", "cosine_spearman", 83.46),
        "retrieval among lookalikes": ("retrieval", "accuracy", 90.0),
    }
    every = read(card(settings(), FACTS, None, About(scores=scores))).data
    assert every.model_name == "synsem-sscp-13"
    assert {(each.dataset_name, each.metric_name) for each in every.eval_results} == {
        ("STS-B", "Spearman, semantic view, points"),
        ("retrieval among lookalikes", "accuracy, semantic view, points"),
        ("PAWS-Wiki", "AP, joint view, points"),
    }


def test_the_full_card_names_the_languages_of_the_text(model: Path, tmp_path: Path) -> None:
    rows = [
        {"doc_id": lang, "source": "s", "lang": lang, "split": "train", "text": "x", "presplit": False}
        for lang in ("fr", "en", "fr")
    ]
    write_rows(shard_path(tmp_path / "data" / "corpus", 0), rows, DOCUMENT)
    text = full_card(model, registry.load(model), None, tmp_path / "data", tmp_path / "reports")
    assert read(text).data.language == ["en", "fr"]
    text = full_card(model, registry.load(model), None, tmp_path / "none", tmp_path / "reports")
    assert read(text).data.language is None  # the small test encoder says none


def test_the_cards_that_training_writes_are_valid(model: Path, plain_model: Path, text_model: Path) -> None:
    cards = [path for folder in (model, plain_model, text_model) for path in folder.rglob("README.md")]
    assert len(cards) > 5
    for path in cards:
        assert read(path.read_text(encoding="utf-8")).data.pipeline_tag == "sentence-similarity"


def test_measured_metrics_become_results(model: Path, tmp_path: Path) -> None:
    view = {
        "stsb": {"test": {"spearman": 71.254, "spearman_late": 72.0}},
        "trec": {"test": {"accuracy": 80.0}},
    }
    metrics = tmp_path / "metrics" / "sscp-13.json"
    write_json(metrics, {"joint": view})
    origin = origin_of_results(model_digest(model), metrics)
    write_json(tmp_path / "evaluation" / "sscp-13" / "model.json", origin)
    text = full_card(model, registry.load(model), "joint", tmp_path / "data", tmp_path)
    results = read(text).data.eval_results
    # A classifier was trained for TREC: it does not stand beside what is zero-shot.
    assert [each.metric_value for each in results] == [71.25, 72.0]
    assert {each.dataset_split for each in results} == {"test"}
