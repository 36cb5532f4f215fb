import gzip
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import typer
import yaml
from typer.testing import CliRunner

import stages.tools.finetune
import stages.tools.match
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE
from pipeline.core.store import ShardWriter, write_json
from pipeline.evaluation.significance import few_shot_summary
from pipeline.nn import backbone as backbones
from pipeline.params import load_all
from pipeline.systems import registry
from pipeline.systems.cssl.from_scratch import backbone_from_scratch as scratch_encoder
from pipeline.systems.ebsim import few_shot as shots
from pipeline.systems.ebsim.cosine import BiEncoder
from pipeline.systems.ebsim.few_shot import Start, compare_starts, outdated
from pipeline.systems.ebsim.finetune import Recipe, batches, finetune, matching_metrics
from pipeline.systems.ebsim.frozen import add_frozen, zero_shot
from pipeline.systems.ebsim.labelled_pairs import Pairs, Task, read_task
from pipeline.systems.ebsim.matcher import load, new_matcher
from tests.systems.synsem.test_synsem_model import create

ROOT = Path(__file__).parents[3]
NOUNS = ["cat", "dog", "farmer", "queen", "engine", "river", "poet", "doctor"]
RECIPE = Recipe(epochs=2, batch_size=8, learning_rate=1e-3, max_tokens=32)


