"""Development metrics against brute force, and the choice of the best weights by them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.core.store import sha256
from pipeline.params import load
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.base import Batch, Settings, System
from pipeline.training import distributed
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.examples import Examples
from pipeline.training.loop import train
from pipeline.training.run import pretrain
from pipeline.training.validation import Judge, development_metric, mean_reciprocal_rank, validate


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 12), st.integers(0, 100))
def test_mean_reciprocal_rank_is_that_of_a_sorted_list(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    similarity, own = rng.random((n, 7)).astype(np.float32), rng.integers(0, 7, n)
    ranks = [sorted(row, reverse=True).index(row[i]) + 1 for row, i in zip(similarity, own, strict=True)]
    assert mean_reciprocal_rank(similarity, own) == pytest.approx(np.mean([1 / rank for rank in ranks]))


@pytest.mark.parametrize("name", ["sscp", "simcse"])
def test_metrics_of_a_system_are_those_counted_pair_by_pair(name: str, params: Path, triplets: Path) -> None:
    sections = load(params, "encoder", "train", name)
    system = registry.create(name, sections.encoder, sections.train, getattr(sections, name))
    batch = Examples(triplets, "dev").batch(range(12))
    views = [system.embed(group) for group in (batch.anchors, batch.positives, batch.negatives)]
    trained = ("semantic", "syntactic") if name == "sscp" else ("semantic",)  # and not the sketch
    a, p, n = (np.concatenate([found[view] for view in trained], axis=1) for found in views)
    assert len(n) > 0
    right = [a[owner] @ p[owner] > a[owner] @ n[k] for k, owner in enumerate(batch.owners)]
    assert development_metric("triplet_accuracy", system, batch) == pytest.approx(np.mean(right))
    texts = [side.text for side in batch.positives]
    better = [
        {texts[j] for j in range(12) if texts[j] != texts[i] and a[i] @ p[j] > a[i] @ p[i]} for i in range(12)
    ]
    ranks = [1 + len(each) for each in better]  # of texts, of which some come twice
    assert development_metric("mrr", system, batch) == pytest.approx(np.mean([1 / rank for rank in ranks]))

    without = Batch(batch.anchors, batch.positives, [], [])
    with pytest.raises(SynsemError, match="needs development examples with hard negatives"):
        development_metric("triplet_accuracy", system, without)
    # The positives of unsupervised SimCSE.
    with pytest.raises(SynsemError, match=f"every positive of {name} is its anchor, so mrr is 1"):
        development_metric("mrr", system, Batch(batch.anchors, batch.anchors, [], []))


def test_the_dropout_of_a_validation_is_the_same_each_time(params: Path, triplets: Path) -> None:
    sections = load(params, "encoder", "train", "simcse")
    system = registry.create("simcse", sections.encoder, sections.train, sections.simcse)
    found = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        validate(
            system, Examples(triplets, "dev"), [np.arange(12)], Progress(),
            lambda step, values: found.append(values["dev/loss"]),
        )  # fmt: skip
    assert found[0] == found[1]


@pytest.mark.parametrize(("name", "dropout"), [("simcse", True), ("sscp", False)])
def test_only_where_positives_are_the_anchors_has_a_validation_dropout(
    name: str, dropout: bool, params: Path, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = load(params, "encoder", "train", name)
    system = registry.create(name, sections.encoder, sections.train, getattr(sections, name))
    real, modes = system.loss, list[bool]()

    def loss(batch: Batch) -> dict[str, torch.Tensor]:
        modes.append(system.semantic.training)
        return real(batch)

    monkeypatch.setattr(system.train(not dropout), "loss", loss)
    validate(system, Examples(triplets, "dev"), [np.arange(12)], Progress(), lambda step, values: None)
    assert modes == [dropout]


def test_a_judge_gives_curves_and_changes_no_byte(params: Path, triplets: Path, tmp_path: Path) -> None:
    sections = load(params, "encoder", "train", "simcse")
    seen: list[int] = []
    curves: list[tuple[int, dict[str, float]]] = []

    def judge(system: System) -> dict[str, float]:
        seen.append(len(system.embed([Side("The cat saw the dog.", (), ())])["semantic"]))
        return {"semantic.stsb.dev.spearman": float(len(seen))}

    def run(name: str, judge: Judge | None) -> str:
        pretrain(
            "simcse", 5, triplets, tmp_path / name, lambda step, values: curves.append((step, values)),
            Settings(sections.encoder, sections.train, sections.simcse), judge=judge,
        )  # fmt: skip
        return sha256(tmp_path / name / "model.safetensors")

    judged = run("judged", judge)
    found = [(step, values) for step, values in curves if "judged/semantic.stsb.dev.spearman" in values]
    assert [step for step, _ in found] == [0, 4, 8, 12]
    assert [list(values.values()) for _, values in found] == [[1.0], [2.0], [3.0], [4.0]]
    assert judged == run("plain", None)


def test_triplet_accuracy_of_known_cosines_in_which_a_tie_counts_against_the_model(
    params: Path, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The random model of the other tests has nearly all in order, whatever is compared with what."""
    sections = load(params, "encoder", "train", "simcse")
    system = registry.create("simcse", sections.encoder, sections.train, sections.simcse)
    examples = Examples(triplets, "dev").batch(range(3))
    sides = [*examples.anchors, *examples.positives, *examples.anchors, examples.anchors[0]]
    owners, cosines = [0, 1, 2, 0], [1, 1, -1, 0.75, 0.75, -0.5, 0.5, 0.875, -0.5, 0.625]
    vectors = np.array([[each, np.sqrt(1 - each**2)] for each in cosines], dtype=np.float32)
    # By the views on either side alone, all would be ties.
    same = np.tile(np.array([[1, 0]], dtype=np.float32), (len(vectors), 1))
    views = {"syntactic": same, "semantic": vectors, "structural": same, "joint": -vectors}
    monkeypatch.setattr(system, "embed", lambda _: views)
    batch = Batch(sides[:3], sides[3:6], sides[6:], owners)
    assert development_metric("triplet_accuracy", system, batch) == 0.5
    with pytest.raises(SynsemError, match="simcse finds no trees; set it to loss"):
        development_metric("las", system, batch)


