"""The training loop: one for all systems."""

import math
import sys
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.params import Train
from pipeline.progress import track
from pipeline.systems.base import Batch, System
from pipeline.training import batches
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.examples import Examples
from pipeline.training.optimiser import adamw, set_rate
from pipeline.training.precision import autocast

Log = Callable[[int, dict[str, float]], None]  # step, and values by name (train/loss, dev/loss, ...)


def train(
    system: System, examples: Examples, dev: Examples, seed: int, checkpoints: Checkpoints, log: Log
) -> Progress:
    """Train a system in place and leave it with the weights of the lowest development loss.

    Stops after ``train.steps`` steps or ``train.patience`` looks at the development loss without a fall. With
    no development examples the last weights stay. The same seed gives the same weights on the same machine,
    interrupted or not. Raises SynsemError where examples are too few or the loss is not finite.
    """
    params = system.settings.train
    torch.manual_seed(seed)
    system.begin_training()
    optimiser = adamw(system, params)
    progress = checkpoints.restore(system, optimiser)
    if progress.step:
        print(f"train {system.name}: continues at step {progress.step}", file=sys.stderr)
    for step, values in progress.history:
        log(step, values)

    plan = batches.stream(examples.texts(), examples.lengths(), params.batch_size, seed)
    look = batches.in_order(dev.texts()[: params.dev_examples], params.batch_size)
    if progress.step == 0:
        evaluate(system, dev, look, progress, log)
    left = islice(plan, progress.step, params.steps)
    for numbers in track(left, f"train {system.name}", total=params.steps - progress.step):
        if progress.stale >= params.patience:
            break
        rate = set_rate(optimiser, progress.step, params)
        losses = train_step(system, examples.batch(numbers), optimiser, params)
        progress.step += 1
        note(progress, log, {f"train/{name}": value for name, value in losses.items()} | {"train/rate": rate})
        if progress.step % params.evaluate_every == 0 or progress.step == params.steps:
            evaluate(system, dev, look, progress, log)
        checkpoints.save_if_due(progress, system, optimiser)
    if progress.best:
        system.load_state_dict(progress.best)
    system.eval()
    return progress


def train_step(
    system: System, batch: Batch, optimiser: torch.optim.Optimizer, params: Train
) -> dict[str, float]:
    """One update; the losses before it, by name."""
    system.train()
    with autocast(system.device, params.precision):
        losses = system.loss(batch)
    losses["loss"].backward()
    torch.nn.utils.clip_grad_norm_(system.parameters(), params.clip)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    values = {name: loss.item() for name, loss in losses.items()}
    if not math.isfinite(values["loss"]):
        raise SynsemError("train: the loss is no longer finite; lower train.learning_rate or raise train.tau")
    return values


@torch.no_grad()
def evaluate(
    system: System, dev: Examples, look: Sequence[NDArray[np.int64]], progress: Progress, log: Log
) -> None:
    """Mean development losses over the same batches at every look; remembers the best weights."""
    if not look:
        return
    system.train(system.dropout_in_dev)
    sums: dict[str, float] = {}
    with torch.random.fork_rng(), autocast(system.device, system.settings.train.precision):
        torch.manual_seed(0)  # where there is dropout, the same at every look
        for numbers in look:
            for name, loss in system.loss(dev.batch(numbers)).items():
                sums[name] = sums.get(name, 0.0) + loss.item() * len(numbers)
    count = sum(len(numbers) for numbers in look)
    values = {f"dev/{name}": value / count for name, value in sums.items()}
    note(progress, log, values)
    progress.stale += 1
    if progress.best_loss is None or values["dev/loss"] < progress.best_loss:
        progress.best_loss, progress.best_step, progress.stale = values["dev/loss"], progress.step, 0
        progress.best = {name: value.detach().clone() for name, value in system.state_dict().items()}


def note(progress: Progress, log: Log, values: dict[str, float]) -> None:
    """Log values and keep them for the curves of a resumed run."""
    progress.history.append((progress.step, values))
    log(progress.step, values)
