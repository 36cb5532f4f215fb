"""Checkpoints: a run that is killed at any step continues to the same last bit.

A checkpoint is one safetensors file. Model, best weights so far and optimizer state are tensors; counters,
curves and the loss scale are JSON in the file's header. Learning rate, order of the examples and dropout are
functions of step, seed and process, and are not saved.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.amp import GradScaler
from torch.optim import Optimizer

from pipeline.core.errors import SynsemError
from pipeline.core.store import atomic_path
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.systems.base import Batch, System
from pipeline.training import distributed

Weights = dict[str, torch.Tensor]
Log = Callable[[int, dict[str, float]], None]  # step, and values by name (train/loss, dev/loss, ...)


@dataclass
class Cost:
    """What the training steps cost: sums of this process; a run that continues adds to them."""

    seconds: float = 0.0
    examples: int = 0  # of all processes
    tokens: int = 0  # encoded; a second pass, such as a teacher's or GradCache's, counts again
    padded_tokens: int = 0  # the same, padding included

    @contextmanager
    def step(self, tokenizer: SentenceTokenizer, batch: Batch) -> Iterator[None]:
        """Count what happens within as a training step on a batch."""
        began, tokens, padded = time.perf_counter(), tokenizer.tokens, tokenizer.padded_tokens
        yield
        self.seconds += time.perf_counter() - began
        self.tokens += tokenizer.tokens - tokens
        self.padded_tokens += tokenizer.padded_tokens - padded
        self.examples += len(batch.anchors)

    def __str__(self) -> str:
        return f"{self.tokens * distributed.world_size() / max(self.seconds, 1e-9):,.0f} tokens/s"

    def table(self, device: torch.device) -> dict[str, Any]:
        """Return sums of this process, rates of all, and the machine: the content of ``cost.json``."""
        processes = distributed.world_size()
        gpu = device.type == "cuda"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return asdict(self) | {
            "device": torch.cuda.get_device_name(device) if gpu else device.type,
            "threads": torch.get_num_threads(),
            "processes": processes,
            "tokens_per_second": self.tokens * processes / max(self.seconds, 1e-9),
            "padding": 1 - self.tokens / max(self.padded_tokens, 1),
            "peak_memory_mb": (torch.cuda.max_memory_allocated(device) if gpu else peak) / 1e6,
        }


@dataclass
class Progress:
    """State of a run, next to the weights: all that the loop decides by."""

    step: int = 0
    best_score: float | None = None  # by train.select; higher is better, so a loss counts negative
    best_loss: float | None = None  # development loss of the best weights
    best_step: int = 0
    evaluations_without_improvement: int = 0  # since the best one
    cost: Cost = field(default_factory=Cost)
    history: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    best: Weights = field(default_factory=dict, repr=False)

    def record(self, log: Log, part: str, values: dict[str, float]) -> None:
        """Log values under ``part/`` and keep them, so that a run that continues writes its curves anew."""
        named = {f"{part}/{name}": value for name, value in values.items()}
        self.history.append((self.step, named))
        log(self.step, named)


class Checkpoints:
    """One file in ``folder``, saved at most every ``seconds``.

    If several processes train, the first one saves and all restore, so all must see the same folder.
    """

    def __init__(self, folder: Path, seconds: float = 120.0) -> None:
        self.path, self.seconds, self._last = folder / "checkpoint.safetensors", seconds, time.monotonic()

    def save_if_due(
        self, progress: Progress, system: System, optimizer: Optimizer, scaler: GradScaler
    ) -> None:
        """Save atomically, if this process does so and the last time is long enough ago."""
        if distributed.rank() > 0 or time.monotonic() - self._last < self.seconds:
            return
        from safetensors.torch import save_file

        tensors = {f"model.{name}": value for name, value in system.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in progress.best.items()}
        for number, state in optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": value for name, value in state.items()}
        facts = {name: value for name, value in vars(progress).items() if name != "best"}
        facts |= {"cost": asdict(progress.cost), "scaler": scaler.state_dict()}
        with atomic_path(self.path) as partial:
            contiguous = {name: tensor.contiguous() for name, tensor in tensors.items()}
            save_file(contiguous, partial, metadata={"progress": json.dumps(facts)})
        self._last = time.monotonic()

    def restore(self, system: System, optimizer: Optimizer, scaler: GradScaler) -> Progress:
        """Return the saved progress, with weights, optimizer and loss scale restored; or a new one.

        Raises SynsemError if the processes see different checkpoints.
        """
        progress = self._load(system, optimizer, scaler) if self.path.exists() else Progress()
        if distributed.broadcast({"step": progress.step}, system.device)["step"] != progress.step:
            raise SynsemError(
                f"{self.path}: the processes see different checkpoints; "
                "set SYNSEM_SCRATCH to a folder that all of them share"
            )
        return progress

    def _load(self, system: System, optimizer: Optimizer, scaler: GradScaler) -> Progress:
        from safetensors import safe_open

        parts: dict[str, Weights] = {"model": {}, "best": {}, "optimizer": {}}
        with safe_open(self.path, framework="pt") as stream:
            facts = json.loads(stream.metadata()["progress"])
            for name in stream.keys():  # noqa: SIM118 - not a mapping
                part, _, rest = name.partition(".")
                parts[part][rest] = stream.get_tensor(name)
        system.load_state_dict(parts["model"])
        moments: dict[int, Weights] = {}
        for name, value in parts["optimizer"].items():
            number, _, what = name.partition(".")
            moments.setdefault(int(number), {})[what] = value
        optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
        scaler.load_state_dict(facts.pop("scaler"))
        facts["history"] = [(step, values) for step, values in facts["history"]]
        return Progress(**facts | {"cost": Cost(**facts["cost"]), "best": parts["best"]})