def test_the_best_weights_are_those_of_the_best_metric(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    content = yaml.safe_load(params.read_text())
    content["train"] |= {"select": "triplet_accuracy", "evaluate_every": 2, "patience": 3, "steps": 30}
    params.write_text(yaml.safe_dump(content))
    seen: dict[int, dict[str, float]] = {}
    sections = load(params, "encoder", "train", "sscp")
    pretrain(
        "sscp", 13, triplets, tmp_path / "out", lambda step, values: seen.setdefault(step, {}).update(values),
        Settings(sections.encoder, sections.train, sections.sscp),
    )  # fmt: skip
    scores = {step: values["dev/triplet_accuracy"] for step, values in seen.items() if "dev/loss" in values}
    best = max(scores, key=lambda step: (scores[step], -step))  # the first of equals
    facts = json.loads((tmp_path / "out" / "training.json").read_text())
    assert facts["best_step"] == best
    assert facts["best_dev_triplet_accuracy"] == scores[best]
    assert facts["best_dev_loss"] == seen[best]["dev/loss"]
    assert facts["steps"] == min(30, best + 2 * 3)
    found = registry.load(tmp_path / "out")
    batch = Examples(triplets, "dev").batch(range(12))
    assert development_metric("triplet_accuracy", found, batch) == pytest.approx(scores[best])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("since", [0, 8])
@pytest.mark.parametrize("select", ["loss", "triplet_accuracy"])
def test_a_development_loss_that_is_not_finite_is_an_error(
    select: str, since: int, value: float, params: Path, triplets: Path, tmp_path: Path, scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """From the first pass on, whose weights are untrained, or later; the training loss stays as it is."""
    content = yaml.safe_load(params.read_text())
    content["train"] |= {"select": select, "evaluate_every": 4, "steps": 12}
    params.write_text(yaml.safe_dump(content))
    sections = load(params, "encoder", "train", "simcse")
    real, step = distributed.whole_batch_loss, [0]

    def damaged(learner: object, batch: Batch) -> dict[str, torch.Tensor]:
        losses = real(learner, batch)  # type: ignore[arg-type]
        in_validation = not torch.is_grad_enabled()
        return losses | {"loss": torch.tensor(value)} if in_validation and step[0] >= since else losses

    def log(number: int, values: dict[str, float]) -> None:
        step[0] = number

    monkeypatch.setattr(distributed, "whole_batch_loss", damaged)
    with pytest.raises(SynsemError, match=f"the development loss of step {since} is not finite"):
        pretrain(
            "simcse", 13, triplets, tmp_path / "out", log,
            Settings(sections.encoder, sections.train, sections.simcse),
        )  # fmt: skip
    assert not (tmp_path / "out").exists()


def simcse(params: Path, **changes: Any) -> System:
    sections = load(params, "encoder", "train", "simcse")
    settings = sections.train.model_copy(update=changes)
    return registry.create("simcse", sections.encoder, settings, sections.simcse)


def test_a_validation_reads_as_many_development_examples_as_it_is_told(
    params: Path, triplets: Path, tmp_path: Path
) -> None:
    read: list[int] = []

    class Watched(Examples):
        def batch(self, numbers: Any) -> Batch:
            read.extend(np.asarray(numbers).tolist())
            return super().batch(numbers)

    system = simcse(params, dev_examples=5, steps=1)
    dev = Watched(triplets, "dev")
    train(system, Examples(triplets, "train"), dev, 1, Checkpoints(tmp_path), lambda step, values: None)
    assert len(dev) == 12
    assert len(read) == 2 * 5  # before the step and after it


def test_the_loss_that_is_told_is_that_of_the_best_weights_and_not_the_lowest(
    params: Path, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = simcse(params, select="mrr")
    found = iter([(1.0, 0.5), (3.0, 0.75), (2.0, 0.25)])  # loss and mrr
    now = [0.0]

    def metric(*_: object) -> float:
        return now[0]

    def loss(batch: Batch) -> dict[str, torch.Tensor]:
        value, now[0] = next(found)
        return {"loss": torch.tensor(value)}

    monkeypatch.setattr("pipeline.training.validation.development_metric", metric)
    monkeypatch.setattr(system, "loss", loss)
    progress, dev = Progress(), Examples(triplets, "dev")
    for _ in range(3):
        validate(system, dev, [np.arange(12)], progress, lambda step, values: None)
    assert (progress.best_score, progress.best_loss) == (0.75, 3.0)


def test_a_development_metric_is_of_the_examples_of_all_batches(
    params: Path, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = simcse(params, select="mrr")
    dev, judged = Examples(triplets, "dev"), list[list[str]]()

    def metric(name: str, system: System, batch: Batch) -> float:
        judged.append([side.text for side in batch.anchors])
        return 0.5

    monkeypatch.setattr("pipeline.training.validation.development_metric", metric)
    validate(system, dev, [np.arange(9), np.arange(9, 12)], Progress(), lambda step, values: None)
    assert judged == [[side.text for side in dev.batch(range(12)).anchors]]
