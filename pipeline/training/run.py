"""Pretraining, from a folder of examples to a folder with a model, its curves and what it cost."""

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch

from pipeline.core import store
from pipeline.core.parallel import scratch_folder, scratch_key
from pipeline.nn.compute import effective_precision
from pipeline.systems.base import Settings, System, registry
from pipeline.training.batches import Anchors, Examples
from pipeline.training.checkpoint import Checkpoints, Log
from pipeline.training.distributed import process_group, rank, world_size
from pipeline.training.loop import train

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
) -> dict[str, Any]:
    """Train the system ``name``; write the model and ``training.json`` to ``out``, all or nothing.

    A run that was killed continues from its last checkpoint, if examples, parameters, code, kind of device
    and number of processes are still the same. Under ``torchrun`` the processes train together and the first
    one writes. ``export`` adds folders for other libraries to the model's. Returns ``Cost.table``.
    """
    store.check_replaceable(out, *_MODEL)  # now, and not after the training
    params = settings.train
    if params.deterministic:  # the same bits on a GPU too; an operation that cannot do so is an error
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
        torch.use_deterministic_algorithms(True)
    named = [value for section in (settings.encoder, settings.system) for _, value in section]
    folders = [Path(value) for value in named if isinstance(value, str) and Path(value).is_dir()]
    with process_group() as device, ExitStack() as held:
        key = scratch_key(
            store.shards(triplets), settings.encoder, params, settings.system, name, seed,
            device.type, torch.__version__, world_size(), *map(store.folder_digest, folders),
        )  # fmt: skip
        home = scratch_folder(f"pretrain-{name}-{seed}", key)
        if rank() == 0:
            held.enter_context(store.exclusive_lock(home))
        examples, dev = Examples(triplets, "train"), Examples(triplets, "dev")
        own = settings.system
        if params.epochs:
            batch = min(own.batch_size, len(examples))
            own = own.model_copy(update={"steps": math.ceil(params.epochs * len(examples) / batch)})
        torch.manual_seed(seed)
        system = registry.create(name, settings.encoder, params, own)
        system.prepare(Anchors(examples))
        system = system.to(device)
        progress = train(system, examples, dev, seed, Checkpoints(home, checkpoint_seconds), log)
        cost, first = progress.cost.table(device), rank() == 0
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
    with store.atomic_folder(out, *_MODEL) as folder:
        registry.save(system, folder)
        store.write_json(folder / "training.json", facts)
        if export is not None:
            export(system, folder, facts)
    store.remove(home)
    print(
        f"pretrain {name}: {progress.step} steps, {cost['seconds']:.0f} s on {cost['device']} "
        f"({cost['tokens_per_second']:,.0f} tokens/s, peak memory {cost['peak_memory_mb']:,.0f} MB); "
        f"best at step {progress.best_step}, development loss {progress.best_loss}",
        file=sys.stderr,
    )
    return cost


@contextmanager
def curves(folder: Path) -> Iterator[Log]:
    """Give a log of scalars, as ``dvc plots`` and the report read them: call it with a step and values.

    Each value, such as ``train/loss``, has a table ``plots/metrics/train/loss.tsv`` of step and value, which
    grows with the run; at the end ``metrics.json`` gets the last values. The first call replaces the folder,
    so that a run which is refused before it has a value harms nothing. Raises SynsemError if the folder holds
    other files.
    """
    store.check_replaceable(folder, "metrics.json", "plots")
    last: dict[str, Any] = {}

    def log(step: int, values: dict[str, float]) -> None:
        if not last and folder.exists():
            for old in folder.iterdir():
                store.remove(old)
        for name, value in values.items():
            part, _, leaf = name.rpartition("/")
            path = folder / "plots" / "metrics" / part / f"{leaf}.tsv"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"step\t{leaf}\n", encoding="utf-8")
            with path.open("a", encoding="utf-8") as stream:
                stream.write(f"{step}\t{value}\n")
            last.setdefault(part, {})[leaf] = value
        last["step"] = step

    yield log
    folder.mkdir(parents=True, exist_ok=True)
    store.write_json(folder / "metrics.json", last)
