"""A training run on disk, whole and in one file: killed at any step, it continues to the same last bit.

Model, best weights so far and optimiser state are tensors; counters, curves and the loss scale are JSON in
the file's header. Learning rate, order of the examples, curriculum and dropout are functions of step and seed
(and of the process, where several train together), and need not be kept.
"""

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from torch.amp import GradScaler
from torch.optim import Optimizer

from pipeline.errors import SynsemError
from pipeline.systems.base import System
from pipeline.training.cost import Cost
from pipeline.training.ranks import agreed, rank

Weights = dict[str, torch.Tensor]


@dataclass
class Progress:
    """How far a run is; all that the loop decides by."""

    step: int = 0
    best_score: float | None = None  # by train.select; higher is better, so a loss counts negative
    best_loss: float | None = None  # development loss of the best weights
    best_step: int = 0
    stale: int = 0  # looks at the development examples since the last gain
    cost: Cost = field(default_factory=Cost)
    history: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    best: Weights = field(default_factory=dict, repr=False)


class Checkpoints:
    """Saves every ``seconds`` at most; ``None`` as the folder switches checkpoints off.

    Where several processes train, the first saves and all restore, so they must see the same folder.
    """

    def __init__(self, folder: Path | None, seconds: float = 120.0) -> None:
        self.path = folder / "checkpoint.safetensors" if folder else None
        self.seconds, self._last = seconds, time.monotonic()

    def save_if_due(
        self, progress: Progress, system: System, optimiser: Optimizer, scaler: GradScaler
    ) -> None:
        """Save, if the last time is long enough ago."""
        if self.path and rank() == 0 and time.monotonic() - self._last >= self.seconds:
            save(self.path, progress, system, optimiser, scaler)
            self._last = time.monotonic()

    def restore(self, system: System, optimiser: Optimizer, scaler: GradScaler) -> Progress:
        """The saved progress, with weights and optimiser put back; else a fresh one."""
        found = self.path is not None and self.path.exists()
        progress = restore(self.path, system, optimiser, scaler) if self.path and found else Progress()
        if agreed({"step": float(progress.step)}, system.device)["step"] != progress.step:
            raise SynsemError(
                f"{self.path}: the processes do not see the same checkpoint; "
                "set SYNSEM_SCRATCH to a folder that all of them share"
            )
        return progress


def save(path: Path, progress: Progress, system: System, optimiser: Optimizer, scaler: GradScaler) -> None:
    """Write everything to one safetensors file, atomically."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    tensors = {f"model.{name}": value for name, value in system.state_dict().items()}
    tensors |= {f"best.{name}": value for name, value in progress.best.items()}
    for number, state in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{number}.{name}": value for name, value in state.items()}
    facts = {name: value for name, value in vars(progress).items() if name != "best"}
    facts |= {"cost": asdict(progress.cost), "scaler": scaler.state_dict()}
    partial = path.with_name(path.name + ".partial")
    try:
        save_file(
            {name: value.contiguous() for name, value in tensors.items()},
            partial,
            metadata={"progress": json.dumps(facts)},
        )
        partial.replace(path)
    except (OSError, RuntimeError, SafetensorError) as error:
        partial.unlink(missing_ok=True)
        raise SynsemError(
            f"{path}: could not be written ({error}); free space or set SYNSEM_SCRATCH"
        ) from error


def restore(path: Path, system: System, optimiser: Optimizer, scaler: GradScaler) -> Progress:
    """Put a saved run back in place; see ``save``. Raises SynsemError where the file is damaged."""
    from safetensors import SafetensorError

    try:
        return _restore(path, system, optimiser, scaler)
    except (
        OSError,
        SafetensorError,
        LookupError,
        AttributeError,
        TypeError,
        ValueError,
        RuntimeError,
    ) as error:
        reason = " ".join(str(error).split())
        raise SynsemError(f"{path}: not a readable checkpoint ({reason}); delete it and run again") from error


def _restore(path: Path, system: System, optimiser: Optimizer, scaler: GradScaler) -> Progress:
    from safetensors import safe_open

    with safe_open(path, framework="pt") as stream:
        facts = json.loads(stream.metadata()["progress"])
        tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118 - not a mapping
    system.load_state_dict(_under("model.", tensors))
    moments: dict[int, Weights] = {}
    for name, value in _under("optimiser.", tensors).items():
        number, _, what = name.partition(".")
        moments.setdefault(int(number), {})[what] = value
    optimiser.load_state_dict({"state": moments, "param_groups": optimiser.state_dict()["param_groups"]})
    scaler.load_state_dict(facts.pop("scaler"))
    facts["history"] = [(step, values) for step, values in facts["history"]]
    return Progress(**facts | {"cost": Cost(**facts["cost"]), "best": _under("best.", tensors)})


def _under(prefix: str, tensors: Weights) -> Weights:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
