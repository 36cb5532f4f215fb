"""One update: rates, clipping, precision, compilation, determinism; and on a GPU, told without one."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch.fx.experimental import _config
from transformers import masking_utils

from pipeline.nn import compute as amp
from pipeline.systems.base import Batch, System
from pipeline.training import distributed
from pipeline.training.batches import Anchors, Examples
from pipeline.training.checkpoint import Checkpoints
from pipeline.training.loop import adamw, forward_backward, schedule, train, train_step
from pipeline.training.run import pretrain
from tests.training.conftest import SYSTEMS, Build, nothing, settings_of


@pytest.fixture
def batch(triplets: Path) -> Batch:
    return Examples(triplets, "train").batch(range(8))


def test_the_rate_rises_and_falls_linearly() -> None:
    expected = [0.5, 1, 1, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125]
    assert [schedule(step, 10, 0.2) for step in range(10)] == pytest.approx(expected)
    assert [schedule(step, 10, 0.2, falls=False) for step in range(10)] == [0.5] + [1] * 9


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_the_gradient_is_clipped_as_it_is_and_not_as_it_is_scaled(
    precision: str, build: Build, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amp, "effective_precision", lambda device, kind: kind)
    monkeypatch.setattr("pipeline.training.loop._LARGEST_GRADIENT", 0.01)
    system = build("sscp")
    scaler = amp.grad_scaler(system.device, precision)
    before = [p.detach().clone() for p in system.parameters()]
    train_step(system, batch, torch.optim.SGD(system.parameters(), lr=1.0), scaler)
    moved = [(p - b).flatten() for p, b in zip(system.parameters(), before, strict=True)]
    assert torch.cat(moved).norm().item() == pytest.approx(0.01, rel=1e-3)


def test_groups_have_their_rates_and_no_decay_of_vectors_and_new_tables(build: Build) -> None:
    system = build("sscp", {"weight_decay": 0.25}, learning_rate=0.1, bias_learning_rate=0.2)
    names = {id(parameter): name for name, parameter in system.named_parameters()}
    groups = {
        names[id(parameter)]: group for group in adamw(system).param_groups for parameter in group["params"]
    }
    tables = {name for name in groups if name.startswith(("syntactic.bias.", "syntactic.position."))}
    vectors = {name for name, p in system.named_parameters() if name in groups and p.ndim < 2}
    assert any(system.get_parameter(name).ndim > 1 for name in tables)
    assert {name for name, group in groups.items() if group["weight_decay"] == 0} == tables | vectors
    rates = {name: group["full_lr"] for name, group in groups.items()}
    assert {rate for name, rate in rates.items() if name.startswith("syntactic.bias.")} == {0.2}
    assert {rate for name, rate in rates.items() if name.startswith("semantic.")} == {0.1}


def test_each_step_is_announced_and_draws_other_dropout(
    build: Build, triplets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(seed: int, process: int = 0) -> list[tuple[str, float]]:
        monkeypatch.setattr(distributed, "rank", lambda: process)
        system, events = build(steps=4), list[tuple[str, float]]()
        real = system.loss

        def loss(batch: Batch) -> dict[str, torch.Tensor]:
            if torch.is_grad_enabled():
                events.append(("chance", torch.rand(1).item()))
            return real(batch)

        monkeypatch.setattr(system, "loss", loss)
        monkeypatch.setattr(system, "begin_step", lambda step: events.append(("begin", step)))
        splits = Examples(triplets, "train"), Examples(triplets, "dev")
        train(system, *splits, seed, Checkpoints(tmp_path), nothing)
        return events

    events = run(1)
    assert events[::2] == [("begin", step) for step in range(4)]
    chances = {chance for _, chance in events[1::2]}
    assert len(chances) == 4
    assert run(1) == events
    assert chances.isdisjoint(chance for _, chance in run(2)[1::2])
    assert chances.isdisjoint(chance for _, chance in run(1, process=1)[1::2])


def test_fp16_scales_the_loss_and_skips_an_overflow(
    build: Build, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amp, "effective_precision", lambda device, kind: kind)  # torch can emulate it
    system = build("sscp", {"precision": "fp16"})
    optimizer, scaler = adamw(system), amp.grad_scaler(system.device, "fp16")
    before = {name: value.clone() for name, value in system.state_dict().items()}
    scaler.scale(torch.zeros(1))  # makes the scale
    scaler.update(2.0**120)  # overflows: no update, and a smaller scale
    train_step(system, batch, optimizer, scaler)
    assert all(torch.equal(before[name], value) for name, value in system.state_dict().items())
    assert scaler.get_scale() == 2.0**119
    scaler.update(2.0**8)
    first = train_step(system, batch, optimizer, scaler)["loss"]
    for _ in range(4):
        last = train_step(system, batch, optimizer, scaler)["loss"]
    assert last < first


def test_every_operation_of_a_run_has_a_deterministic_form(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    try:
        settings = settings_of(params, "sscp", {"deterministic": True}, steps=2)
        pretrain("sscp", 1, triplets, tmp_path / "out", nothing, settings)
        assert torch.are_deterministic_algorithms_enabled()
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.fixture
def meta(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The device ``meta``, whose tensors have no values, for a GPU; autocast does not know it."""
    for name in ("_ignore_bidirectional_mask_sdpa", "_ignore_causal_mask_sdpa"):
        monkeypatch.setattr(masking_utils, name, lambda *_, **__: False)  # transformers' own look at padding
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda *_: False)
    with _config.patch(meta_nonzero_assume_all_nonzero=True):
        yield


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_step_mixes_no_devices_and_reads_no_value(
    name: str, build: Callable[..., System], triplets: Path, meta: None
) -> None:
    system, examples = build(name), Examples(triplets, "train")
    system.prepare(Anchors(examples))
    system = system.to("meta")
    system.begin_training()
    system.begin_step(10**6)
    losses = forward_backward(system.train(), examples.batch(range(12)))
    assert losses["loss"].device.type == "meta"
    assert any(parameter.grad is not None for parameter in system.parameters())