def pairs(count: int, seed: int) -> Pairs:
    """A pair matches where it is of one noun."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, len(NOUNS), count)
    second = np.where(rng.random(count) < 0.5, first, rng.integers(0, len(NOUNS), count))
    a = [f"the {NOUNS[i]} number {seed} {k}" for k, i in enumerate(first)]
    return Pairs(a, [f"a {NOUNS[i]}" for i in second], (first == second).astype(np.float32))


TASK = Task("nouns", False, pairs(60, 1), pairs(20, 2), pairs(20, 3))


@pytest.fixture
def benchmarks(tmp_path: Path) -> Callable[..., Path]:
    def write(**splits: Sequence[tuple[str, str | None, float | None, str | None]]) -> Path:
        with ShardWriter(tmp_path / "benchmarks", EXAMPLE) as writer:
            for split, rows in splits.items():
                for a, b, score, label in rows:
                    row = {"task": "t", "subset": "", "split": split, "a": a, "b": b}
                    writer.add(row | {"score": score, "label": label})
        return tmp_path / "benchmarks"

    return write


def labelled(count: int, start: int = 0) -> list[tuple[str, str, float | None, str | None]]:
    return [(f"a{number}", f"b{number}", None, str(number % 2)) for number in range(start, start + count)]


def test_missing_splits_are_taken_from_the_others(benchmarks: Callable[..., Path]) -> None:
    task = read_task(benchmarks(dev=labelled(300), test=labelled(20, 300)), "t")
    assert (len(task.test), task.graded) == (20, False)
    assert 10 <= len(task.dev) <= 50
    assert len(task.train) + len(task.dev) == 300
    assert not set(task.train.a) & set(task.dev.a)
    assert task.train.target.tolist() == [float(int(a[1:]) % 2) for a in task.train.a]
    only = read_task(benchmarks(train=labelled(300)), "t")
    assert sorted(only.train.a + only.dev.a + only.test.a) == sorted(f"a{n}" for n in range(300))
    assert min(len(only.dev), len(only.test)) > 0
    assert len(read_task(benchmarks(train=labelled(300)), "t").tested_on(7).test) == 7


def test_no_text_of_a_test_split_that_is_drawn_is_in_training(benchmarks: Callable[..., Path]) -> None:
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


@pytest.mark.parametrize("first", [True, False])
def test_beside_labels_a_score_alone_is_no_target(first: bool, benchmarks: Callable[..., Path]) -> None:
    """Where a file lacks some labels: a score of 4 was a target of 4, or a label of 1 one of 0.25."""
    scored = [("x", "y", 4.0, None), ("z", "y", 2.0, None)]
    train = scored + labelled(20) if first else labelled(20) + scored
    task = read_task(benchmarks(train=train, dev=labelled(20, 300), test=labelled(4, 600)), "t")
    assert not task.graded
    assert task.train.target.tolist() == [number % 2 for number in range(20)]
    assert task.unlabelled == 2


def test_a_share_includes_the_smaller_ones() -> None:
    everything = pairs(2000, 5)
    shares = [set(everything.share(percent).a) for percent in (20, 40, 60, 80, 100)]
    assert all(small < large for small, large in itertools.pairwise(shares))
    assert [round(len(share) / 2000, 1) for share in shares] == [0.2, 0.4, 0.6, 0.8, 1.0]


def test_a_task_without_pairs_is_named(benchmarks: Callable[..., Path]) -> None:
    folder = benchmarks(test=labelled(5))
    with pytest.raises(SynsemError, match=r"no labelled pairs of 'qqp'; name it in download.benchmarks"):
        read_task(folder, "qqp")
    with pytest.raises(SynsemError, match=r"'t' has no pairs outside its test split.* column `split`"):
        read_task(folder, "t")
    single = benchmarks(train=[("a", None, None, "1")])
    with pytest.raises(SynsemError, match="no labelled pairs of 't'; take a benchmark of pairs"):
        read_task(single, "t")
    words = benchmarks(train=[("a", "b", None, "yes"), ("c", "d", None, "no")])
    with pytest.raises(SynsemError, match=r"pairs of 't' have the labels 'no', 'yes'; write 1 .* and 0 for"):
        read_task(words, "t")


def test_pairs_with_another_label_are_counted(
    benchmarks: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    others = [("x", "y", None, "2"), ("z", "y", None, "-1"), ("single", None, None, "1")]
    folder = benchmarks(train=labelled(20) + others, dev=labelled(20, 300), test=labelled(4, 600))
    task = read_task(folder, "t")
    assert (task.unlabelled, len(task.train)) == (2, 20)
    assert task.tested_on(2).unlabelled == 2
    alike = benchmarks(train=labelled(20) + others, dev=labelled(20, 300), test=labelled(1, 600))
    with pytest.raises(SynsemError, match="judge no matcher"):
        stages.tools.finetune.main("t", benchmarks=alike, params=ROOT / "params.yaml")
    assert "finetune t: 2 pairs left out, whose label is neither 0 nor 1" in capsys.readouterr().err


@pytest.mark.parametrize("lowest", [-1.0, 0.0])
def test_scores_that_do_not_rise_from_0_are_named(lowest: float, benchmarks: Callable[..., Path]) -> None:
    folder = benchmarks(train=[("a", "b", lowest, None), ("c", "d", 0.0, None)])
    with pytest.raises(SynsemError, match=rf"'t' are from {lowest:g} to 0; give scores that start at 0"):
        read_task(folder, "t")


@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_split_that_judges_no_matcher_is_named_before_the_training(
    split: str, benchmarks: Callable[..., Path], trained: list[int]
) -> None:
    some = labelled(20)
    alike = [(a, b, score, "1") for a, b, score, _ in labelled(4, 900)]
    folder = benchmarks(**{"train": some, "dev": labelled(20, 300), "test": labelled(20, 600), split: alike})
    with pytest.raises(SynsemError, match=f"'t': the 4 pairs of its {split} split judge no matcher"):
        stages.tools.finetune.main("t", benchmarks=folder, params=ROOT / "params.yaml")
    assert not trained


def test_an_untrained_matcher_is_the_backbone_with_a_head(tiny_backbone: Path) -> None:
    """Oracle: the classifier's pooler and linear map on the backbone's own first state."""
    backbone = backbones.load(str(tiny_backbone))
    matcher = new_matcher(backbone, 32, seed=4)
    model = matcher.model
    with torch.no_grad():
        tokens = matcher.tokenizer.pairs(["the cat"], ["a dog"])
        state = backbone.model(**tokens.inputs()).last_hidden_state[:, 0]
        pooled = torch.tanh(model.bert.pooler.dense(state))
        expected = torch.sigmoid(model.classifier(pooled)).item()
    assert matcher.scores(["the cat"], ["a dog"])[0] == pytest.approx(expected, abs=1e-6)
    same, other = new_matcher(backbone, 32, seed=4), new_matcher(backbone, 32, seed=5)
    assert torch.equal(same.model.classifier.weight, model.classifier.weight)
    assert not torch.equal(other.model.classifier.weight, model.classifier.weight)


def test_fine_tuning_learns_and_repeats_itself(tiny_backbone: Path) -> None:
    recipe = Recipe(epochs=12, batch_size=8, learning_rate=3e-3, max_tokens=32)
    found = []
    for _ in range(2):
        matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
        before = matching_metrics(matcher, TASK.train, False)["ap"]
        best = finetune(matcher, TASK.train, TASK.dev, False, recipe, seed=1)
        assert matching_metrics(matcher, TASK.dev, False)["accuracy"] == best
        assert matching_metrics(matcher, TASK.train, False)["ap"] > max(90, before)
        found.append(matcher.scores(TASK.test.a, TASK.test.b))
    np.testing.assert_array_equal(*found)


def test_fine_tuning_clips_the_gradient_and_lets_weights_decay(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
    logits, norms, decays, step = matcher.logits, list[float](), set[float](), torch.optim.AdamW.step

    def watched(optimizer: torch.optim.AdamW) -> None:
        gradients = [p.grad.flatten() for p in matcher.module.parameters() if p.grad is not None]
        norms.append(torch.cat(gradients).norm().item())
        decays.update(group["weight_decay"] for group in optimizer.param_groups)
        step(optimizer)

    monkeypatch.setattr(matcher, "logits", lambda a, b: 1000 * logits(a, b))
    monkeypatch.setattr(torch.optim.AdamW, "step", watched)
    finetune(matcher, TASK.train, TASK.dev, False, Recipe(1, 16, 1e-5, 32, "fp32"), seed=1)
    assert norms == pytest.approx([1.0] * 4, rel=1e-3)
    assert decays == {0.01}


def test_fine_tuning_leaves_the_weights_of_its_first_best_epoch(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
    scores, seen = iter((50.0, 80.0, 80.0, 60.0)), list[dict[str, torch.Tensor]]()

    def scored(*_: object) -> dict[str, float]:
        seen.append({name: value.clone() for name, value in matcher.model.state_dict().items()})
        return {"accuracy": next(scores)}

    monkeypatch.setattr("pipeline.systems.ebsim.finetune.matching_metrics", scored)
    assert finetune(matcher, TASK.train, TASK.dev, False, Recipe(4, 16, 1e-3, 32), seed=1) == 80
    left = matcher.model.state_dict()
    equal = [all(torch.equal(left[name], each[name]) for name in left) for each in seen]
    assert equal == [False, True, False, False]


def test_every_row_is_in_one_batch_of_an_epoch() -> None:
    lengths = np.random.default_rng(0).integers(1, 50, 203)
    cut = list(batches(lengths, 16, np.random.default_rng(1)))
    assert sorted(np.concatenate(cut)) == list(range(203))
    assert sorted(len(rows) for rows in cut)[1:] == [16] * 12
    spread = np.mean([np.ptp(lengths[rows]) for rows in cut])
    assert spread < 0.4 * np.ptp(lengths)


def test_a_saved_matcher_is_a_cross_encoder_of_the_same_scores(tiny_backbone: Path, tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=2)
    matcher.save(tmp_path / "matcher")
    scores = matcher.scores(TASK.test.a, TASK.test.b)
    np.testing.assert_array_equal(load(tmp_path / "matcher").scores(TASK.test.a, TASK.test.b), scores)
    theirs = CrossEncoder(str(tmp_path / "matcher")).predict(list(zip(TASK.test.a, TASK.test.b, strict=True)))
    np.testing.assert_allclose(theirs, scores, atol=1e-6)


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["LCQMC", "BQ"])
def test_chinese_pairs_need_only_an_encoder_with_their_script(name: str, mirror: Path) -> None:
    """A matcher over characters learns to tell the first real pairs from each other."""
    home = mirror / "raw.githubusercontent.com" / "shawroad" / "CoSENT_Pytorch"
    (path,) = home.glob(f"*/data/{name}/{name}.valid.data*")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:  # type: ignore[operator]
        rows = [line.rstrip("\n").split("\t") for line in itertools.islice(stream, 48)]
    a, b, labels = zip(*rows, strict=True)
    real = Pairs(list(a), list(b), np.array(labels, dtype=np.float32))
    torch.manual_seed(0)
    backbone = scratch_encoder([*"".join([*a, *b])], 2000, 64, 2, 64, 0.0)
    matcher = new_matcher(backbone, 64, seed=1)
    unknown = backbone.tokenizer.unk_token_id
    assert (matcher.tokenizer.pairs(real.a, real.b).ids == unknown).float().mean() < 0.2
    finetune(matcher, real, real, False, Recipe(20, 16, 2e-3, 64), seed=1)
    assert matching_metrics(matcher, real, False)["ap"] > 90


def test_few_shot_runs_everything_once_and_goes_on_after_a_kill(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = []
    real = shots.train_matcher

    def counted(*args: object) -> object:
        count.append(args)
        if len(count) == 3:
            raise KeyboardInterrupt
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(shots, "train_matcher", counted)
    starts = {
        "backbone": Start("backbone", str(tiny_backbone)),
        "other": Start("backbone", str(tiny_backbone)),
    }
    arguments = (starts, TASK, [50], [1, 2], RECIPE, tmp_path / "few.json")
    with pytest.raises(KeyboardInterrupt):
        compare_starts(*arguments)
    found = compare_starts(*arguments)
    assert len(count) == 5
    assert json.loads((tmp_path / "few.json").read_text()) == found
    rows = few_shot_summary(found["runs"].values())
    assert [(row["start"], row["share"], row["seeds"]) for row in rows] == [
        ("backbone", 50, 2),
        ("other", 50, 2),
    ]
    accuracies = [found["runs"][f"backbone 50 {seed}"]["test"]["accuracy"] for seed in (1, 2)]
    assert rows[0]["metrics"]["accuracy"]["mean"] == pytest.approx(np.mean(accuracies))
    assert rows[0]["metrics"]["accuracy"]["sd"] == pytest.approx(np.std(accuracies, ddof=1))
    assert rows[0]["metrics"]["accuracy"]["gain"] is None
    assert rows[1]["metrics"]["accuracy"]["gain"] == 0  # the same start: the same seeds give the same runs
    with pytest.raises(SynsemError, match="holds another task, recipe or number of test pairs"):
        compare_starts(starts, TASK, [50], [1], Recipe(), tmp_path / "few.json")
    with pytest.raises(SynsemError, match="another task, recipe or number of test pairs"):
        compare_starts(starts, TASK.tested_on(5), [50], [1], RECIPE, tmp_path / "few.json")
    for other, message in (("[]", "not a JSON object"), ("{}", "has no runs")):
        (tmp_path / "other.json").write_text(other)
        with pytest.raises(SynsemError, match=rf"other\.json: {message}"):
            compare_starts(starts, TASK, [50], [1], RECIPE, tmp_path / "other.json")
        assert (tmp_path / "other.json").read_text() == other


def test_rows_without_fine_tuning_stand_in_the_same_table(tiny_backbone: Path, tmp_path: Path) -> None:
    """Oracle: every threshold between two cosines of the development pairs, one by one."""
    bi_encoder = BiEncoder(backbones.load(str(tiny_backbone)), 32)
    results = tmp_path / "nouns.json"
    facts = {"task": "nouns", "recipe": asdict(RECIPE), "test_pairs": 20}
    run = {"start": "backbone", "share": 50, "seed": 1, "pairs": len(TASK.train.share(50)), "dev": 1.0}
    run["test"] = {"accuracy": 50.0, "f1": 50.0, "ap": 50.0}
    write_json(results, facts | {"runs": {"backbone 50 1": run}})
    add_frozen(bi_encoder, TASK, [50, 100], results, str)
    rows = json.loads(results.read_text())["runs"].values()
    assert sorted((row["share"], row["pairs"]) for row in rows) == sorted(
        [(0, 0), *[(50, len(TASK.train.share(50)))] * 3, *[(100, 60)] * 2]
    )
    rng = np.random.default_rng(0)
    dev, test = rng.random(20).astype(np.float32), rng.random(20).astype(np.float32)
    gold = TASK.dev.target > 0.5
    cuts = [-1.0, *((np.sort(dev)[1:] + np.sort(dev)[:-1]) / 2), 2.0]
    best = max(cuts, key=lambda cut: (np.mean((dev > cut) == gold), -cut))
    scored = zero_shot(TASK, dev, test)
    assert scored["dev"] == pytest.approx(100 * np.mean((dev > best) == gold))
    assert scored["test"]["accuracy"] == pytest.approx(
        100 * np.mean((test > best) == (TASK.test.target > 0.5))
    )


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replaces training: the size of each train split that a matcher would be trained on, in order."""
    sizes: list[int] = []

    def train(load: object, task: Task, share: int, *_: object) -> tuple[None, dict[str, object]]:
        sizes.append(len(task.train))
        return None, {"pairs": 1, "dev": 0.0, "test": {"accuracy": float(len(sizes))}}

    monkeypatch.setattr(shots, "train_matcher", train)
    return sizes


