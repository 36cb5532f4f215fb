"""Fine-tuning on labelled pairs: what is read, what is trained, and what is saved."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE
from pipeline.core.store import ShardWriter, read_json, read_metrics
from pipeline.nn import backbone as backbones
from pipeline.systems.ebsim.finetune import (
    VIEW,
    Matcher,
    Pairs,
    Recipe,
    Task,
    fine_tune,
    fine_tune_to,
    matching_points,
    read_task,
)

Row = tuple[str, str, float | None, str | None]


def pairs(count: int, seed: int) -> Pairs:
    """Pairs that match if the first text is about an animal."""
    rng = np.random.default_rng(seed)
    nouns = rng.choice(["cat", "dog", "river", "queen"], (2, count))
    a = [f"the {noun} number {n}" for n, noun in enumerate(nouns[0])]
    return Pairs(a, [f"a {noun}" for noun in nouns[1]], np.isin(nouns[0], ["cat", "dog"]).astype(np.float32))


TASK = Task("t", False, pairs(64, 1), pairs(32, 2), pairs(32, 3))


@pytest.fixture
def benchmarks(tmp_path: Path) -> Callable[..., Path]:
    def write(**splits: Sequence[Row]) -> Path:
        with ShardWriter(tmp_path / "benchmarks", EXAMPLE) as writer:
            for split, rows in splits.items():
                for a, b, score, label in rows:
                    row = {"task": "t", "subset": "", "split": split, "a": a, "b": b}
                    writer.add(row | {"score": score, "label": label})
        return tmp_path / "benchmarks"

    return write


def labelled(count: int, start: int = 0) -> list[Row]:
    return [(f"a{number}", f"b{number}", None, str(number % 2)) for number in range(start, start + count)]


def test_missing_splits_are_taken_from_the_others(benchmarks: Callable[..., Path]) -> None:
    task = read_task(benchmarks(dev=labelled(300), test=labelled(20, 300)), "t")
    assert (len(task.test), task.graded) == (20, False)
    assert 10 <= len(task.dev) <= 50
    assert len(task.train) + len(task.dev) == 300
    assert not set(task.train.a) & set(task.dev.a)
    assert task.train.target.tolist() == [float(int(a[1:]) % 2) for a in task.train.a]


def test_no_text_of_a_test_split_is_in_training(benchmarks: Callable[..., Path]) -> None:
    rows = [(f"a{n}", f"b{n}", None, "1") for n in range(300)]
    rows += [(f"c{n}", f"b{n}", None, "0") for n in range(300)]
    task = read_task(benchmarks(train=rows), "t")
    assert len(task.test) > 40
    assert {*task.test.a, *task.test.b}.isdisjoint({*task.train.a, *task.train.b})


def test_graded_pairs_are_scaled_by_the_largest_score(benchmarks: Callable[..., Path]) -> None:
    rows = [(f"a{n}", "b", n % 6.0, None) for n in range(30)]
    task = read_task(benchmarks(train=rows, dev=rows, test=rows), "t")
    assert task.graded
    np.testing.assert_allclose(task.test.target, [(n % 6) / 5 for n in range(30)])


def test_other_labels_and_bare_scores_are_left_out(benchmarks: Callable[..., Path]) -> None:
    others = [("x", "y", 4.0, None), ("z", "y", None, "-1")]
    task = read_task(benchmarks(train=[*others, *labelled(20)], dev=labelled(9), test=labelled(4, 600)), "t")
    assert not task.graded
    assert task.train.target.tolist() == [number % 2 for number in range(20)]


def test_pairs_that_cannot_judge_are_refused(benchmarks: Callable[..., Path]) -> None:
    folder = benchmarks(train=labelled(20), dev=labelled(20, 300), test=labelled(1, 600))
    with pytest.raises(SynsemError, match="'t' for test"):
        read_task(folder, "t")
    with pytest.raises(SynsemError, match=r"'qqp'.*download\.benchmarks"):
        read_task(folder, "qqp")


def test_a_share_includes_the_smaller_ones() -> None:
    everything = pairs(2000, 5)
    shares = [set(everything.share(percent).a) for percent in (20, 40, 60, 80, 100)]
    assert all(small < large for small, large in itertools.pairwise(shares))
    assert [round(len(share) / 2000, 1) for share in shares] == [0.2, 0.4, 0.6, 0.8, 1.0]


def test_an_untrained_matcher_is_the_backbone_with_a_head(tiny_backbone: Path) -> None:
    """Oracle: the classifier's pooler and linear map on the backbone's own first state."""
    backbone = backbones.load(str(tiny_backbone))
    matcher = Matcher(backbone, 32, seed=4)
    with torch.no_grad():
        tokens = matcher.tokenizer.pairs(["the cat"], ["a dog"])
        state = backbone.model(**tokens.inputs).last_hidden_state[:, 0]
        pooled = torch.tanh(matcher.model.bert.pooler.dense(state))
        expected = torch.sigmoid(matcher.model.classifier(pooled)).item()
    assert matcher.scores(["the cat"], ["a dog"])[0] == pytest.approx(expected, abs=1e-6)
    assert matcher.scores([], []).shape == (0,)
    heads = [Matcher(backbone, 32, seed).model.classifier.weight for seed in (4, 5)]
    assert [torch.equal(head, matcher.model.classifier.weight) for head in heads] == [True, False]


def test_it_learns_repeats_itself_and_is_saved(tiny_backbone: Path, tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    recipe = Recipe(8, 8, 3e-3, max_tokens=32, judgements=4, precision="fp32")
    backbone = backbones.load(str(tiny_backbone))
    (matcher, result), (_, again) = (fine_tune(backbone, TASK, 100, 1, recipe) for _ in range(2))
    assert result == again
    assert (result.pairs, [point["step"] for point in result.curve]) == (64, [16, 32, 48, 64])
    learnt = matching_points(TASK.train, matcher.scores(TASK.train.a, TASK.train.b), graded=False)
    assert learnt["ap"] > 90
    judged = matching_points(TASK.dev, matcher.scores(TASK.dev.a, TASK.dev.b), graded=False)
    assert judged["accuracy"] == result.dev  # the weights are those of the best epoch
    matcher.save(tmp_path / "matcher")
    texts = list(zip(TASK.test.a, TASK.test.b, strict=True))
    found = CrossEncoder(str(tmp_path / "matcher"), device="cpu").predict(texts)
    np.testing.assert_allclose(found, matcher.scores(TASK.test.a, TASK.test.b), atol=1e-5)


def test_stage_writes_matcher_and_metrics(
    tiny_backbone: Path, benchmarks: Callable[..., Path], tmp_path: Path
) -> None:
    rows = {name: labelled(60, start) for name, start in {"train": 0, "dev": 200, "test": 400}.items()}
    out, scores = tmp_path / "finetuned", tmp_path / "scores.json"
    recipe = Recipe(1, 8, max_tokens=32, precision="fp32")
    result = fine_tune_to(out, scores, str(tiny_backbone), benchmarks(**rows), "t", 50, 1, recipe)
    assert 20 <= result.pairs <= 40
    names = {"accuracy", "f1", "ap"}
    assert read_metrics(scores) == {
        VIEW: {f"matching.t.share_50.{name}": result.test[name] for name in names}
    }
    assert read_json(out / "training.json")["curve"] == result.curve
    assert (out / "model.safetensors").exists()


def test_a_share_of_one_pair_is_refused(tiny_backbone: Path) -> None:
    with pytest.raises(SynsemError, match="larger share"):
        fine_tune(backbones.load(str(tiny_backbone)), TASK, 0, 1, Recipe(max_tokens=32))


def test_points_of_labelled_and_graded_pairs() -> None:
    some = Pairs(["a"] * 4, ["b"] * 4, np.array([1, 0, 1, 0], np.float32))
    found = matching_points(some, np.array([0.9, 0.8, 0.7, 0.1]), graded=False)
    assert found == {"accuracy": 75.0, "f1": 80.0, "ap": pytest.approx(100 * (1 + 2 / 3) / 2, abs=0.01)}
    graded = matching_points(some, np.array([0.9, 0.1, 0.9, 0.1]), graded=True)
    assert graded == {"pearson": 100.0, "spearman": 100.0}
    with pytest.raises(SynsemError, match="finite"):
        matching_points(some, np.array([np.nan] * 4), graded=False)
