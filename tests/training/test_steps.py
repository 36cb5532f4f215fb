"""One update: accumulation, precision, compilation, determinism."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.nn import amp
from pipeline.nn.kernels import plain_attention
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import Batch, System
from pipeline.training import checkpoint, distributed
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.cost import Cost
from pipeline.training.examples import Examples
from pipeline.training.loop import compile_encoders, forward_backward, train, train_step
from pipeline.training.optimizer import adamw, set_learning_rate
from pipeline.training.run import determinism
from pipeline.training.schedule import Plan

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


def test_each_step_of_a_run_takes_accumulate_batches(build: Build, triplets: Path, tmp_path: Path) -> None:
    taken: list[int] = []

    class Counted(Examples):
        def batch(self, numbers: Any) -> Batch:
            taken.append(len(numbers))
            return super().batch(numbers)

    system = build("simcse", accumulate=3, steps=4)
    splits = Counted(triplets, "train"), Examples(triplets, "dev")
    progress = train(system, *splits, 1, Checkpoints(tmp_path), lambda step, values: None)
    assert progress.step == 4
    assert taken == [8] * 12
    assert progress.cost.examples == 96


def norm_of_update(system: System, batch: Batch, scaler: torch.amp.GradScaler) -> float:
    """How far one step of gradient descent at rate 1 moves the parameters."""
    before = [p.detach().clone() for p in system.parameters()]
    train_step(system, [batch], torch.optim.SGD(system.parameters(), lr=1.0), scaler)
    moved = [(p - b).flatten() for p, b in zip(system.parameters(), before, strict=True)]
    return torch.cat(moved).norm().item()


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_the_gradient_is_clipped_as_it_is_and_not_as_it_is_scaled(
    precision: str, build: Build, batches: list[Batch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amp, "effective_precision", lambda device, kind: kind)
    system = build(clip=0.01, precision="fp32")
    scaler = amp.grad_scaler(system.device, precision)
    assert scaler.is_enabled() == (precision == "fp16")
    assert norm_of_update(system, batches[0], scaler) == pytest.approx(0.01, rel=1e-3)


def test_vectors_and_new_tables_have_no_weight_decay_and_matrices_have(build: Build) -> None:
    system = build(weight_decay=0.25)
    names = {id(parameter): name for name, parameter in system.named_parameters()}
    decay = {
        names[id(parameter)]: group["weight_decay"]
        for group in adamw(system, system.settings.train).param_groups
        for parameter in group["params"]
    }
    tables = {name for name in decay if name.startswith(("syntactic.bias.", "syntactic.position."))}
    vectors = {name for name, p in system.named_parameters() if name in decay and p.ndim < 2}
    assert any(system.get_parameter(name).ndim > 1 for name in tables)
    assert len(vectors) > 10
    assert {name for name, value in decay.items() if value == 0} == tables | vectors
    assert {decay[name] for name in decay.keys() - tables - vectors} == {0.25}


def test_each_group_learns_at_its_share_of_the_rate(build: Build) -> None:
    system = build(learning_rate=0.5, steps=10, warmup_steps=4)
    optimizer = adamw(system, system.settings.train)
    assert set_learning_rate(optimizer, 1, system.settings.train) == 0.25
    rates = {group["lr_scale"]: group["lr"] for group in optimizer.param_groups}
    assert len(rates) > 2
    assert rates == {share: 0.25 * share for share in rates}


def test_a_system_is_told_each_step_before_it_and_has_another_dropout_in_each(
    build: Build, triplets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(seed: int, process: int = 0) -> list[tuple[str, float]]:
        monkeypatch.setattr(distributed, "rank", lambda: process)
        system, events = build("simcse", steps=4), list[tuple[str, float]]()
        real = system.loss

        def loss(batch: Batch) -> dict[str, torch.Tensor]:
            if torch.is_grad_enabled():
                events.append(("chance", torch.rand(1).item()))
            return real(batch)

        monkeypatch.setattr(system, "loss", loss)
        monkeypatch.setattr(system, "begin_step", lambda step: events.append(("begin", step)))
        splits = Examples(triplets, "train"), Examples(triplets, "dev")
        train(system, *splits, seed, Checkpoints(tmp_path), lambda step, values: None)
        return events

    events = run(1)
    assert events[::2] == [("begin", step) for step in range(4)]
    chances = {chance for _, chance in events[1::2]}
    assert len(chances) == 4
    assert run(1) == events
    assert chances.isdisjoint(chance for _, chance in run(2)[1::2])
    assert chances.isdisjoint(chance for _, chance in run(1, process=1)[1::2])


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
    assert checkpoints.restore(system, optimizer, other, Plan(system.settings.train)).step == 5
    assert other.state_dict() == scaler.state_dict()


def test_a_checkpoint_that_breaks_off_leaves_the_one_before(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = build("simcse")
    rest = system, adamw(system, system.settings.train), amp.grad_scaler(system.device, "fp32")
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    checkpoints = Checkpoints(folder, 0)
    checkpoints.save_if_due(Progress(step=5), *rest)

    def breaks_off(tensors: object, path: Path, metadata: object) -> None:
        Path(path).write_bytes(b"half")
        raise RuntimeError("no space left")

    monkeypatch.setattr("safetensors.torch.save_file", breaks_off)
    with pytest.raises(SynsemError, match="could not be written"):
        checkpoints.save_if_due(Progress(step=6), *rest)
    assert [path.name for path in folder.iterdir()] == ["checkpoint.safetensors"]
    assert checkpoints.restore(*rest, Plan(system.settings.train)).step == 5


def test_a_checkpoint_is_saved_at_most_every_so_many_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, saved = [100.0], list[float]()
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(checkpoint, "save", lambda *_: saved.append(now[0]))
    checkpoints = Checkpoints(tmp_path, 10)
    for now[0] in (100.0, 109.0, 110.0, 111.0, 119.0, 125.0, 130.0, 135.0):
        checkpoints.save_if_due(Progress(), None, None, None)  # type: ignore[arg-type]
    assert saved == [110.0, 125.0, 135.0]


def test_a_checkpoint_keeps_what_was_counted_and_no_reading_of_a_meter(build: Build, tmp_path: Path) -> None:
    """What the GPU uses between two attempts is not the run's."""
    system = build("simcse")
    rest = system, adamw(system, system.settings.train), amp.grad_scaler(system.device, "fp32")
    counted = Cost(step_seconds=3.0, tokens=5, joules=7.0, metered=40.0)
    Checkpoints(tmp_path, 0).save_if_due(Progress(step=5, cost=counted), *rest)
    restored = Checkpoints(tmp_path).restore(*rest, Plan(system.settings.train))
    assert restored.cost == Cost(step_seconds=3.0, tokens=5, joules=7.0)