def test_few_shot_results_are_of_the_files_that_are_there_now(tmp_path: Path, trained: list[int]) -> None:
    """A model trained anew in the same folder, and other pairs of the same task, do not get the old score."""
    folder, results = tmp_path / "models" / "13", tmp_path / "few.json"
    (folder / "tokenizer").mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"first")
    (folder / "config.json").write_text("{}")

    def run(task: Task = TASK) -> float:
        starts = {str(folder): Start(str(folder), ""), "backbone": Start("backbone", "small")}
        found = compare_starts(starts, task, [50], [1], RECIPE, results)
        assert json.loads(results.read_text()) == found
        return float(found["runs"][f"{folder} 50 1"]["test"]["accuracy"])

    assert [run(), run(), len(trained)] == [1, 1, 2]
    (folder / "model.safetensors").write_bytes(b"other")
    (folder / "training.json").write_text("{}")
    assert [run(), run(), len(trained)] == [3, 3, 3]  # the backbone's run is as good as before
    (folder / "tokenizer" / "tokenizer.json").write_text("{}")
    assert [run(), len(trained)] == [4, 4]
    fewer = Task(TASK.name, TASK.graded, TASK.train, pairs(20, 7), TASK.test)
    assert [run(fewer), run(fewer), len(trained)] == [5, 5, 6]
    others = Task(TASK.name, TASK.graded, TASK.train, fewer.dev, pairs(20, 8))
    assert [run(others), run(others), len(trained)] == [7, 7, 8]
    (folder / "model.safetensors").unlink()
    with pytest.raises(SynsemError, match=r"model.safetensors: missing; run the pretrain stage"):
        run()


