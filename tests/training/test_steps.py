"""One update: accumulation, precision, compilation, determinism."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from pipeline.nn import amp
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import Batch, System
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.examples import Examples
from pipeline.training.loop import compile_encoders, forward_backward, train, train_step
from pipeline.training.optimizer import adamw
from pipeline.training.run import determinism

Build = Callable[..., System]


@pytest.fixture
def build(params: Path) -> Build:
    def make(name: str = "sscp", **changed: Any) -> System:
        sections = load(params, "encoder", "train", name)
        settings = sections.train.model_copy(update=changed)
        return registry.create(name, sections.encoder, settings, getattr(sections, name))

    return make


@pytest.fixture
def batches(triplets: Path) -> list[Batch]:
    examples = Examples(triplets, "train")
    return [examples.batch(range(start, start + 8)) for start in (0, 8)]


def gradients(system: System) -> list[torch.Tensor]:
    return [p.grad.clone() for p in system.parameters() if p.grad is not None]


def test_accumulated_batches_give_the_mean_of_their_gradients(
    build: Build, batches: list[Batch], monkeypatch: pytest.MonkeyPatch
) -> None:
    system = build(clip=1e9).eval()
    monkeypatch.setattr(system, "train", lambda mode=True: system)  # no dropout, so that they compare
    singles, losses = [], []
    for batch in batches:
        losses.append(forward_backward(system, batch)["loss"].item())
        singles.append(gradients(system))
        system.zero_grad()
    sgd = torch.optim.SGD(system.parameters(), lr=1.0)
    before = [p.detach().clone() for p in system.parameters()]
    means = train_step(system, batches, sgd, amp.grad_scaler(system.device, "fp32"))
    assert means["loss"] == pytest.approx(sum(losses) / 2, abs=1e-5)
    moved = [b - p for b, p in zip(before, system.parameters(), strict=True) if not torch.equal(b, p)]
    expected = [(a + b) / 2 for a, b in zip(*singles, strict=True)]
    expected = [each for each in expected if each.any()]
    torch.testing.assert_close(moved, expected, atol=1e-5, rtol=1e-4)


def test_each_step_of_a_run_takes_accumulate_batches(build: Build, triplets: Path) -> None:
    taken: list[int] = []

    class Counted(Examples):
        def batch(self, numbers: Any) -> Batch:
            taken.append(len(numbers))
            return super().batch(numbers)

    system = build("simcse", accumulate=3, steps=4)
    progress = train(
        system, Counted(triplets, "train"), Examples(triplets, "dev"), 1, Checkpoints(None), lambda s, v: None
    )
    assert progress.step == 4
    assert taken == [8] * 12
    assert progress.cost.examples == 96


def test_fp16_scales_the_loss_skips_an_overflow_and_keeps_its_scale(
    build: Build, batches: list[Batch], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert amp.effective_precision(torch.device("cpu"), "fp16") == "fp32"
    monkeypatch.setattr(amp, "effective_precision", lambda device, kind: kind)  # torch can emulate it
    system = build(precision="fp16", learning_rate=1e-3)
    optimizer, scaler = adamw(system, system.settings.train), amp.grad_scaler(system.device, "fp16")
    assert scaler.is_enabled()
    with amp.autocast(system.device, "fp16"):
        states = system.semantic.states(system.tokenizer(batches[0].anchors, trees=False))
        assert torch.is_autocast_enabled("cpu")
        assert torch.get_autocast_dtype("cpu") == torch.float16
    assert states.isfinite().all()
    before = {name: value.clone() for name, value in system.state_dict().items()}
    scaler.scale(torch.zeros(1))  # makes the scale
    scaler.update(2.0**120)  # overflows: no update, and a smaller scale
    train_step(system, batches[:1], optimizer, scaler)
    assert all(torch.equal(before[name], value) for name, value in system.state_dict().items())
    assert scaler.get_scale() == 2.0**119
    scaler.update(2.0**8)
    first = train_step(system, batches[:1], optimizer, scaler)["loss"]
    for _ in range(4):
        last = train_step(system, batches[:1], optimizer, scaler)["loss"]
    assert last < first

    checkpoints, other = Checkpoints(tmp_path, 0), amp.grad_scaler(system.device, "fp16")
    checkpoints.save_if_due(Progress(step=5), system, optimizer, scaler)
    assert checkpoints.restore(system, optimizer, other).step == 5
    assert other.state_dict() == scaler.state_dict()


@pytest.mark.slow
def test_compiled_encoders_give_the_same_losses_and_names(build: Build, batches: list[Batch]) -> None:
    plain, compiled = build(), build()
    names = list(compiled.state_dict())
    compile_encoders(compiled)
    assert list(compiled.state_dict()) == names
    for batch in batches:
        expected = forward_backward(plain.eval(), batch)["loss"]
        found = forward_backward(compiled.eval(), batch)["loss"]
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(gradients(compiled), gradients(plain), atol=1e-5, rtol=1e-4)


def test_deterministic_mode_is_on_within_and_off_afterwards(
    build: Build, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    with determinism(False):
        assert not torch.are_deterministic_algorithms_enabled()
    with determinism(True):
        assert torch.are_deterministic_algorithms_enabled()
        train(  # every operation of the model has a deterministic form
            build(steps=2, deterministic=True), Examples(triplets, "train"), Examples(triplets, "dev"), 1,
            Checkpoints(None), lambda step, values: None,
        )  # fmt: skip
    assert not torch.are_deterministic_algorithms_enabled()