def test_processes_that_see_different_checkpoints_are_an_error(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = build("simcse")
    rest = system, adamw(system, system.settings.train), amp.grad_scaler(system.device, "fp32")
    with monkeypatch.context() as second:
        second.setattr(checkpoint, "rank", lambda: 1)
        Checkpoints(tmp_path, 0).save_if_due(Progress(step=4), *rest)
    assert not list(tmp_path.glob("*.safetensors"))  # the first process alone saves
    Checkpoints(tmp_path, 0).save_if_due(Progress(step=5), *rest)
    monkeypatch.setattr(checkpoint, "broadcast", lambda values, device: {"step": 0.0})
    with pytest.raises(SynsemError, match="do not see the same checkpoint; set SYNSEM_SCRATCH"):
        Checkpoints(tmp_path).restore(*rest, Plan(system.settings.train))


@pytest.mark.slow
def test_compiled_encoders_give_the_same_losses_and_names(build: Build, batches: list[Batch]) -> None:
    plain, compiled = build(), build()
    names = list(compiled.state_dict())
    # A back end that finds the graphs alone: to trace their gradients, too, takes four times as long.
    compile_encoders(compiled, "eager")
    assert list(compiled.state_dict()) == names
    for batch in batches:
        expected = forward_backward(plain.eval(), batch)["loss"]
        found = forward_backward(compiled.eval(), batch)["loss"]
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(gradients(compiled), gradients(plain), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("wanted", [True, False])
def test_encoders_are_compiled_while_they_train_and_no_longer(
    wanted: bool, build: Build, triplets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stand_in(module: Any, **settings: object) -> None:
        module._compiled_call_impl = module._call_impl

    monkeypatch.setattr(torch.nn.Module, "compile", stand_in)
    system, compiled = build("simcse", steps=2, compile=wanted), set[bool]()
    encode = system.encode

    def watched(batch: Batch) -> Any:
        compiled.add(system.semantic.model._compiled_call_impl is not None)
        return encode(batch)

    monkeypatch.setattr(system, "encode", watched)
    splits = Examples(triplets, "train"), Examples(triplets, "dev")
    train(system, *splits, 1, Checkpoints(tmp_path), lambda step, values: None)
    assert compiled == {wanted}
    assert system.semantic.model._compiled_call_impl is None
    assert not system.training


def test_deterministic_mode_is_on_within_and_off_afterwards(
    build: Build, triplets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    with determinism(False):
        assert not torch.are_deterministic_algorithms_enabled()
    with determinism(True):
        assert torch.are_deterministic_algorithms_enabled()
        train(  # every operation of the model has a deterministic form
            build(steps=2, deterministic=True), Examples(triplets, "train"), Examples(triplets, "dev"), 1,
            Checkpoints(tmp_path), lambda step, values: None,
        )  # fmt: skip
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("chunk", [None, 3])
def test_a_cpu_trains_with_plain_attention_and_infers_with_any(
    build: Build, batches: list[Batch], chunk: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = build("simcse", chunk=chunk)
    encode, seen = system.encode, list[bool]()

    def watched(batch: Any) -> Any:
        seen.append(F.scaled_dot_product_attention is plain_attention)
        return encode(batch)

    monkeypatch.setattr(system, "encode", watched)
    forward_backward(system.train(), batches[0])
    assert len(seen) == (1 if chunk is None else 6)  # each of three chunks once without a graph
    assert all(seen)
    assert F.scaled_dot_product_attention is not plain_attention


def test_rates_and_batches_are_those_of_the_systems_own_schedule(
    params: Path, triplets: Path, tmp_path: Path
) -> None:
    """Of ``synsem`` with twice the steps and examples: else the rate would be 0 half of the time."""
    sections = load(params, "encoder", "train", "synsem")
    settings = sections.train.model_copy(update={"steps": 4, "batch_size": 8, "learning_rate": 0.5})
    changed = {"steps": 2.0, "batch": 2.0, "dimensions": 8, "pointer_size": 8}
    own = sections.synsem.model_copy(update=changed)
    read, rates = list[int](), list[float]()

    class Watched(Examples):
        def batch(self, numbers: Any) -> Batch:
            read.append(len(numbers))
            return super().batch(numbers)

    def log(step: int, values: dict[str, float]) -> None:
        rates.extend(value for name, value in values.items() if name == "train/rate")

    system = registry.create("synsem", sections.encoder, settings, own)
    train(system, Watched(triplets, "train"), Examples(triplets, "dev"), 1, Checkpoints(tmp_path), log)
    assert read == [16] * 8
    assert rates == pytest.approx([0.5, *(0.5 * left / 7 for left in range(7, 0, -1))])
