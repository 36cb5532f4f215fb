"""Pretraining, from a folder of examples to a folder with a model."""

import shutil
import sys
import time
from pathlib import Path

import torch
from pydantic import BaseModel

from pipeline import scratch
from pipeline.params import Encoder, Train
from pipeline.store import shards, write_json
from pipeline.systems import registry
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.examples import Examples
from pipeline.training.export import export_sentence_transformer
from pipeline.training.loop import Log, train
from pipeline.training.precision import effective


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
) -> Progress:
    """Train the system ``name`` and write it, its export and ``training.json`` to ``out``, all or nothing.

    A run that was killed goes on from its last checkpoint, if the examples, the parameters, the code and the
    kind of device are still the same. Returns what the loop ended with.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    key = scratch.key(
        shards(triplets), encoder, train_params, params, name, seed, device.type, torch.__version__
    )
    home = scratch.folder(f"pretrain-{name}-{seed}", key)
    examples, dev = Examples(triplets, "train"), Examples(triplets, "dev")
    system = registry.create(name, encoder, train_params, params).to(device)
    began = time.monotonic()
    progress = train(system, examples, dev, seed, Checkpoints(home, checkpoint_seconds), log)
    seconds = time.monotonic() - began

    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    system = system.cpu()
    registry.save(system, partial)
    export_sentence_transformer(system, partial / "sentence-transformer")
    write_json(
        partial / "training.json",
        {
            "system": name,
            "seed": seed,
            "steps": progress.step,
            "best_step": progress.best_step,
            "best_dev_loss": progress.best_loss,
            "examples": {"train": len(examples), "dev": len(dev)},
            "parameters": sum(parameter.numel() for parameter in system.parameters()),
            "device": device.type,
            "precision": effective(device, train_params.precision),
        },
    )
    shutil.rmtree(out, ignore_errors=True)
    partial.replace(out)
    scratch.discard(home)
    change = "no development examples"
    if progress.best_loss is not None:
        before = progress.history[0][1]["dev/loss"]
        change = f"development loss {before:.3f} -> {progress.best_loss:.3f} at step {progress.best_step}"
    print(
        f"pretrain {name}: {progress.step} steps, {seconds:.0f} s on {device.type}; {change}", file=sys.stderr
    )
    return progress
