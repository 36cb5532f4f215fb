"""The training loop: one for all systems, on one process or several."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import numpy as np
import torch

from pipeline.errors import SynsemError
from pipeline.nn.gather import gather_rows, world_size
from pipeline.nn.gradcache import Losses, Representations, backward_in_chunks
from pipeline.progress import track
from pipeline.seeding import rank as number_of
from pipeline.systems.base import Batch, Learner, System
from pipeline.training import batches, curriculum, ranks
from pipeline.training.batches import Numbers
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.examples import Examples
from pipeline.training.modes import compile_encoders
from pipeline.training.optimiser import adamw, set_rate
from pipeline.training.parts import chunks, share
from pipeline.training.precision import autocast, grad_scaler
from pipeline.training.selection import development_metric

Log = Callable[[int, dict[str, float]], None]  # step, and values by name (train/loss, dev/loss, ...)


def train(
    system: System, examples: Examples, dev: Examples, seed: int, checkpoints: Checkpoints, log: Log
) -> Progress:
    """Train a system in place and leave it with the weights that did best on the development examples.

    Stops after ``train.steps`` steps or ``train.patience`` looks at the development examples without a gain.
    With none of these the last weights stay. The same seed gives the same weights on the same machine,
    interrupted or not. Raises SynsemError where examples are too few or the loss is not finite.
    """
    params = system.schedule()
    torch.manual_seed(seed)
    ranks.same_start(system)
    system.begin_training()
    if params.compile:
        compile_encoders(system)
    optimiser, scaler = adamw(system, params), grad_scaler(system.device, params.precision)
    progress = checkpoints.restore(system, optimiser, scaler)
    if progress.step and ranks.rank() == 0:
        print(f"train {system.name}: continues at step {progress.step}", file=sys.stderr)
    for step, values in progress.history:
        log(step, values)

    limits = batches.Limits(params.batch_size, params.batch_words)
    plan = batches.stream(examples.texts(), examples.lengths(), limits, seed)
    plan = islice(plan, progress.step * params.accumulate, None)
    look = batches.in_order(dev.texts()[: params.dev_examples], dev.lengths(), limits)
    if progress.step == 0:
        evaluate(system, dev, look, progress, log)
    steps: Iterable[int] = range(progress.step, params.steps)
    if ranks.rank() == 0:
        steps = track(steps, f"train {system.name}", note=lambda: progress.cost)
    for step in steps:
        if progress.stale >= params.patience:
            break
        system.begin_step(step)
        rate = set_rate(optimiser, step, params)
        hardest = curriculum.allowed_hardness(step, params)
        update = [examples.batch(numbers, hardest) for numbers in islice(plan, params.accumulate)]
        torch.manual_seed(number_of(seed, "dropout", str(step), str(ranks.rank())))
        with progress.cost.step(system.tokeniser, update):
            losses = train_step(system, update, optimiser, scaler)
        progress.step += 1
        note(progress, log, "train", losses | {"rate": rate} | curriculum.values(hardest, update))
        if progress.step % params.evaluate_every == 0 or progress.step == params.steps:
            evaluate(system, dev, look, progress, log)
            note(progress, log, "cost", progress.cost.rates(system.device))
        checkpoints.save_if_due(progress, system, optimiser, scaler)
    if progress.best:
        system.load_state_dict(progress.best)
    system.eval()
    return progress


def train_step(
    system: System, update: Sequence[Batch], optimiser: torch.optim.Optimizer, scaler: torch.amp.GradScaler
) -> dict[str, float]:
    """One update from the mean gradient of a few batches; their mean losses before it, by name.

    Where a system has a rival, the rival is updated first, on the same batches, with the rest frozen, and
    then the rest with the rival frozen: two updates, whose moments the one optimiser keeps. Parameters
    without a gradient are passed over by it.
    """
    system.train()
    rival = system.rival
    if rival is None:
        return one_update(system, system, update, optimiser, scaler)
    theirs = set(rival.module.parameters())
    with frozen([parameter for parameter in system.parameters() if parameter not in theirs]):
        losses = one_update(system, rival, update, optimiser, scaler)
    with frozen(theirs):
        return {rival.name: losses["loss"]} | one_update(system, system, update, optimiser, scaler)


def one_update(
    system: System,
    learner: Learner,
    update: Sequence[Batch],
    optimiser: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
) -> dict[str, float]:
    """Move the parameters of ``system`` that are not frozen by the loss of ``learner``."""
    means: dict[str, float] = {}
    for batch in update:
        losses = forward_backward(system, batch, lambda loss: scaler.scale(loss / len(update)), learner)
        for name, loss in losses.items():
            means[name] = means.get(name, 0.0) + loss.item() / len(update)
    if not math.isfinite(means["loss"]):
        raise SynsemError("train: the loss is no longer finite; lower train.learning_rate or raise train.tau")
    parameters = [parameter for parameter in system.parameters() if parameter.requires_grad]
    ranks.average_gradients(parameters)
    scaler.unscale_(optimiser)
    torch.nn.utils.clip_grad_norm_(parameters, system.settings.train.clip)
    scaler.step(optimiser)
    scaler.update()
    optimiser.zero_grad(set_to_none=True)
    return means


@contextmanager
def frozen(parameters: Iterable[torch.nn.Parameter]) -> Iterator[None]:
    """Within, the parameters get no gradient; afterwards those that did before do again."""
    learning = [parameter for parameter in parameters if parameter.requires_grad]
    for parameter in learning:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in learning:
            parameter.requires_grad_(True)


def forward_backward(
    system: System,
    batch: Batch,
    scale: Callable[[torch.Tensor], torch.Tensor] = lambda loss: loss,
    learner: Learner | None = None,
) -> Losses:
    """Losses of a batch, and the gradient of ``scale`` of its ``loss``, added to that of the parameters.

    The losses are those of ``learner``, which is the system itself unless another is given.
    """
    params = system.settings.train
    learner = learner or system

    def context() -> torch.autocast:
        return autocast(system.device, params.precision)

    if params.chunk:
        parts = chunks(share(batch), params.chunk)
        return backward_in_chunks(parts, learner.represent, joint_objective(learner), scale, context)
    with context():
        losses = joint_loss(learner, batch)
    scale(losses["loss"]).backward()
    return losses


def joint_loss(learner: Learner, batch: Batch) -> Losses:
    """Losses of the whole batch, of which each process represents its share."""
    if world_size() == 1:
        return learner.loss(batch)
    return joint_objective(learner)(learner.represent(share(batch)))


def joint_objective(learner: Learner) -> Callable[[Representations], Losses]:
    """The objective over every process's representations."""
    return lambda representations: learner.objective(gather_rows(representations))


