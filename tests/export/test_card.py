"""Model cards: what training knows, what evaluation adds, and what the hub reads of them."""

from pathlib import Path

import pytest
from huggingface_hub import ModelCard

from pipeline.core.params import load
from pipeline.core.schemas import DOCUMENT
from pipeline.core.store import shard_path, write_json, write_rows
from pipeline.export.card import About, Base, about_model, base_model, card
from pipeline.systems.base import Settings, registry
from tests.export.conftest import FACTS, ROOT

MINILM = Base("sentence-transformers/all-MiniLM-L6-v2", "apache-2.0", ("en",))


def settings(name: str = "sscp", model: str | None = None, **system: object) -> Settings:
    params = load(ROOT / "params.yaml", "encoder", "train", name)
    encoder = params.encoder.model_copy(update={"model": model} if model else {})
    return Settings(encoder, params.train, getattr(params, name).model_copy(update=system))


def read(text: str) -> ModelCard:
    """The card as the hub's library reads it, which raises if the metadata is not valid."""
    return ModelCard(text, ignore_metadata_errors=False)


def test_training_writes_a_card_into_each_folder(model: Path) -> None:
    for folder in (model, model / "sentence-transformer", model / "sentence-transformer-joint"):
        found = read((folder / "README.md").read_text())
        assert found.data.pipeline_tag == "sentence-similarity"
        assert "1,200 training and 60 development examples" in found.text
        assert "| `train.tau` | 0.05 |" in found.text
        assert ("trust_remote_code=True" in found.text) == folder.name.endswith("joint")


def test_packaged_backbone_has_licence_language_and_name() -> None:
    assert base_model(settings()) == MINILM
    data = read(card(settings(), FACTS, None)).data
    assert (data.license, data.language, data.base_model) == (MINILM.licence, ["en"], MINILM.name)
    assert data.eval_results is None


def test_norwegian_is_no_boolean() -> None:
    text = card(settings(), FACTS, None, About(languages=("de", "no")))
    assert read(text).data.language == ["de", "no"]
    assert "language:\n- de\n- 'no'\n" in text


def test_base_is_what_its_own_card_says(tmp_path: Path) -> None:
    assert base_model(settings(model=str(tmp_path))) == Base()
    (tmp_path / "README.md").write_text("---\nlicense: mit\nlanguage: [de, fr]\n---\n# Own\n")
    assert base_model(settings(model=str(tmp_path))) == Base(None, "mit", ("de", "fr"))
    (tmp_path / "README.md").write_text("---\nlicense: [\n---\n")
    assert base_model(settings(model=str(tmp_path))) == Base()
    assert base_model(settings(model="intfloat/e5-small-v2")) == Base("intfloat/e5-small-v2")
    assert base_model(settings("cssl", encoder="scratch")) is None


def test_package_that_a_model_names_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil_model.py").write_text("raise AssertionError('the code of the model was run')")
    monkeypatch.syspath_prepend(tmp_path)
    assert base_model(settings(model="package:evil_model")) == Base()


def test_results_are_those_of_the_view() -> None:
    measured = {"stsb.test.spearman": 83.456, "other": 1.0}
    scores = {"semantic": measured, "joint": {"paws.test.ap": 60.0}}
    found = read(card(settings(), FACTS, "semantic", About(scores=scores))).data.eval_results
    assert [(each.dataset_name, each.metric_type, each.metric_value) for each in found] == [
        ("STS-B", "cosine_spearman", 83.46)
    ]
    text = card(settings(), FACTS, None, About(scores=scores))
    assert len(read(text).data.eval_results) == 2
    assert "| semantic | 83.46 | – |" in text


def test_card_has_sources_languages_and_numbers(model: Path, tmp_path: Path) -> None:
    origin = {"stories": {"licence": "CC0 1.0", "location": "stories==1.0", "sha256": {}, "verified": True}}
    write_json(tmp_path / "data" / "corpus" / "origin.json", origin)
    row = {"doc_id": "1", "source": "s", "lang": "fr", "split": "train", "text": "x", "presplit": False}
    write_rows(shard_path(tmp_path / "data" / "corpus", 0), [row], DOCUMENT)
    metrics = tmp_path / "metrics" / "sscp-13.json"
    write_json(metrics, {"semantic": {"stsb": {"test": {"spearman": 71.254}}}})

    def written() -> str:
        about = about_model(model, tmp_path / "data", tmp_path)
        return card(registry.load(model).settings, FACTS, None, about)

    assert "71.25" not in written()  # a clone comes with metrics of another model
    (tmp_path / "evaluation" / "sscp-13").mkdir(parents=True)
    text = written()
    assert "- `stories`: stories==1.0, licence: CC0 1.0" in text
    assert "| semantic | 71.25 |" in text
    assert read(text).data.language == ["fr"]
    assert text == written()
