"""Validation: what it measures, and that a run leaves the weights of its best one."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.systems.base import Batch, Losses, System
from pipeline.training import distributed
from pipeline.training.batches import Examples
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.loop import train, validate
from pipeline.training.run import pretrain
from tests.training.conftest import Build, nothing, settings_of

BY_STEP = {0: 5.0, 2: 3.0, 4: 1.0, 6: 1.0, 8: 4.0}  # development losses: best at 4, and again at 6


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


def test_a_metric_that_the_system_lacks_is_refused(build: Build, triplets: Path) -> None:
    system = build(train={"select": "las"})
    with pytest.raises(SynsemError, match=r"train\.select"):
        validate(system, Examples(triplets, "dev"), [np.arange(4)], Progress(), nothing)