@torch.no_grad()
def evaluate(system: System, dev: Examples, look: Sequence[Numbers], progress: Progress, log: Log) -> None:
    """Mean development losses over the same batches at every look; remembers the best weights."""
    if not look:
        return
    params, values = system.settings.train, dict[str, float]()
    count = sum(len(numbers) for numbers in look)
    system.train(system.dropout_in_dev)
    torch.manual_seed(ranks.rank())  # where there is dropout, the same at every look
    with progress.cost.look(), autocast(system.device, params.precision):
        for numbers in look:
            for name, loss in joint_loss(system, dev.batch(numbers)).items():
                values[name] = values.get(name, 0.0) + loss.item() * len(numbers) / count
        if params.select != "loss" and params.select not in values:
            values[params.select] = development_metric(params.select, system, dev.batch(np.concatenate(look)))
    values = ranks.agreed(values, system.device)
    note(progress, log, "dev", values)
    progress.stale += 1
    score = -values["loss"] if params.select == "loss" else values[params.select]
    if progress.best_score is None or score > progress.best_score:
        progress.best_score, progress.best_step, progress.stale = score, progress.step, 0
        progress.best_loss = values["loss"]
        progress.best = {name: value.detach().clone() for name, value in system.state_dict().items()}


def note(progress: Progress, log: Log, part: str, values: dict[str, float]) -> None:
    """Log values under ``part/`` and keep them for the curves of a resumed run."""
    named = {f"{part}/{name}": value for name, value in values.items()}
    progress.history.append((progress.step, named))
    log(progress.step, named)
