"""The training loop: one for all systems, on one process or several.

``train`` runs the steps, ``launch_step`` makes an update, ``forward_backward`` turns a batch into a gradient.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import torch

from pipeline.core.errors import SynsemError
from pipeline.core.progress import track
from pipeline.core.seeding import stable_hash
from pipeline.nn.amp import autocast, grad_scaler
from pipeline.nn.gradcache import backward_in_chunks
from pipeline.nn.kernels import attention_of_training
from pipeline.params import Train
from pipeline.systems.base import Batch, Learner, Losses, System
from pipeline.training import distributed
from pipeline.training.ahead import steps_ahead
from pipeline.training.batches import Limits, Numbers, in_order, stream
from pipeline.training.checkpoint import Checkpoints, Progress
from pipeline.training.curves import COST, Log
from pipeline.training.examples import Examples
from pipeline.training.optimizer import adamw, set_learning_rate
from pipeline.training.schedule import Plan
from pipeline.training.validation import Judge, judge_too, validate


def train(
    system: System,
    examples: Examples,
    dev: Examples,
    seed: int,
    checkpoints: Checkpoints,
    log: Log,
    judge: Judge | None = None,
) -> Progress:
    """Train a system in place and leave it with the weights that did best on the development examples.

    Stops after ``train.steps`` steps, or after ``train.patience`` validations without improvement, which
    count from the last phase on (``System.phase``): before it, much is not trained yet. Without
    development examples the last weights stay. The same seed gives the same weights on the same machine,
    interrupted or not, with or without a ``judge``, which is asked after each validation. Raises SynsemError
    where examples are too few, or the system cannot be trained in chunks or by several processes, before it
    logs anything; and where the loss is not finite.
    """
    params = system.schedule()
    if params.chunk or distributed.world_size() > 1:
        system.demand_parts()
    torch.manual_seed(seed)
    distributed.broadcast_weights(system)
    system.begin_training()
    if params.compile:
        compile_encoders(system)
    optimizer, scaler = adamw(system, params), grad_scaler(system.device, params.precision)
    plan = Plan(params, system.phase)
    progress = checkpoints.restore(system, optimizer, scaler, plan)
    progress.cost.read_meter(system.device)
    if progress.step and distributed.rank() == 0:
        print(f"train {system.name}: continues at step {progress.step}", file=sys.stderr)
    for step, values in progress.history:
        log(step, values)

    last_phase = system.phase(params.steps - 1)
    planned, dev_batches = _planned(system, examples, dev, params, seed)
    planned = islice(planned, progress.step * params.accumulate, None)
    if progress.step == 0:
        validate(system, dev, dev_batches, progress, log)
        judge_too(system, judge, progress, log)
    steps: Iterable[int] = range(progress.step, params.steps)
    ahead: tuple[Losses, float] | None = None  # a step that a GPU may still be at work on
    if distributed.rank() == 0:
        steps = track(steps, f"train {system.name}", note=lambda: progress.cost, unit="steps")
    with steps_ahead(system, examples, planned, range(progress.step, params.steps)) as ready:
        for step in steps:
            if progress.evaluations_without_improvement >= params.patience:
                break
            system.begin_step(step)
            rate = set_learning_rate(optimizer, step, params)
            torch.manual_seed(stable_hash(seed, "dropout", str(step), str(distributed.rank())))
            with progress.cost.training(system.tokenizer) as batches:
                batches += next(ready)
                losses = launch_step(system, batches, optimizer, scaler)
                if ahead is not None:
                    _settle(progress, log, *ahead)
                ahead = losses, rate
                evaluated = plan.validates(step)
                if evaluated or checkpoints.due() or step + 1 in plan.turns:
                    _settle(progress, log, *ahead)
                    ahead = None
            if evaluated:
                validate(system, dev, dev_batches, progress, log)
                if system.phase(step) != last_phase:
                    progress.evaluations_without_improvement = 0
                judge_too(system, judge, progress, log)
                progress.record(log, COST, progress.cost.rates(system.device))
            if ahead is None:
                progress.plan = plan.digest(progress.step) if plan.extends else ""
                checkpoints.keep_if_turn(progress, plan, system, optimizer, scaler)
                checkpoints.save_if_due(progress, system, optimizer, scaler)
    if progress.best:
        system.load_state_dict(progress.best)
    elif not all(value.isfinite().all() for value in system.state_dict().values()):
        raise _not_finite()
    if params.compile:
        undo_compile(system)
    system.eval()
    return progress


def _planned(
    system: System, examples: Examples, dev: Examples, params: Train, seed: int
) -> tuple[Iterator[Numbers], list[Numbers]]:
    """The batches to train on and those to validate on; what is odd of them is told on stderr."""
    limits = Limits(params.batch_size, params.batch_words)
    planned = stream(examples.texts(), examples.lengths(), limits, seed)
    dev_batches = in_order(dev.texts(), dev.lengths(), limits, params.dev_examples)
    odd = []
    if len(examples) < params.batch_size and params.batch_words is None:
        few = f"{len(examples)} training examples are fewer than a batch of {params.batch_size}"
        odd.append(f"{few}; batches are smaller")
    if not dev_batches:
        odd.append("no two development examples; the last weights stay")
    for each in odd if distributed.rank() == 0 else ():
        print(f"train {system.name}: {each}", file=sys.stderr)
    return planned, dev_batches


def _settle(progress: Progress, log: Log, losses: Losses, rate: float) -> None:
    """Wait for a step, count it and log it."""
    values = read_losses(losses)
    progress.step += 1
    progress.record(log, "train", values | {"rate": rate})


def train_step(
    system: System, batches: Sequence[Batch], optimizer: torch.optim.Optimizer, scaler: torch.amp.GradScaler
) -> dict[str, float]:
    """``launch_step``, and ``read_losses`` of what it gives."""
    return read_losses(launch_step(system, batches, optimizer, scaler))


def read_losses(losses: Losses) -> dict[str, float]:
    """The result of ``launch_step`` as numbers, once known; SynsemError if ``loss`` is not finite."""
    # One copy from the device for all of them.
    values = dict(zip(losses, torch.stack(list(losses.values())).tolist(), strict=True))
    if not math.isfinite(values["loss"]):
        raise _not_finite()
    return values


def _not_finite() -> SynsemError:
    return SynsemError("train: the loss is no longer finite; lower train.learning_rate or raise train.tau")


def launch_step(
    system: System, batches: Sequence[Batch], optimizer: torch.optim.Optimizer, scaler: torch.amp.GradScaler
) -> Losses:
    """One update from the mean gradient of a few batches; their mean losses before it, float64 scalars.

    Nothing here waits for a GPU, so that the next batch can be read meanwhile.

    A system's adversary is updated first, on the same batches, while the rest is frozen; then the rest is
    updated, while the adversary is frozen. One optimizer keeps the moments of both: it passes over parameters
    without a gradient.
    """
    system.train()
    adversary = system.adversary
    if adversary is None:
        return _update(system, system, batches, optimizer, scaler)
    theirs = set(adversary.module.parameters())
    with frozen([parameter for parameter in system.parameters() if parameter not in theirs]):
        losses = _update(system, adversary, batches, optimizer, scaler)
    with frozen(theirs):
        return {adversary.name: losses["loss"]} | _update(system, system, batches, optimizer, scaler)


def _update(
    system: System,
    learner: Learner,
    batches: Sequence[Batch],
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
) -> Losses:
    """Move the parameters of ``system`` that are not frozen by the loss of ``learner``."""
    means: Losses = {}
    for batch in batches:
        losses = forward_backward(system, batch, lambda loss: scaler.scale(loss / len(batches)), learner)
        for name, loss in losses.items():
            part = loss.detach().double() / len(batches)
            means[name] = means[name] + part if name in means else part
    parameters = [parameter for parameter in system.parameters() if parameter.requires_grad]
    distributed.average_gradients(parameters)
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(parameters, system.settings.train.clip)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    return means


def forward_backward(
    system: System,
    batch: Batch,
    scale: Callable[[torch.Tensor], torch.Tensor] = lambda loss: loss,
    learner: Learner | None = None,
) -> Losses:
    """Losses of a batch, and the gradient of ``scale`` of its ``loss``, added to that of the parameters.

    Where several processes train, each encodes its share of the batch. ``learner`` is the system, unless its
    adversary is named.
    """
    learner, params = learner or system, system.settings.train

    # An autocast of its own for each pass: autocast keeps the weights that it cast, without their gradient.
    @contextmanager
    def context() -> Iterator[None]:
        with autocast(system.device, params.precision), attention_of_training(system.device):
            yield

    if params.chunk:
        parts = distributed.parts_of_process(batch, params.chunk)
        return backward_in_chunks(
            parts, learner.encode, distributed.loss_over_processes(learner), scale, context
        )
    with context():
        losses = distributed.whole_batch_loss(learner, batch)
    # A process without a part of a small batch has no gradient; ``average_gradients`` counts it as zero.
    if losses["loss"].requires_grad or distributed.world_size() == 1:
        scale(losses["loss"]).backward()
    return losses


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


def compile_encoders(system: System, backend: str = "inductor") -> None:
    """Compile what a system names, in place and for any batch shape; the names of weights stay as they are.

    ``backend`` is one of ``torch.compile``'s.
    """
    for module in system.to_compile():
        module.compile(dynamic=True, backend=backend)


def undo_compile(system: System) -> None:
    """Make the modules as they were before ``compile_encoders``.

    A trained system goes back to the CPU, for which it would be compiled once more.
    """
    for module in system.to_compile():
        module._compiled_call_impl = None
