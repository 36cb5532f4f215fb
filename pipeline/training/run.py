"""Pretraining, from a folder of examples to a folder with a model."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel

from pipeline import scratch
from pipeline.export.folders import export
from pipeline.nn.gather import world_size
from pipeline.output import claimed, replaced
from pipeline.params import Encoder, Parse, Train
from pipeline.store import shards, write_json
from pipeline.systems import registry
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.examples import Examples
from pipeline.training.loop import Log, train
from pipeline.training.modes import determinism
from pipeline.training.precision import effective
from pipeline.training.ranks import joined, rank


def pretrain(
    name: str,
    seed: int,
    triplets: Path,
    out: Path,
    log: Log,
    encoder: Encoder,
    train_params: Train,
    params: BaseModel,
    checkpoint_seconds: float = 120.0,
    parse: Parse | None = None,
) -> dict[str, Any]:
    """Train the system ``name`` and write it, its export and ``training.json`` to ``out``, all or nothing.

    A run that was killed goes on from its last checkpoint, if the examples, the parameters, the code, the
    kind of device and the number of processes are still the same. Under ``torchrun`` the processes train
    together and the first one writes. ``parse`` names the parser of exported views that read trees; without
    it none is exported. Returns what training took; see ``Cost.table``.
    """
    with joined() as device, determinism(train_params.deterministic), ExitStack() as held:
        key = scratch.key(
            shards(triplets), encoder, train_params, params, name, seed,
            device.type, torch.__version__, world_size(),
        )  # fmt: skip
        home = scratch.folder(f"pretrain-{name}-{seed}", key)
        first = rank() == 0
        if first:
            held.enter_context(claimed(home))
        examples, dev = Examples(triplets, "train"), Examples(triplets, "dev")
        torch.manual_seed(seed)
        system = registry.create(name, encoder, train_params, params)
        system.prepare(examples.anchors())
        system = system.to(device)
        progress = train(system, examples, dev, seed, Checkpoints(home, checkpoint_seconds), log)
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
        "precision": effective(device, train_params.precision),
    }
    if train_params.select != "loss":
        facts[f"best_dev_{train_params.select}"] = progress.best_score
    with replaced(out) as folder:
        registry.save(system, folder)
        write_json(folder / "training.json", facts)
        export(system, folder, facts, parse)
    scratch.discard(home)
    print(f"pretrain {name}: {_summary(progress, cost)}", file=sys.stderr)
    return cost


def _summary(progress: Progress, cost: dict[str, Any]) -> str:
    change = "no development examples"
    if progress.best_loss is not None:
        before = progress.history[0][1]["dev/loss"]
        change = f"development loss {before:.3f} -> {progress.best_loss:.3f} at step {progress.best_step}"
    return (
        f"{progress.step} steps, {cost['seconds']:.0f} s on {cost['device']} "
        f"({cost['tokens_per_second']:,.0f} tokens/s, padding {cost['padding']:.0%}, "
        f"peak memory {cost['peak_memory_mb']:,.0f} MB); {change}"
    )
