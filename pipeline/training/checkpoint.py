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

from pipeline.core.atomic import atomic_path
from pipeline.core.errors import SynsemError
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.systems.base import Batch, System
from pipeline.training.distributed import all_reduce_sum, broadcast, rank, world_size

Weights = dict[str, torch.Tensor]
Log = Callable[[int, dict[str, float]], None]  # step, and values by name (train/loss, dev/loss, ...)


@dataclass
class Cost:
    """What training costs: sums since the first step, of this process; a run that continues adds to them."""

    step_seconds: float = 0.0
    validation_seconds: float = 0.0
    examples: int = 0  # of all processes
    tokens: int = 0  # encoded in steps; a second pass, such as a teacher's or GradCache's, counts again
    padded_tokens: int = 0  # the same, padding included

    @contextmanager
    def training(self, tokenizer: SentenceTokenizer, batch: Batch) -> Iterator[None]:
        """Count what happens within as a training step on a batch."""
        began, tokens, padded = time.perf_counter(), tokenizer.tokens, tokenizer.padded_tokens
        yield
        self.step_seconds += time.perf_counter() - began
        self.tokens += tokenizer.tokens - tokens
        self.padded_tokens += tokenizer.padded_tokens - padded
        self.examples += len(batch.anchors)

    @contextmanager
    def validation(self) -> Iterator[None]:
        """Count the time of what happens within as validation."""
        began = time.perf_counter()
        yield
        self.validation_seconds += time.perf_counter() - began

    def __str__(self) -> str:
        return f"{self.tokens * world_size() / max(self.step_seconds, 1e-9):,.0f} tokens/s"

    def table(self, device: torch.device) -> dict[str, Any]:
        """Return sums, rates and the machine they were measured on: the content of ``cost.json``.

        Tokens are those of all processes; seconds and memory are this process's.
        """
        tokens, padded = all_reduce_sum([self.tokens, self.padded_tokens], device)
        seconds = max(self.step_seconds, 1e-9)
        return asdict(self) | {
            "seconds": self.step_seconds + self.validation_seconds,
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
            "threads": torch.get_num_threads(),
            "processes": world_size(),
            "tokens": int(tokens),
            "padded_tokens": int(padded),
            "tokens_per_second": tokens / seconds,
            "examples_per_second": self.examples / seconds,
            "padding": 1 - tokens / max(padded, 1),
            "peak_memory_mb": peak_memory(device) / 1e6,
        }


def peak_memory(device: torch.device) -> int:
    """Return the most bytes this process held: torch's GPU memory, or main memory without a GPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # kilobytes on Linux


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
    """Saves into ``folder`` at most every ``seconds``.

    If several processes train, the first one saves and all restore, so all must see the same folder.
    """

    def __init__(self, folder: Path, seconds: float = 120.0) -> None:
        self.path, self.seconds, self._last = folder / "checkpoint.safetensors", seconds, time.monotonic()

    def save_if_due(
        self, progress: Progress, system: System, optimizer: Optimizer, scaler: GradScaler
    ) -> None:
        """Save, if this process does so and the last time is long enough ago."""
        if rank() == 0 and time.monotonic() - self._last >= self.seconds:
            save(self.path, progress, system, optimizer, scaler)
            self._last = time.monotonic()

    def restore(self, system: System, optimizer: Optimizer, scaler: GradScaler) -> Progress:
        """Return the saved progress, with weights, optimizer and loss scale restored; or a new one.

        Raises SynsemError if the processes see different checkpoints, or one that cannot be read.
        """
        progress = restore(self.path, system, optimizer, scaler) if self.path.exists() else Progress()
        if broadcast({"step": float(progress.step)}, system.device)["step"] != progress.step:
            raise SynsemError(
                f"{self.path}: the processes do not see the same checkpoint; "
                "set SYNSEM_SCRATCH to a folder that all of them share"
            )
        return progress


def save(path: Path, progress: Progress, system: System, optimizer: Optimizer, scaler: GradScaler) -> None:
    """Write everything to one safetensors file, atomically."""
    from safetensors.torch import save_file

    tensors = {f"model.{name}": value for name, value in system.state_dict().items()}
    tensors |= {f"best.{name}": value for name, value in progress.best.items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": value for name, value in state.items()}
    facts = {name: value for name, value in vars(progress).items() if name != "best"}
    facts |= {"cost": asdict(progress.cost), "scaler": scaler.state_dict()}
    with atomic_path(path) as partial:
        contiguous = {name: tensor.contiguous() for name, tensor in tensors.items()}
        save_file(contiguous, partial, metadata={"progress": json.dumps(facts)})


def restore(path: Path, system: System, optimizer: Optimizer, scaler: GradScaler) -> Progress:
    """Load what ``save`` wrote into system, optimizer and scaler; SynsemError if the file is damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as stream:
            facts = json.loads(stream.metadata()["progress"])
            tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118 - not a mapping
        system.load_state_dict(_under("model.", tensors))
    except (OSError, SafetensorError, LookupError, TypeError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise SynsemError(f"{path}: not a readable checkpoint ({reason}); delete it and run again") from error
    moments: dict[int, Weights] = {}
    for name, value in _under("optimizer.", tensors).items():
        number, _, what = name.partition(".")
        moments.setdefault(int(number), {})[what] = value
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    scaler.load_state_dict(facts.pop("scaler"))
    facts["history"] = [(step, values) for step, values in facts["history"]]
    return Progress(**facts | {"cost": Cost(**facts["cost"]), "best": _under("best.", tensors)})


def _under(prefix: str, tensors: Weights) -> Weights:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