@pytest.mark.parametrize("start", ["backbone", "cosine", "cosine+backbone"])
def test_a_backbone_in_a_folder_is_known_by_its_files(start: str, tmp_path: Path, trained: list[int]) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for content, runs in (("first", 1), ("first", 1), ("other", 2)):
        (own / "model.safetensors").write_text(content)
        starts = {start: Start(start, str(own))}
        compare_starts(starts, TASK, [50], [1], RECIPE, tmp_path / "few.json")
        assert len(trained) == runs


def test_runs_of_other_files_or_pairs_than_now_are_named(tmp_path: Path, trained: list[int]) -> None:
    """A model trained anew, of which some shares alone are asked for again: the others are of the old one."""
    folder, results = tmp_path / "models" / "13", tmp_path / "few.json"
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"first")
    name = str(folder)
    starts = {each: Start(each, "small") for each in (name, "backbone")}
    found = compare_starts(starts, TASK, [50, 100], [1], RECIPE, results)
    assert outdated(found, TASK, RECIPE, "small") == []

    (folder / "model.safetensors").write_bytes(b"other")
    found = compare_starts({name: Start(name, "small")}, TASK, [50], [1], RECIPE, results)
    assert outdated(found, TASK, RECIPE, "small") == [f"{name} 100 1"]
    fewer = Task(TASK.name, TASK.graded, TASK.train, pairs(20, 7), TASK.test)
    assert set(outdated(found, fewer, RECIPE, "small")) == set(found["runs"])
    assert set(outdated(found, TASK, RECIPE, "large")) >= {"backbone 50 1", "backbone 100 1"}
    # Of what is gone, or does not say what it is of, nothing is known.
    (folder / "model.safetensors").unlink()
    del found["runs"]["backbone 50 1"]["content"]
    assert outdated(found, TASK, RECIPE, "large") == ["backbone 100 1"]


