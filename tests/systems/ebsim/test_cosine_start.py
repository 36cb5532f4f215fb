"""Matchers that begin at the untouched backbone's cosine."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from torch.nn import functional as F
from transformers import AutoModel, AutoTokenizer, RobertaConfig, RobertaModel

import stages.tools.match
from pipeline.core.errors import SynsemError
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone
from pipeline.report.sections.matchers import started_from
from pipeline.systems.ebsim import few_shot as shots
from pipeline.systems.ebsim.cosine import BiEncoder, CalibratedCosine, calibrate
from pipeline.systems.ebsim.few_shot import Start, compare_starts, train_matcher
from pipeline.systems.ebsim.finetune import Curve, Recipe, finetune, matching_metrics
from pipeline.systems.ebsim.labelled_pairs import Pairs, Task
from pipeline.systems.ebsim.matcher import Matcher, load, new_matcher

NOUNS = ["cat", "dog", "farmer", "queen", "engine", "river", "poet", "doctor"]
RECIPE = Recipe(epochs=2, batch_size=8, learning_rate=1e-3, max_tokens=32)


def pairs(count: int, seed: int) -> Pairs:
    """A pair matches where it is of one noun; the cosine of a random encoder tells little of it."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, len(NOUNS), count)
    second = np.where(rng.random(count) < 0.5, first, rng.integers(0, len(NOUNS), count))
    a = [f"the {NOUNS[i]} number {seed} {k}" for k, i in enumerate(first)]
    return Pairs(a, [f"a {NOUNS[i]}" for i in second], (first == second).astype(np.float32))


TASK = Task("nouns", False, pairs(60, 1), pairs(40, 2), pairs(20, 3))


def cosines(folder: Path, a: list[str], b: list[str]) -> np.ndarray:
    """By transformers alone, a pair at a time."""
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    found = []
    with torch.no_grad():
        for pair in zip(a, b, strict=True):
            first, second = (
                model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0)
                for text in pair
            )
            found.append(F.cosine_similarity(first, second, dim=0).item())
    return np.array(found)


