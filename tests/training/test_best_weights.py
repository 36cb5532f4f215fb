"""Validation: what it measures, and that a run leaves the weights of its best one, bit by bit."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import Batch, Losses, System
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.examples import Examples
from pipeline.training.loop import train
from pipeline.training.validation import validate

Weights = dict[str, torch.Tensor]
BY_STEP = {0: 5.0, 2: 3.0, 4: 1.0, 6: 1.0, 8: 4.0}  # development losses: best at 4, and again at 6


def create(params: Path, **changed: object) -> System:
    sections = load(params, "encoder", "train", "simcse")
    torch.manual_seed(13)
    return registry.create(
        "simcse", sections.encoder, sections.train.model_copy(update=changed), sections.simcse
    )


def in_validation(system: System, loss: Callable[[Batch], float]) -> None:
    """Give the system this development loss; its training loss stays."""
    real = system.loss

    def replaced(batch: Batch) -> Losses:
        return real(batch) if torch.is_grad_enabled() else {"loss": torch.tensor(loss(batch))}

    system.loss = replaced  # type: ignore[method-assign]


def same(a: Weights, b: Weights) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def run(
    params: Path, triplets: Path, folder: Path, stop: int | None = None
) -> tuple[System, Progress, dict[int, Weights]]:
    """A system after a run with the losses ``BY_STEP``, and its weights at each validation."""
    system = create(params, steps=8, evaluate_every=2)
    at, seen = [0], dict[int, Weights]()

    def log(step: int, values: dict[str, float]) -> None:
        at[0] = step
        if "dev/loss" in values:
            seen[step] = {name: value.clone() for name, value in system.state_dict().items()}
        if step == stop:
            raise KeyboardInterrupt

    in_validation(system, lambda _: BY_STEP[at[0]])
    examples, dev = Examples(triplets, "train"), Examples(triplets, "dev")
    return system, train(system, examples, dev, 7, Checkpoints(folder, 0), log), seen


def test_a_run_leaves_the_weights_of_its_first_best_validation(
    params: Path, triplets: Path, tmp_path: Path
) -> None:
    system, progress, seen = run(params, triplets, tmp_path)
    assert progress.best_step == 4
    assert same(system.state_dict(), seen[4])
    assert not any(same(seen[4], seen[step]) for step in (0, 2, 6, 8))


def test_a_run_that_was_killed_after_its_best_validation_still_leaves_those_weights(
    params: Path, triplets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(params, triplets, tmp_path / "killed", stop=6)
    expected, _, _ = run(params, triplets, tmp_path / "whole")
    resumed, progress, _ = run(params, triplets, tmp_path / "killed")
    assert "continues at step 5" in capsys.readouterr().err
    assert progress.best_step == 4
    assert same(resumed.state_dict(), expected.state_dict())


def test_patience_begins_with_the_last_phase(params: Path, triplets: Path, tmp_path: Path) -> None:
    """What is trained in that phase alone cannot have improved before."""
    system = create(params, steps=12, evaluate_every=1, patience=3)
    system.phase = lambda step: int(step >= 6)  # type: ignore[method-assign]
    in_validation(system, lambda _: 5.0)
    found = train(
        system, Examples(triplets, "train"), Examples(triplets, "dev"), 7, Checkpoints(tmp_path), nothing
    )
    assert found.step == 9


def nothing(step: int, values: dict[str, float]) -> None:
    """A log."""


def test_every_development_example_counts_the_same_whatever_its_batch(params: Path, triplets: Path) -> None:
    system = create(params)
    in_validation(system, lambda batch: float(len(batch.anchors)))
    dev, found = Examples(triplets, "dev"), dict[str, float]()
    validate(system, dev, [torch.arange(9).numpy(), torch.arange(9, 12).numpy()], Progress(),
             lambda step, values: found.update(values))  # fmt: skip
    assert found["dev/loss"] == pytest.approx((9 * 9 + 3 * 3) / 12)