def test_the_table_has_no_run_of_other_pairs(
    tiny_backbone: Path,
    tmp_path: Path,
    benchmarks: Callable[..., Path],
    trained: list[int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["encoder"] |= {"model": str(tiny_backbone)}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    train = TASK.train
    rows = [(a, b, None, str(int(t))) for a, b, t in zip(train.a, train.b, train.target, strict=True)]
    results = tmp_path / "t.json"
    common = {"params": tmp_path / "params.yaml", "max_tokens": 32, "results": results}
    folder = benchmarks(train=rows, dev=rows[:20], test=rows[:20])
    stages.tools.finetune.main("t", share=["40,100"], benchmarks=folder, **common)
    shown = capsys.readouterr()
    assert shown.out.count("40 %") == 3
    assert "left out" not in shown.err
    folder = benchmarks(train=rows, dev=rows[20:40], test=rows[:20])
    stages.tools.finetune.main("t", share=["100"], benchmarks=folder, **common)
    shown = capsys.readouterr()
    assert "40 %" not in shown.out
    assert shown.out.count("100 %") == 3
    assert "backbone 40 13" in shown.err
    assert "weighted cosine 40 0" in shown.err
    # They stay in the file, and the report leaves them out, until they are of the pairs of now again.
    kept = json.loads(results.read_text())["runs"]
    assert {key for key, run in kept.items() if run.get("outdated")} == {
        key for key, run in kept.items() if run["share"] == 40
    }
    folder = benchmarks(train=rows, dev=rows[:20], test=rows[:20])
    stages.tools.finetune.main("t", share=["40"], benchmarks=folder, **common)
    kept = json.loads(results.read_text())["runs"]
    assert {run["share"] for run in kept.values() if run.get("outdated")} == {100}
    assert len(trained) == 3  # one run of each start, share and version of the pairs


@pytest.mark.parametrize("changed", [False, True], ids=["as-it-was", "trained"])
def test_a_start_whose_encoder_is_the_backbone_is_told_so(
    tiny_backbone: Path,
    tmp_path: Path,
    benchmarks: Callable[..., Path],
    trained: list[int],
    capsys: pytest.CaptureFixture[str],
    changed: bool,
) -> None:
    """Training of ``synsem`` leaves the encoder as it is: a matcher from there is one from the backbone."""
    system = create(tiny_backbone)
    if changed:
        with torch.no_grad():
            next(system.semantic.model.parameters()).add_(1)
    registry.save(system, tmp_path / "model")
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["encoder"] |= {"model": str(tiny_backbone)}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    rows = labelled(60)
    start = f"cosine+{tmp_path / 'model'}"
    stages.tools.finetune.main(
        "t", start=["backbone", start], benchmarks=benchmarks(train=rows, dev=rows[:20], test=rows[:20]),
        params=tmp_path / "params.yaml", max_tokens=32, results=tmp_path / "t.json",
    )  # fmt: skip
    told = (
        f"finetune t: {start}: its encoder is the untouched backbone, so it starts as cosine+backbone does\n"
    )
    said = capsys.readouterr().err
    assert (told in said) == (not changed)
    assert said.count("untouched") == (not changed)


def test_results_that_do_not_say_what_they_are_of_are_kept_until_asked(
    tmp_path: Path, trained: list[int]
) -> None:
    results, starts = tmp_path / "few.json", {"backbone": Start("backbone", "small")}
    old = compare_starts(starts, TASK, [50], [1], RECIPE, results)
    del old["runs"]["backbone 50 1"]["content"]
    results.write_text(json.dumps(old))
    assert compare_starts(starts, TASK, [50], [1], RECIPE, results) == old
    found = compare_starts(starts, TASK, [50], [1], RECIPE, results, again=True)
    assert len(trained) == 2
    assert len(found["runs"]["backbone 50 1"].pop("content")) == 64
    assert found["runs"]["backbone 50 1"].pop("test") == {"accuracy": 2.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"out": Path("m"), "results": Path("t.json")}, "--results is .* which --out leaves alone"),
        ({"out": Path("m"), "again": True}, "--again is .* which --out leaves alone"),
        ({"out": Path("m"), "curve": 2}, "--curve is .* which --out leaves alone"),
        ({"out": Path("m"), "share": ["5,10"]}, "--out saves one matcher"),
    ],
    ids=["out-and-results", "out-and-again", "out-and-curve", "out-and-shares"],
)
def test_what_cannot_be_done_is_told_before_any_training(
    options: dict[str, Any],
    message: str,
    tiny_backbone: Path,
    tmp_path: Path,
    benchmarks: Callable[..., Path],
    trained: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["encoder"] |= {"model": str(tiny_backbone)}
    Path("params.yaml").write_text(yaml.safe_dump(params))
    train = TASK.train
    rows = [(a, b, None, str(int(t))) for a, b, t in zip(train.a, train.b, train.target, strict=True)]
    folder = benchmarks(train=rows, dev=rows[:20], test=rows[:20])
    with pytest.raises((SynsemError, typer.BadParameter), match=message):
        stages.tools.finetune.main("t", benchmarks=folder, **options)
    assert trained == []
    assert not Path("m").exists()


def test_no_test_pair_is_a_wrong_option() -> None:
    app = typer.Typer()
    app.command()(stages.tools.finetune.main)
    for count in ("0", "-1"):
        found = CliRunner().invoke(app, ["qqp", f"--test-pairs={count}"])
        assert found.exit_code == 2
        assert "--test-pairs" in found.output


def test_the_tools_train_save_and_score(
    tiny_backbone: Path,
    tmp_path: Path,
    benchmarks: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    train = TASK.train
    rows = [(a, b, None, str(int(t))) for a, b, t in zip(train.a, train.b, train.target, strict=True)]
    folder = benchmarks(train=rows, dev=rows[:20], test=rows[:20])
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["encoder"] |= {"model": str(tiny_backbone)}
    params["ebsim"] |= {"max_tokens": 48}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    common = {"benchmarks": folder, "params": tmp_path / "params.yaml", "max_tokens": 32, "epochs": 1}
    stages.tools.finetune.main("t", out=tmp_path / "m", **common)
    assert re.search(
        r"finetune t: 60 pairs, test accuracy [\d.]+, f1 [\d.]+, ap [\d.]+; ", capsys.readouterr().out
    )
    stages.tools.match.main("the cat", "a dog", tmp_path / "m")
    expected = load(tmp_path / "m").scores(["the cat"], ["a dog"])[0]
    assert float(capsys.readouterr().out) == pytest.approx(expected, abs=1e-3)
    with pytest.raises(SynsemError, match=r"is a matcher; the alignment is that of an ebsim model"):
        stages.tools.match.main("the cat", "a dog", tmp_path / "m", align=True)
    assert capsys.readouterr().out == ""
    stages.tools.finetune.main("t", share=["50,100"], results=tmp_path / "t.json", **common)
    assert "100 %" in capsys.readouterr().out
    # The rows without fine-tuning stand in the table of any start.
    sections = load_all(tmp_path / "params.yaml")
    system = tmp_path / "models" / "ebsim" / "13"
    registry.save(registry.create("ebsim", sections.encoder, sections.train, sections.ebsim), system)
    starts = [str(system), f"cosine+{system}"]
    stages.tools.finetune.main("t", start=starts, results=tmp_path / "other.json", **common)
    assert {run["start"] for run in json.loads((tmp_path / "other.json").read_text())["runs"].values()} == {
        *starts,
        "zero-shot cosine",
        "weighted cosine",
        "frozen logistic",
    }
    capsys.readouterr()
    for a, b in (("", "a dog"), ("the cat", " ")):
        with pytest.raises(SynsemError, match="has no word to match; give two texts"):
            stages.tools.match.main(a, b, tmp_path / "m")
    assert capsys.readouterr().out == ""
    with pytest.raises(SynsemError, match="holds no matcher; make one with `synsem finetune`"):
        stages.tools.match.main("x", "y", tmp_path / "none", align=True)
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "config.json").write_text("[]")
    with pytest.raises(SynsemError, match=r"config\.json: not a JSON object"):
        stages.tools.match.main("x", "y", tmp_path / "none")


def test_each_epoch_and_each_seed_has_an_order_and_a_dropout_of_its_own(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def epochs(seed: int) -> list[tuple[int, tuple[str, ...]]]:
        """Of each epoch the seed of its dropout, and the texts in the order in which they are read."""
        matcher = new_matcher(backbones.load(str(tiny_backbone)), 32, seed=1)
        logits, seen = matcher.logits, dict[int, tuple[str, ...]]()

        def watched(a: list[str], b: list[str]) -> torch.Tensor:
            if matcher.module.training:
                seen[torch.initial_seed()] = (*seen.get(torch.initial_seed(), ()), *a)
            return logits(a, b)

        monkeypatch.setattr(matcher, "logits", watched)
        finetune(matcher, TASK.train, TASK.dev, False, Recipe(2, 16, 1e-3, 32), seed=seed)
        return list(seen.items())

    found = [*epochs(1), *epochs(2)]
    assert [sorted(texts) for _, texts in found] == [sorted(TASK.train.a)] * 4
    assert len({number for number, _ in found}) == len({texts for _, texts in found}) == 4
    assert epochs(1) == found[:2]