def _early(texts: list[str]) -> np.ndarray:
    return np.array([NOUNS.index(text.split()[1]) < len(NOUNS) // 2 for text in texts], np.float32)


def started(folder: Path, seed: int = 1, train: Pairs = TASK.train) -> Matcher:
    cosine = calibrate(BiEncoder(backbones.load(str(folder)), 32), train)
    return new_matcher(backbones.load(str(folder)), 32, seed, cosine)


@pytest.mark.parametrize("graded", [False, True])
def test_the_start_is_the_calibrated_cosine(graded: bool, tiny_backbone: Path) -> None:
    """Oracle: cosines by transformers alone, and slope and intercept by minimising the loss itself."""
    graded_targets = np.random.default_rng(4).random(60).astype(np.float32)
    train = Pairs(TASK.train.a, TASK.train.b, graded_targets) if graded else TASK.train
    theirs = cosines(tiny_backbone, train.a, train.b)

    def loss(line: np.ndarray) -> float:
        logits = line[0] * theirs + line[1]
        entropy = np.logaddexp(0, logits) - train.target * logits
        return float(entropy.sum() + line[0] ** 2 / 2 / 100)

    slope, intercept = minimize(loss, [0.0, 0.0], method="BFGS").x
    matcher = started(tiny_backbone, train=train)
    expected = 1 / (1 + np.exp(-(slope * theirs + intercept)))
    np.testing.assert_allclose(matcher.scores(train.a, train.b), expected, atol=2e-4)


def test_training_starts_at_the_cosine_and_leaves_the_bi_encoder_as_it_was(tiny_backbone: Path) -> None:
    # Whether a pair matches is in its first text alone, of which a cosine tells little.
    train, dev = (replace(each, target=_early(each.a)) for each in (TASK.train, TASK.dev))
    matcher = started(tiny_backbone, train=train)
    assert matcher.cosine is not None
    before = {k: v.clone() for k, v in matcher.cosine.bi_encoder.encoder.state_dict().items()}
    at_first = matching_metrics(matcher, dev, False)
    curve = Curve(4)
    recipe = Recipe(epochs=20, batch_size=8, learning_rate=5e-3, max_tokens=32)
    best = finetune(matcher, train, dev, False, recipe, seed=1, curve=curve)
    assert curve.found[0] == {"step": 0} | at_first
    assert [point["step"] for point in curve.found] == [0, 40, 80, 120, 160]
    assert best == matching_metrics(matcher, dev, False)["accuracy"]
    assert best > at_first["accuracy"] + 20
    assert all(
        torch.equal(before[name], value)
        for name, value in matcher.cosine.bi_encoder.encoder.state_dict().items()
    )


def test_a_matcher_keeps_its_start_where_no_epoch_is_better(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = started(tiny_backbone)
    at_first = matcher.scores(TASK.test.a, TASK.test.b)
    scores = iter((70.0, 60.0, 70.0))
    monkeypatch.setattr(
        "pipeline.systems.ebsim.finetune.matching_metrics", lambda *_: {"accuracy": next(scores)}
    )
    assert finetune(matcher, TASK.train, TASK.dev, False, RECIPE, seed=1) == 70
    np.testing.assert_array_equal(matcher.scores(TASK.test.a, TASK.test.b), at_first)


def test_a_curve_changes_nothing_else(tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of an epoch is judged once, even where it is a point of the curve."""
    found, judged = [], list[int]()

    def counted(matcher: Matcher, *given: object) -> dict[str, float]:
        judged.append(len(judged))
        return matching_metrics(matcher, *given)  # type: ignore[arg-type]

    monkeypatch.setattr("pipeline.systems.ebsim.finetune.matching_metrics", counted)
    for curve in (None, Curve(5)):
        matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
        finetune(matcher, TASK.train, TASK.dev, False, RECIPE, 1, curve)
        found.append(matcher.scores(TASK.test.a, TASK.test.b))
    np.testing.assert_array_equal(*found)
    assert curve is not None
    assert [point["step"] for point in curve.found] == [0, 3, 6, 10, 13, 16]
    # Two epochs end at steps 8 and 16.
    assert len(judged) == 2 + 7
    assert {"f1", "accuracy", "ap"} < curve.found[-1].keys()


def test_a_folder_with_a_cosine_is_a_cross_encoder_of_the_same_scores(
    tiny_backbone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a process without SynSem; and no plain transformer, which would be the classifier alone."""
    from transformers import AutoModelForSequenceClassification

    matcher = started(tiny_backbone)
    finetune(matcher, TASK.train, TASK.dev, False, RECIPE, seed=1)
    folder = tmp_path / "matcher"
    matcher.save(folder)
    scores = matcher.scores(TASK.test.a, TASK.test.b)
    np.testing.assert_array_equal(load(folder).scores(TASK.test.a, TASK.test.b), scores)
    (tmp_path / "pairs.json").write_text(json.dumps([TASK.test.a, TASK.test.b]))
    code = """
import json, sys
from sentence_transformers import CrossEncoder
model = CrossEncoder(sys.argv[1], trust_remote_code=True)
pairs = list(zip(*json.load(open(sys.argv[2]))))
found = model.predict(pairs, batch_size=7).tolist()
model.save_pretrained(sys.argv[3])
again = CrossEncoder(sys.argv[3], trust_remote_code=True).predict(pairs).tolist()
assert not {"pipeline", "synsem"} & set(sys.modules)
print(json.dumps([found, again]))
"""
    command = [sys.executable, "-c", code, folder, tmp_path / "pairs.json", tmp_path / "again"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for theirs in json.loads(done.stdout.splitlines()[-1]):
        np.testing.assert_allclose(theirs, scores, atol=1e-5)
    with pytest.raises(Exception, match=r"config\.json|Unrecognized model|model_type"):
        AutoModelForSequenceClassification.from_pretrained(str(folder))
    stages.tools.match.main(TASK.test.a[0], TASK.test.b[0], folder)
    assert float(capsys.readouterr().out) == pytest.approx(scores[0], abs=1e-3)
    (folder / "matcher.json").write_text("{}")
    with pytest.raises(SynsemError, match="holds no matcher"):
        load(folder)


def test_the_last_layer_of_a_deeper_head_is_silent_too(tiny_backbone: Path) -> None:
    """RoBERTa's head has two layers; the first stays random, or nothing could be learnt."""
    tokenizer = AutoTokenizer.from_pretrained(str(tiny_backbone))
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=6000, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=66, pad_token_id=0,
    )  # fmt: skip
    backbone = Backbone(RobertaModel(config, add_pooling_layer=False).eval(), tokenizer)
    cosine = CalibratedCosine(BiEncoder(backbones.load(str(tiny_backbone)), 32), 3.0, -1.0)
    matcher = new_matcher(backbone, 32, 1, cosine)
    assert matcher.model.classifier.out_proj.weight.abs().sum() == 0
    assert matcher.model.classifier.dense.weight.abs().sum() > 0
    slow, fast = matcher.parameter_groups()
    assert {id(one) for one in fast["params"]} == {
        id(one) for one in matcher.model.classifier.out_proj.parameters()
    }
    assert len(slow["params"]) + 2 == len(list(matcher.model.parameters()))
    assert fast["lr_scale"] > slow["lr_scale"] == 1
    theirs = cosines(tiny_backbone, TASK.test.a, TASK.test.b)
    expected = 1 / (1 + np.exp(1 - 3 * theirs))
    np.testing.assert_allclose(matcher.scores(TASK.test.a, TASK.test.b), expected, atol=1e-5)


def test_pairs_of_one_kind_calibrate_nothing(tiny_backbone: Path) -> None:
    one_kind = Pairs(TASK.train.a, TASK.train.b, np.ones(60, np.float32))
    with pytest.raises(SynsemError, match=r"all of one kind.*take a larger --share"):
        calibrate(BiEncoder(backbones.load(str(tiny_backbone)), 32), one_kind)


def test_a_start_at_the_cosine_is_a_row_of_its_own(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its runs name the line of the cosine; a run without a curve is repeated where one is asked for."""
    name, results = str(tiny_backbone), tmp_path / "nouns.json"
    starts = {each: Start(each, name) for each in ("backbone", "cosine+backbone")}
    recipe = Recipe(epochs=1, batch_size=16, learning_rate=1e-3, max_tokens=32)
    found = compare_starts(starts, TASK, [50], [1], recipe, results)["runs"]
    assert found.keys() == {"backbone 50 1", "cosine+backbone 50 1"}
    assert found["cosine+backbone 50 1"]["cosine"].keys() == {"slope", "intercept"}
    assert "cosine" not in found["backbone 50 1"]
    assert len({run["content"] for run in found.values()}) == 2
    made = []

    def counted(start: Start, *rest: object) -> object:
        made.append(start.name)
        return train_matcher(start, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(shots, "train_matcher", counted)
    again = compare_starts(starts, TASK, [50], [1], recipe, results, points=2)["runs"]
    assert made == ["backbone", "cosine+backbone"]
    assert [point["step"] for point in again["backbone 50 1"]["curve"]] == [0, 1, 2]
    for key, run in again.items():
        assert run.pop("curve")
        assert run == found[key]
    assert compare_starts(starts, TASK, [50], [1], recipe, results, points=2)["runs"].keys() == found.keys()
    assert len(made) == 2


def test_the_report_names_the_system_of_a_start_at_the_cosine() -> None:
    assert started_from("cosine+models/ebsim/13") == "cosine+ebsim"
    assert started_from("cosine+backbone") == "cosine+backbone"
    assert started_from("models/ebsim/13") == "ebsim"


def test_a_matcher_is_saved_in_place_of_another_and_of_nothing_else(
    tiny_backbone: Path, tmp_path: Path
) -> None:
    """What the older one had beside it, such as a cosine, is gone; other people's files are not."""
    started(tiny_backbone).save(tmp_path / "matcher")
    plain = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=2)
    for _ in range(2):
        plain.save(tmp_path / "matcher")
        again = load(tmp_path / "matcher")
        assert again.cosine is None
        np.testing.assert_array_equal(
            again.scores(TASK.dev.a, TASK.dev.b), plain.scores(TASK.dev.a, TASK.dev.b)
        )
    assert not (tmp_path / "matcher" / "matcher.json").exists()
    for other in (tiny_backbone, tmp_path):
        before = sorted(other.rglob("*"))
        with pytest.raises(SynsemError, match="is not empty and holds no matcher; name a new folder"):
            plain.save(other)
        assert sorted(other.rglob("*")) == before


def test_scores_that_are_not_finite_are_one_clear_line(tiny_backbone: Path) -> None:
    """As after a step that was too large; scikit-learn would end in a traceback."""
    for graded in (False, True):
        matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
        with pytest.raises(SynsemError, match="scores are no longer finite; lower --learning-rate"):
            finetune(matcher, TASK.train, TASK.dev, graded, replace(RECIPE, learning_rate=1e30), seed=1)
