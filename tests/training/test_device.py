"""What a step would wait for, or stumble over, on a GPU; told without one.

On the device ``meta`` tensors have no values. So a step there fails where the CPU reads a value of the model,
and where a tensor that was left in main memory meets one of the model.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.fx.experimental import _config
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import masking_utils

from pipeline.nn import amp
from pipeline.nn.inference import on_device
from pipeline.nn.tokenizer import pool_words
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import System
from pipeline.systems.upos.decoder import tag_losses
from pipeline.training.checkpoint import Checkpoints
from pipeline.training.examples import Examples
from pipeline.training.loop import compile_encoders, forward_backward, launch_step, train, undo_compile

Build = Callable[[str], System]
SYSTEMS = ["synsem", "sscp", "simcse", "cssl", "upos", "ebsim", "parabart"]


@pytest.fixture
def build(params: Path, triplets: Path) -> Build:
    def make(name: str) -> System:
        sections = load(params, "encoder", "train", name)
        settings = getattr(sections, name)
        if name == "ebsim":  # the tiny backbone has few positions
            settings = settings.model_copy(update={"max_tokens": 32})
        system = registry.create(name, sections.encoder, sections.train, settings)
        system.prepare(Examples(triplets, "train").anchors())
        return system

    return make


@pytest.fixture
def quiet_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers asks once a pass whether there is padding at all; that is not ours to change."""
    for name in ("_ignore_bidirectional_mask_sdpa", "_ignore_causal_mask_sdpa"):
        monkeypatch.setattr(masking_utils, name, lambda *_, **__: False)


@pytest.fixture
def meta(monkeypatch: pytest.MonkeyPatch, quiet_masks: None) -> Iterator[None]:
    """Autocast does not know the device ``meta``."""
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda *_: False)
    with _config.patch(meta_nonzero_assume_all_nonzero=True):
        yield


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_step_mixes_no_devices_and_reads_no_value(
    name: str, build: Build, triplets: Path, meta: None
) -> None:
    system = build(name).to("meta")
    system.begin_training()
    system.begin_step(10**6)
    losses = forward_backward(system.train(), Examples(triplets, "train").batch(range(12)))
    assert losses["loss"].device.type == "meta"
    assert any(parameter.grad is not None for parameter in system.parameters())


class Waits(TorchFunctionMode):
    """Notes which functions of the pipeline make the CPU wait for a GPU.

    That is a copy out of memory that is not pinned, and a mask in place of row numbers: how many rows it
    picks must be known before anything of that shape can be launched.
    """

    def __init__(self) -> None:
        self.found: set[str] = set()

    def __torch_function__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = operation(*args, **(kwargs or {}))
        given = args[0] if args else None
        here = isinstance(given, torch.Tensor) and given.device.type == "cpu"
        there = isinstance(result, torch.Tensor) and result.device.type == "meta"
        # What the result is made of without a word of Python: ``torch.tensor(rows, device=...)``.
        copied = there and (here or operation in (torch.tensor, torch.as_tensor, torch.from_numpy))
        if operation is torch.Tensor.__getitem__ and there:
            keys = args[1] if isinstance(args[1], tuple) else (args[1],)
            tensors = [key for key in keys if isinstance(key, torch.Tensor)]
            copied = copied or any(isinstance(key, list | np.ndarray) for key in keys)
            copied = copied or any(key.device.type == "cpu" or key.dtype == torch.bool for key in tensors)
        if copied:
            self._note()
        return result

    def _note(self) -> None:
        """Add the innermost function of the pipeline that is at work, unless that is ``on_device``."""
        frame = sys._getframe(2)
        while frame is not None and "pipeline" not in Path(frame.f_code.co_filename).parts:
            frame = frame.f_back
        if frame is not None and frame.f_code.co_name != "on_device":
            self.found.add(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}")


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_step_waits_for_no_copy(name: str, build: Build, triplets: Path, meta: None) -> None:
    system = build(name).to("meta")
    system.begin_training()
    system.begin_step(10**6)
    batch = Examples(triplets, "train").batch(range(12))
    with Waits() as waits:
        forward_backward(system.train(), batch)
    assert waits.found == set()


def test_an_update_is_launched_without_reading_a_loss(build: Build, triplets: Path, meta: None) -> None:
    system = build("sscp").to("meta")
    system.begin_training()
    plain = torch.optim.SGD(system.parameters())  # the fused AdamW is not known there
    batches = [Examples(triplets, "train").batch(range(start, start + 8)) for start in (0, 8)]
    losses = launch_step(system, batches, plain, amp.grad_scaler(torch.device("cpu"), "fp32"))
    assert losses["loss"].device.type == "meta"
    assert losses["loss"].dtype == torch.float64


def test_steps_are_logged_in_order_and_before_a_validation(
    build: Build, triplets: Path, tmp_path: Path
) -> None:
    seen: list[tuple[int, str]] = []
    train(
        build("simcse"), Examples(triplets, "train"), Examples(triplets, "dev"), 1, Checkpoints(tmp_path),
        lambda step, values: seen.append((step, next(iter(values)).partition("/")[0])),
    )  # fmt: skip
    expected = [(0, "dev")]
    for step in range(1, 13):
        expected += [(step, "train"), *([(step, "dev"), (step, "cost")] if step % 4 == 0 else [])]
    assert seen == expected


def test_what_main_memory_holds_stays_itself_on_a_cpu() -> None:
    tensor = torch.arange(3)
    assert on_device(tensor, "cpu") is tensor


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Operations seen that have no deterministic form on a GPU."""
    found: list[str] = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = operation.name()
            if "nll_loss2d" in name or ("cumsum" in name and args[0].is_floating_point()):
                found.append(name)
            return operation(*args, **(kwargs or {}))

    with Watch():
        yield found


def test_deterministic_mode_has_a_form_of_every_operation(refused: list[str]) -> None:
    words = torch.tensor([[-1, 0, 0, 1, -1]])
    states = torch.arange(10.0).view(1, 5, 2)
    assert pool_words(states, words, 2, "first").tolist() == [[[2.0, 3.0], [6.0, 7.0]]]
    tags = torch.tensor([[1, 2, -1]])
    losses = tag_losses(torch.zeros(1, 3, 18), tags.where(tags >= 0, torch.tensor(-100)))
    assert losses.loss.item() == pytest.approx(2 * 2.8903717578961645, rel=1e-6)
    assert refused == []


def test_encoders_are_compiled_by_inductor_for_any_shape(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, object]] = []
    monkeypatch.setattr(torch.nn.Module, "compile", lambda module, **settings: asked.append(settings))
    compile_encoders(build("sscp"))
    assert asked == 2 * [{"dynamic": True, "backend": "inductor"}]


def test_a_compiled_system_is_itself_again(build: Build) -> None:
    system = build("simcse")
    compile_encoders(system)
    undo_compile(system)
    assert system.semantic.model._compiled_call_impl is None
