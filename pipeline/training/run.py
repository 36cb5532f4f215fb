"""Pretraining, from a folder of examples to a folder with a model."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch

from pipeline.core import scratch
from pipeline.core.atomic import atomic_folder, demand_own, exclusive_lock
from pipeline.core.errors import SynsemError
from pipeline.core.store import read_object, shards, write_json
from pipeline.core.tracked import named_content
from pipeline.nn.amp import effective_precision
from pipeline.systems import registry
from pipeline.systems.base import Settings, System
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.curves import Log
from pipeline.training.distributed import process_group, rank, world_size
from pipeline.training.examples import Examples
from pipeline.training.loop import train
from pipeline.training.validation import Judge

# Parameters of ``train`` that decide how long it takes, and nothing of what is trained.
_FREE = {"read_ahead", "readers"}
# Those that decide only what ``Plan`` says of each step.
_LENGTH = {"steps", "evaluate_every", "warmup", "warmup_steps", "schedule", "decay"}
# What this stage and its export write into a model's folder.
_MODEL = (
    *("training.json", "config.json", "model.safetensors", "tokenizer"),
    *("README.md", "sentence-transformer", "sentence-transformer-joint"),
)

# Called with the trained system, its folder and the facts of its training.
Export = Callable[[System, Path, Mapping[str, Any]], None]


def pretrain(
    name: str,
    seed: int,
    triplets: Path,
    out: Path,
    log: Log,
    settings: Settings,
    checkpoint_seconds: float = 120.0,
    export: Export | None = None,
    judge: Judge | None = None,
) -> dict[str, Any]:
    """Train the system ``name``; write the model and ``training.json`` to ``out``, all or nothing.

    A run that was killed continues from its last checkpoint, if examples, parameters, code, kind of device
    and number of processes are still the same. Under ``torchrun`` the processes train together and the first
    one writes. ``export`` adds folders for other libraries to the model's. ``judge`` gives further curves,
    ``judged/NAME``, and changes nothing else. Returns ``Cost.table``.
    """
    _demand_replaceable(out, name)  # now, and not after the training
    params = settings.train
    extends = params.schedule == "wsd"
    with process_group() as device, determinism(params.deterministic), ExitStack() as held:
        key = _key(name, seed, triplets, settings, extends, device)
        home = scratch.folder(f"pretrain-{name}-{seed}", key)
        first = rank() == 0
        if first:
            held.enter_context(exclusive_lock(home))
        examples, dev = Examples(triplets, "train"), Examples(triplets, "dev")
        torch.manual_seed(seed)
        system = registry.create(name, settings.encoder, params, settings.system)
        system.prepare(examples.anchors())
        system = system.to(device)
        checkpoints = Checkpoints(home, checkpoint_seconds)
        progress = train(system, examples, dev, seed, checkpoints, log, judge)
        cost = progress.cost.table(device)
    if not first:
        return cost

    system = system.cpu()
    facts = {
        "system": name,
        "seed": seed,
        "steps": progress.step,
        "best_step": progress.best_step,
        "best_dev_loss": progress.best_loss,
        "examples": {"train": len(examples), "dev": len(dev)},
        "parameters": sum(parameter.numel() for parameter in system.parameters()),
        "device": device.type,
        "precision": effective_precision(device, params.precision),
    }
    if params.select != "loss":
        facts[f"best_dev_{params.select}"] = progress.best_score
    with atomic_folder(out, *_MODEL) as folder:
        registry.save(system, folder)
        write_json(folder / "training.json", facts)
        if export is not None:
            export(system, folder, facts)
    if extends:  # what a longer run continues from stays, until it has lain there for a week
        checkpoints.forget_last()
    else:
        scratch.discard(home)
    print(f"pretrain {name}: {_summary(progress, cost)}", file=sys.stderr)
    return cost


def _key(
    name: str, seed: int, triplets: Path, settings: Settings, extends: bool, device: torch.device
) -> str:
    """A digest of all that decides a run; with ``extends``, of all but its length.

    Then runs that may continue each other share a folder; how far they do, ``Plan.digest`` tells.
    """
    encoder, system = settings.encoder, settings.system
    train_params = settings.train.model_dump_json(exclude=_FREE | _LENGTH if extends else _FREE)
    own = system.model_dump_json(exclude=set(registry.length_keys(name))) if extends else system
    return scratch.key(
        shards(triplets), encoder, train_params, own, name, seed,
        device.type, torch.__version__, world_size(), *named_content(encoder, system),
    )  # fmt: skip


def _demand_replaceable(out: Path, name: str) -> None:
    """Raise SynsemError where a model of the system ``name`` may not be written to ``out``."""
    demand_own(out, *_MODEL)
    facts = out / "training.json"
    other = read_object(facts).get("system") if facts.exists() else None
    if other != name and (out / "config.json").exists():
        raise SynsemError(
            f"{out}: holds a model of {other or 'another program'}, which would be deleted; name a new folder"
        )


@contextmanager
def determinism(wanted: bool) -> Iterator[None]:
    """Within, the same input gives the same bits on a GPU too; an operation that cannot do so is an error."""
    before = torch.are_deterministic_algorithms_enabled()
    if wanted:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
        torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        if wanted:  # the call alone takes a second
            torch.use_deterministic_algorithms(before)


def _summary(progress: Progress, cost: dict[str, Any]) -> str:
    change = "no development loss"
    if progress.best_loss is not None:
        before = progress.history[0][1]["dev/loss"]
        change = f"development loss {before:.3f} -> {progress.best_loss:.3f} at step {progress.best_step}"
    return (
        f"{progress.step} steps, {cost['seconds']:.0f} s on {cost['device']} "
        f"({cost['tokens_per_second']:,.0f} tokens/s, padding {cost['padding']:.0%}, "
        f"peak memory {cost['peak_memory_mb']:,.0f} MB); {change}"
    )
