"""Matchers that begin at the untouched backbone's weighted cosine."""

import json
import shutil
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
from pipeline.systems.ebsim import few_shot as shots
from pipeline.systems.ebsim.cosine import BiEncoder, WeightedCosine, Weights, calibrate, untouched
from pipeline.systems.ebsim.few_shot import Start, compare_starts, train_matcher
from pipeline.systems.ebsim.finetune import Curve, Recipe, finetune, matching_metrics
from pipeline.systems.ebsim.labelled_pairs import Pairs, Task
from pipeline.systems.ebsim.matcher import Matcher, load, new_matcher
from tests.without_synsem import WithoutSynSem

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


def products(folder: Path, a: list[str], b: list[str]) -> np.ndarray:
    """u * v of each pair's unit vectors, by transformers alone, a pair at a time."""
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    found = []
    with torch.no_grad():
        for pair in zip(a, b, strict=True):
            first, second = (
                F.normalize(
                    model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0), dim=0
                )
                for text in pair
            )
            found.append((first * second).numpy())
    return np.array(found)


def _early(texts: list[str]) -> np.ndarray:
    return np.array([NOUNS.index(text.split()[1]) < len(NOUNS) // 2 for text in texts], np.float32)


def started(folder: Path, seed: int = 1, train: Pairs = TASK.train) -> Matcher:
    bi_encoder = BiEncoder(backbones.load(str(folder)), 32)
    cosine = WeightedCosine(bi_encoder, calibrate(bi_encoder.pairs(train.a, train.b), train.target))
    return new_matcher(backbones.load(str(folder)), 32, seed, cosine)


@pytest.mark.parametrize("graded", [False, True])
def test_the_start_is_the_weighted_cosine(graded: bool, tiny_backbone: Path) -> None:
    """Oracle: products by transformers alone, weights and intercept by minimising the loss itself."""
    graded_targets = np.random.default_rng(4).random(60).astype(np.float32)
    train = Pairs(TASK.train.a, TASK.train.b, graded_targets) if graded else TASK.train
    theirs = products(tiny_backbone, train.a, train.b)
    cosines = theirs.sum(axis=1)

    def loss(line: np.ndarray) -> tuple[float, np.ndarray]:
        """Line: the common weight's tenth, the differences from it, the intercept."""
        logits = 10 * line[0] * cosines + theirs @ line[1:-1] + line[-1]
        entropy = np.logaddexp(0, logits) - train.target * logits
        wrong = 1 / (1 + np.exp(-logits)) - train.target
        slopes = [10 * wrong @ cosines, *(wrong @ theirs), wrong.sum()]
        penalty = np.append(line[:-1], 0)
        return float(entropy.sum() + penalty @ penalty / 2 / 100), np.array(slopes) + penalty / 100

    best = minimize(loss, np.zeros(theirs.shape[1] + 2), jac=True, method="BFGS").x
    matcher = started(tiny_backbone, train=train)
    expected = 1 / (1 + np.exp(-(10 * best[0] * cosines + theirs @ best[1:-1] + best[-1])))
    np.testing.assert_allclose(matcher.scores(train.a, train.b), expected, atol=1e-3)


def test_with_few_pairs_the_weights_stay_near_each_other() -> None:
    """So that it is the plain cosine; with many pairs they find the dimensions that tell."""
    rng = np.random.default_rng(0)

    def spread(count: int) -> float:
        first, second = (rng.normal(size=(count, 8)).astype(np.float32) for _ in range(2))
        unit = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (first, second)]
        target = ((unit[0] * unit[1])[:, :4].sum(axis=1) > 0).astype(np.float32)
        found = calibrate((unit[0], unit[1]), target).values
        return float(found.std() / abs(found.mean()))

    assert spread(20) < spread(2000) / 2
    assert spread(2000) > 0.9


def test_training_starts_at_the_cosine_and_trains_bi_encoder_weights_and_classifier(
    tiny_backbone: Path,
) -> None:
    # Whether a pair matches is in its first text alone, of which a cosine tells little.
    train, dev = (replace(each, target=_early(each.a)) for each in (TASK.train, TASK.dev))
    matcher = started(tiny_backbone, train=train)
    before = {name: value.clone() for name, value in matcher.module.state_dict().items()}
    at_first = matching_metrics(matcher, dev, False)
    curve = Curve(4)
    recipe = Recipe(epochs=20, batch_size=8, learning_rate=5e-3, max_tokens=32)
    best = finetune(matcher, train, dev, False, recipe, seed=1, curve=curve)
    assert curve.found[0] == {"step": 0} | at_first
    assert [point["step"] for point in curve.found] == [0, 40, 80, 120, 160]
    assert best == matching_metrics(matcher, dev, False)["accuracy"]
    assert best > at_first["accuracy"] + 10
    after = matcher.module.state_dict()
    same = [name for name, value in before.items() if torch.equal(after[name], value)]
    assert all("position" in name or "pooler" in name for name in same), same


def test_comparisons_do_not_train_the_bi_encoder_that_they_share(tiny_backbone: Path) -> None:
    """Its vectors calibrate the next matcher, and are the rows without fine-tuning."""
    start, recipe = Start("cosine+backbone", str(tiny_backbone)), RECIPE
    first, _ = train_matcher(start, TASK, 100, 1, recipe)
    again, _ = train_matcher(start, TASK, 100, 1, recipe)
    np.testing.assert_array_equal(
        first.scores(TASK.test.a, TASK.test.b), again.scores(TASK.test.a, TASK.test.b)
    )
    fresh = BiEncoder(backbones.load(str(tiny_backbone)), 32)
    np.testing.assert_allclose(
        untouched(str(tiny_backbone), 32).vectors(TASK.dev.a), fresh.vectors(TASK.dev.a), atol=1e-6
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


@pytest.mark.parametrize("start", ["cosine", "cosine+backbone"])
def test_a_folder_with_a_cosine_is_a_cross_encoder_of_the_same_scores(
    start: str,
    tiny_backbone: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    without_synsem: WithoutSynSem,
) -> None:
    """In a process without SynSem; and no plain transformer, which would be the classifier alone."""
    from transformers import AutoModelForSequenceClassification

    matcher, _ = train_matcher(Start(start, str(tiny_backbone)), TASK, 100, 1, RECIPE)
    assert (matcher.model is None) == (start == "cosine")
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
module = model[0]
for tokens in (1, 5000):
    try:
        module.max_seq_length = tokens
    except ValueError as error:
        assert str(error) == f"max_seq_length: {tokens} is not between 2 and the encoder's 64 positions"
    else:
        raise AssertionError(tokens)
length = module.max_seq_length
module.max_seq_length = 5
assert module.max_seq_length == 5
shorter = model.predict([("the cat sat down there", "the cat sat"), ("the cat sat", "the cat sat")])
assert abs(shorter[0] - shorter[1]) < 1e-5
module.max_seq_length = length
model.save_pretrained(sys.argv[3])
again = CrossEncoder(sys.argv[3], trust_remote_code=True).predict(pairs).tolist()
print(json.dumps([found, again]))
"""
    given = (folder, tmp_path / "pairs.json", tmp_path / "again")
    said = without_synsem.run(code, *map(str, given), folder=tmp_path)
    for theirs in json.loads(said.splitlines()[-1]):
        np.testing.assert_allclose(theirs, scores, atol=1e-5)
    with pytest.raises(Exception, match=r"config\.json|Unrecognized model|model_type"):
        AutoModelForSequenceClassification.from_pretrained(str(folder))
    stages.tools.match.main(TASK.test.a[0], TASK.test.b[0], folder)
    assert float(capsys.readouterr().out) == pytest.approx(scores[0], abs=1e-3)
    if start != "cosine":  # a copy without the classifier is no bi-encoder: its scores would be others
        shutil.rmtree(folder / "classifier")
        with pytest.raises(SynsemError, match="holds no matcher"):
            load(folder)
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
    values = np.linspace(2, 4, 32, dtype=np.float32)
    cosine = WeightedCosine(BiEncoder(backbones.load(str(tiny_backbone)), 32), Weights(values, -1.0))
    matcher = new_matcher(backbone, 32, 1, cosine)
    head = matcher.model.classifier
    assert head.out_proj.weight.abs().sum() == 0
    assert head.dense.weight.abs().sum() > 0
    slow, fast = matcher.parameter_groups()
    new = [*head.out_proj.parameters(), cosine.weights, cosine.intercept]
    assert {id(one) for one in fast["params"]} == {id(one) for one in new}
    assert len(slow["params"]) + 4 == len(list(matcher.module.parameters()))
    assert fast["lr_scale"] > slow["lr_scale"] == 1
    theirs = products(tiny_backbone, TASK.test.a, TASK.test.b) @ values
    expected = 1 / (1 + np.exp(1 - theirs))
    np.testing.assert_allclose(matcher.scores(TASK.test.a, TASK.test.b), expected, atol=1e-5)


def test_pairs_of_one_kind_calibrate_nothing() -> None:
    same = np.eye(3, dtype=np.float32)
    with pytest.raises(SynsemError, match=r"all of one kind.*take a larger --share"):
        calibrate((same, same), np.ones(3, np.float32))


def test_a_start_at_the_cosine_is_a_row_of_its_own(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run without a curve is repeated where one is asked for."""
    name, results = str(tiny_backbone), tmp_path / "nouns.json"
    starts = {each: Start(each, name) for each in ("backbone", "cosine+backbone")}
    recipe = Recipe(epochs=1, batch_size=16, learning_rate=1e-3, max_tokens=32)
    found = compare_starts(starts, TASK, [50], [1], recipe, results)["runs"]
    assert found.keys() == {"backbone 50 1", "cosine+backbone 50 1"}
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
    (tmp_path / "list").mkdir()
    (tmp_path / "list" / "config.json").write_text("[]")
    with pytest.raises(SynsemError, match=r"config\.json: not a JSON object"):
        plain.save(tmp_path / "list")


def test_scores_that_are_not_finite_are_one_clear_line(tiny_backbone: Path) -> None:
    """As after a step that was too large; scikit-learn would end in a traceback."""
    for graded in (False, True):
        matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
        with pytest.raises(SynsemError, match="scores are no longer finite; lower --learning-rate"):
            finetune(matcher, TASK.train, TASK.dev, graded, replace(RECIPE, learning_rate=1e30), seed=1)


def test_the_cosine_of_an_encoder_decoder_is_refused_before_the_training(tiny_bart: Path) -> None:
    pairs = Pairs(["a cat", "a dog"], ["a cat", "rain"], np.array([1, 0], np.float32))
    with pytest.raises(SynsemError, match="has a decoder, and a matcher cannot keep the cosine"):
        Start("cosine", str(tiny_bart)).cosine(pairs, 32)


@pytest.mark.parametrize("name", ["backbone", "cosine", "cosine+backbone"])
def test_every_start_says_what_it_cannot_do_before_it_reads_a_pair(name: str, tiny_backbone: Path) -> None:
    start = Start(name, str(tiny_backbone))
    with pytest.raises(SynsemError, match=r"^--max-tokens: 4000 is beyond the encoder's \d+ positions"):
        train_matcher(start, TASK, 100, 1, replace(RECIPE, max_tokens=4000))
    with pytest.raises(SynsemError, match=r"^finetune: fewer than two training pairs; take a larger share$"):
        train_matcher(start, TASK, 0, 1, RECIPE)
