"""Checkpoints: a run that is killed at any step continues to the same last bit.

A checkpoint is one safetensors file. Model, best weights so far and optimizer state are tensors; counters,
curves and the loss scale are JSON in the file's header. Learning rate, order of the examples and dropout are
functions of step, seed and process, and are not saved.
"""

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from torch.amp import GradScaler
from torch.optim import Optimizer

from pipeline.core.atomic import atomic_path
from pipeline.core.errors import SynsemError
from pipeline.systems.base import System
from pipeline.training.cost import Cost
from pipeline.training.curves import Log
from pipeline.training.distributed import broadcast, rank
from pipeline.training.schedule import Plan

Weights = dict[str, torch.Tensor]


@dataclass
class Progress:
    """State of a run, beside the weights: all that the loop decides by."""

    step: int = 0
    best_score: float | None = None  # by train.select; higher is better, so a loss counts negative
    best_loss: float | None = None  # development loss of the best weights
    best_step: int = 0
    evaluations_without_improvement: int = 0  # since the best one
    cost: Cost = field(default_factory=Cost)
    history: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    # ``Plan.digest`` of the steps so far, where a run of another length may continue from them.
    plan: str = ""
    best: Weights = field(default_factory=dict, repr=False)

    def record(self, log: Log, part: str, values: dict[str, float]) -> None:
        """Log values under ``part/`` and keep them, so that a run that continues writes its curves anew."""
        named = {f"{part}/{name}": value for name, value in values.items()}
        self.history.append((self.step, named))
        log(self.step, named)


class Checkpoints:
    """Saves into ``folder`` at most every ``seconds``.

    Where several processes train, the first one saves and all restore, so all must see the same folder. Runs
    of several lengths share a folder if their ``Plan`` ``extends``: then the state at each turn of the plan
    is kept beside the last one, and a run starts from the furthest state that it would have come to itself.
    """

    def __init__(self, folder: Path, seconds: float = 120.0) -> None:
        self.folder, self.path = folder, folder / "checkpoint.safetensors"
        self.seconds, self._last = seconds, time.monotonic()

    def due(self) -> bool:
        """Whether this process saves and the last save is at least ``seconds`` ago."""
        return rank() == 0 and time.monotonic() - self._last >= self.seconds

    def save_if_due(
        self, progress: Progress, system: System, optimizer: Optimizer, scaler: GradScaler
    ) -> None:
        """Save, if that is ``due``."""
        if self.due():
            save(self.path, progress, system, optimizer, scaler)
            self._last = time.monotonic()

    def keep_if_turn(
        self, progress: Progress, plan: Plan, system: System, optimizer: Optimizer, scaler: GradScaler
    ) -> None:
        """Keep the state for longer runs, if the next step is a turn of the plan."""
        if rank() != 0 or progress.step not in plan.turns:
            return
        path = self.folder / f"step-{progress.step}-{progress.plan}.safetensors"
        if not path.exists():
            save(path, progress, system, optimizer, scaler)

    def restore(self, system: System, optimizer: Optimizer, scaler: GradScaler, plan: Plan) -> Progress:
        """The saved progress, with weights, optimizer and loss scale restored; else a new one.

        Raises SynsemError where the processes see different checkpoints.
        """
        last = self.path if self.path.exists() else None
        path = self._furthest(plan) if plan.extends else last
        progress = restore(path, system, optimizer, scaler) if path else Progress()
        if broadcast({"step": float(progress.step)}, system.device)["step"] != progress.step:
            raise SynsemError(
                f"{self.path}: the processes do not see the same checkpoint; "
                "set SYNSEM_SCRATCH to a folder that all of them share"
            )
        return progress

    def forget_last(self) -> None:
        """Delete the last checkpoint, but nothing that is kept for longer runs."""
        self.path.unlink(missing_ok=True)

    def _furthest(self, plan: Plan) -> Path | None:
        """The file with the most steps of those that are the first steps of the plan, too."""
        found: dict[int, Path] = {}
        for path in sorted(self.folder.glob("*.safetensors")):
            step, digest = _step_and_plan(path)
            if step <= plan.params.steps and digest == plan.digest(step):
                found[step] = path
        return found[max(found)] if found else None


def _step_and_plan(path: Path) -> tuple[int, str]:
    """The steps behind a checkpoint and the digest of their plan; SynsemError where it is damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as stream:
            facts = json.loads(stream.metadata()["progress"])
        return int(facts["step"]), str(facts["plan"])
    except (OSError, SafetensorError, LookupError, TypeError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> SynsemError:
    reason = " ".join(str(error).split())
    return SynsemError(f"{path}: not a readable checkpoint ({reason}); delete it and run again")


def save(path: Path, progress: Progress, system: System, optimizer: Optimizer, scaler: GradScaler) -> None:
    """Write everything to one safetensors file, atomically."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    tensors = {f"model.{name}": value for name, value in system.state_dict().items()}
    tensors |= {f"best.{name}": value for name, value in progress.best.items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": value for name, value in state.items()}
    values = {name: value for name, value in vars(progress).items() if name != "best"}
    # Another process reads the meter anew.
    values |= {"cost": asdict(progress.cost) | {"metered": None}, "scaler": scaler.state_dict()}
    facts = json.dumps(values)
    try:
        with atomic_path(path) as partial:
            save_file(
                {name: tensor.contiguous() for name, tensor in tensors.items()},
                partial,
                metadata={"progress": facts, "checksum": _checksum(facts, tensors)},
            )
    except (RuntimeError, SafetensorError) as error:
        raise SynsemError(
            f"{path}: could not be written ({error}); free space or set SYNSEM_SCRATCH"
        ) from error


def restore(path: Path, system: System, optimizer: Optimizer, scaler: GradScaler) -> Progress:
    """Load what ``save`` wrote into system, optimizer and scaler; SynsemError where the file is damaged."""
    from safetensors import SafetensorError

    try:
        return _restore(path, system, optimizer, scaler)
    except (
        OSError,
        SafetensorError,
        LookupError,
        AttributeError,
        TypeError,
        ValueError,
        RuntimeError,
    ) as error:
        raise _damaged(path, error) from error


def _restore(path: Path, system: System, optimizer: Optimizer, scaler: GradScaler) -> Progress:
    from safetensors import safe_open

    with safe_open(path, framework="pt") as stream:
        written = stream.metadata()
        tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118 - not a mapping
    if written["checksum"] != _checksum(written["progress"], tensors):
        raise ValueError("its content does not have its checksum")
    facts = json.loads(written["progress"])
    system.load_state_dict(_under("model.", tensors))
    moments: dict[int, Weights] = {}
    for name, value in _under("optimizer.", tensors).items():
        number, _, what = name.partition(".")
        moments.setdefault(int(number), {})[what] = value
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    scaler.load_state_dict(facts.pop("scaler"))
    facts["history"] = [(step, values) for step, values in facts["history"]]
    return Progress(**facts | {"cost": Cost(**facts["cost"]), "best": _under("best.", tensors)})


def _checksum(facts: str, tensors: Weights) -> str:
    """Hex sha256 of the header's facts, and of the names and bytes of all tensors."""
    digest = hashlib.sha256(facts.encode())
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def _under(prefix: str, tensors: Weights) -> Weights:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
