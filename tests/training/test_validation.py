"""Validation: what it measures, and that a run leaves the weights of its best one."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.systems.base import Batch, Losses, System
from pipeline.training import distributed
from pipeline.training.batches import Examples
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.loop import train
from pipeline.training.run import pretrain
from pipeline.training.validation import development_metric, mean_reciprocal_rank, validate
from tests.training.conftest import Build, nothing, settings_of

BY_STEP = {0: 5.0, 2: 3.0, 4: 1.0, 6: 1.0, 8: 4.0}  # development losses: best at 4, and again at 6


@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_mean_reciprocal_rank_counts_by_hand(rows: int, columns: int, random: object) -> None:
    rng = np.random.default_rng(random.randrange(10**6))  # type: ignore[attr-defined]
    similarity = rng.integers(0, 3, (rows, columns)).astype(np.float32)
    own = rng.integers(0, columns, rows)
    ranks = [
        1 + sum(similarity[i, j] >= similarity[i, own[i]] for j in range(columns) if j != own[i])
        for i in range(rows)
    ]
    assert mean_reciprocal_rank(similarity, own) == pytest.approx(np.mean([1 / rank for rank in ranks]))


def test_metrics_are_those_counted_pair_by_pair(build: Build, triplets: Path) -> None:
    system, batch = build("sscp"), Examples(triplets, "dev").batch(range(12))
    views = [system.embed(group) for group in (batch.anchors, batch.positives, batch.negatives)]
    # Of all that is trained, and not of the sketch.
    a, p, n = (np.concatenate([each["semantic"], each["syntactic"]], axis=1) for each in views)
    right = [a[owner] @ p[owner] > a[owner] @ n[k] for k, owner in enumerate(batch.owners)]
    assert development_metric("triplet_accuracy", system, batch) == pytest.approx(np.mean(right))
    texts = [side.text for side in batch.positives]
    better = [
        {texts[j] for j in range(12) if texts[j] != texts[i] and a[i] @ p[j] > a[i] @ p[i]} for i in range(12)
    ]
    ranks = [1 + len(each) for each in better]  # of texts, some of which come twice
    assert development_metric("mrr", system, batch) == pytest.approx(np.mean([1 / rank for rank in ranks]))


@pytest.mark.parametrize("metric", ["triplet_accuracy", "mrr", "las"])
def test_a_metric_that_the_examples_cannot_give_is_refused(metric: str, build: Build, triplets: Path) -> None:
    anchors = Examples(triplets, "dev").batch(range(12)).anchors
    with pytest.raises(SynsemError, match=r"train\.select"):
        development_metric(metric, build(), Batch(anchors, anchors, [], []))


def test_a_tie_counts_against_triplet_accuracy(
    build: Build, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, examples = build(), Examples(triplets, "dev").batch(range(3))
    owners, cosines = [0, 1, 2, 0], [1, 1, -1, 0.75, 0.75, -0.5, 0.5, 0.875, -0.5, 0.625]
    vectors = np.array([[each, np.sqrt(1 - each**2)] for each in cosines], dtype=np.float32)
    monkeypatch.setattr(system, "embed", lambda _: {"semantic": vectors, "joint": -vectors})
    negatives = [*examples.anchors, examples.anchors[0]]
    batch = Batch(examples.anchors, examples.positives, negatives, owners)
    assert development_metric("triplet_accuracy", system, batch) == 0.5


@pytest.mark.parametrize(("name", "dropout"), [("simcse", True), ("sscp", False)])
def test_only_a_system_whose_positives_are_its_anchors_has_dropout(
    name: str, dropout: bool, build: Build, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = build(name)
    real, modes, found = system.loss, list[bool](), list[float]()

    def loss(batch: Batch) -> Losses:
        modes.append(system.semantic.training)
        return real(batch)

    monkeypatch.setattr(system.train(not dropout), "loss", loss)
    for seed in (1, 2):  # and it is the same each time
        torch.manual_seed(seed)
        dev = Examples(triplets, "dev"), [np.arange(12)]
        validate(system, *dev, Progress(), lambda step, values: found.append(values["dev/loss"]))
    assert modes == [dropout] * 2
    assert found[0] == found[1]


def in_validation(system: System, loss: Callable[[Batch], float]) -> System:
    """The system with this development loss; its training loss stays."""
    real = system.loss

    def replaced(batch: Batch) -> Losses:
        return real(batch) if torch.is_grad_enabled() else {"loss": torch.tensor(loss(batch))}

    system.loss = replaced  # type: ignore[method-assign]
    return system


def test_every_development_example_counts_the_same(build: Build, triplets: Path) -> None:
    system = in_validation(build(), lambda batch: float(len(batch.anchors)))
    dev, found = Examples(triplets, "dev"), dict[str, float]()
    validate(system, dev, [np.arange(9), np.arange(9, 12)], Progress(), lambda _, new: found.update(new))
    assert found["dev/loss"] == pytest.approx((9 * 9 + 3 * 3) / 12)


def test_a_run_leaves_the_weights_of_its_first_best_validation(
    build: Build, triplets: Path, tmp_path: Path
) -> None:
    at, seen = [0], dict[int, dict[str, torch.Tensor]]()

    def log(step: int, values: dict[str, float]) -> None:
        at[0] = step
        if "dev/loss" in values:
            seen[step] = {name: value.clone() for name, value in system.state_dict().items()}

    system = in_validation(build(train={"evaluate_every": 2}, steps=8), lambda _: BY_STEP[at[0]])
    splits = Examples(triplets, "train"), Examples(triplets, "dev")
    progress = train(system, *splits, 7, Checkpoints(tmp_path), log)
    assert progress.best_step == 4
    assert progress.best_loss == 1.0
    same = [
        step for step, weights in seen.items()
        if all(torch.equal(weights[name], value) for name, value in system.state_dict().items())
    ]  # fmt: skip
    assert same == [4]


def test_patience_begins_with_the_last_phase(build: Build, triplets: Path, tmp_path: Path) -> None:
    system = in_validation(build(train={"evaluate_every": 1, "patience": 3}), lambda _: 5.0)
    system.phase = lambda step: int(step >= 6)  # type: ignore[method-assign]
    splits = Examples(triplets, "train"), Examples(triplets, "dev")
    assert train(system, *splits, 7, Checkpoints(tmp_path), nothing).step == 9


def test_the_best_weights_are_those_of_the_best_metric(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    changed = {"select": "triplet_accuracy", "evaluate_every": 2, "patience": 3}
    seen: dict[int, dict[str, float]] = {}
    pretrain(
        "sscp", 13, triplets, tmp_path / "out", lambda step, values: seen.setdefault(step, {}).update(values),
        settings_of(params, "sscp", changed, steps=30),
    )  # fmt: skip
    scores = {step: values["dev/triplet_accuracy"] for step, values in seen.items() if "dev/loss" in values}
    best = max(scores, key=lambda step: (scores[step], -step))  # the first of equals
    facts = json.loads((tmp_path / "out" / "training.json").read_text())
    assert (facts["best_step"], facts["steps"]) == (best, min(30, best + 2 * 3))
    assert facts["best_dev_triplet_accuracy"] == scores[best]
    assert facts["best_dev_loss"] == seen[best]["dev/loss"]


@pytest.mark.parametrize("since", [0, 8])
def test_a_development_loss_that_is_not_finite_is_an_error(
    since: int, params: Path, triplets: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, step = distributed.whole_batch_loss, [0]

    def damaged(learner: object, batch: Batch) -> Losses:
        losses = real(learner, batch)  # type: ignore[arg-type]
        broken = not torch.is_grad_enabled() and step[0] >= since
        return losses | {"loss": torch.tensor(float("nan"))} if broken else losses

    monkeypatch.setattr(distributed, "whole_batch_loss", damaged)
    with pytest.raises(SynsemError, match=f"development loss of step {since}"):
        pretrain(
            "simcse", 13, triplets, tmp_path / "out", lambda number, _: step.__setitem__(0, number),
            settings_of(params, "simcse"),
        )  # fmt: skip
    assert not (tmp_path / "out").exists()
