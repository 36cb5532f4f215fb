"""A training run on disk, whole and in one file: killed at any step, it continues to the same last bit.

Model, best weights so far, optimiser and random states are tensors; counters and curves are JSON in the
file's header. The schedule and the order of the examples are functions of step and seed and need not be kept.
"""

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch

from pipeline.errors import SynsemError
from pipeline.systems.base import System

Weights = dict[str, torch.Tensor]


@dataclass
class Progress:
    """How far a run is; all that the loop decides by."""

    step: int = 0
    best_loss: float | None = None
    best_step: int = 0
    stale: int = 0  # looks at the development loss since it last fell
    history: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    best: Weights = field(default_factory=dict, repr=False)


class Checkpoints:
    """Saves every ``seconds`` at most; ``None`` as the folder switches checkpoints off."""

    def __init__(self, folder: Path | None, seconds: float = 120.0) -> None:
        self.path = folder / "checkpoint.safetensors" if folder else None
        self.seconds, self._last = seconds, time.monotonic()

    def save_if_due(self, progress: Progress, system: System, optimiser: torch.optim.Optimizer) -> None:
        """Save, if the last time is long enough ago."""
        if self.path and time.monotonic() - self._last >= self.seconds:
            save(self.path, progress, system, optimiser)
            self._last = time.monotonic()

    def restore(self, system: System, optimiser: torch.optim.Optimizer) -> Progress:
        """The saved progress, with weights, optimiser and random states put back; else a fresh one."""
        return restore(self.path, system, optimiser) if self.path and self.path.exists() else Progress()


def save(path: Path, progress: Progress, system: System, optimiser: torch.optim.Optimizer) -> None:
    """Write everything to one safetensors file, atomically."""
    from safetensors.torch import save_file

    tensors = {f"model.{name}": value for name, value in system.state_dict().items()}
    tensors |= {f"best.{name}": value for name, value in progress.best.items()}
    for number, state in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{number}.{name}": value for name, value in state.items()}
    tensors["random.cpu"] = torch.get_rng_state()
    if system.device.type == "cuda":
        tensors["random.cuda"] = torch.cuda.get_rng_state(system.device)
    facts = asdict(progress) | {"best": None}
    partial = path.with_name(path.name + ".partial")
    try:
        save_file(
            {name: value.contiguous() for name, value in tensors.items()},
            partial,
            metadata={"progress": json.dumps(facts)},
        )
        partial.replace(path)
    except (OSError, RuntimeError) as error:
        partial.unlink(missing_ok=True)
        raise SynsemError(
            f"{path}: could not be written ({error}); free space or set SYNSEM_SCRATCH"
        ) from error


def restore(path: Path, system: System, optimiser: torch.optim.Optimizer) -> Progress:
    """Put a saved run back in place; see ``save``."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as stream:
            facts = json.loads(stream.metadata()["progress"])
            tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118 - not a mapping
    except (OSError, SafetensorError, KeyError) as error:
        raise SynsemError(f"{path}: not a readable checkpoint ({error}); delete it and run again") from error
    system.load_state_dict(_under("model.", tensors))
    moments: dict[int, Weights] = {}
    for name, value in _under("optimiser.", tensors).items():
        number, _, what = name.partition(".")
        moments.setdefault(int(number), {})[what] = value
    optimiser.load_state_dict({"state": moments, "param_groups": optimiser.state_dict()["param_groups"]})
    torch.set_rng_state(tensors["random.cpu"])
    if system.device.type == "cuda":
        torch.cuda.set_rng_state(tensors["random.cuda"], system.device)
    facts["history"] = [(step, values) for step, values in facts["history"]]
    return Progress(**facts | {"best": _under("best.", tensors)})


def _under(prefix: str, tensors: Weights) -> Weights:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
