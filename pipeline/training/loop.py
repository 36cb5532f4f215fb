"""The training loop: one for all systems, on one process or several.

``train`` runs the steps, ``validate`` keeps the best weights, ``train_step`` makes an update, and
``forward_backward`` turns a batch into a gradient.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice

import torch

from pipeline.core.errors import SynsemError
from pipeline.core.parallel import track
from pipeline.core.params import Train
from pipeline.core.seeding import stable_hash
from pipeline.nn.compute import autocast, grad_scaler
from pipeline.nn.gradcache import backward_in_chunks
from pipeline.systems.base import Adversary, Batch, Losses, System
from pipeline.training import distributed
from pipeline.training.batches import Examples, Numbers, in_order, read_ahead, stream
from pipeline.training.checkpoint import Checkpoints, Log, Progress

_LARGEST_GRADIENT = 1.0  # norm to which gradients are clipped


def train(
    system: System, examples: Examples, dev: Examples, seed: int, checkpoints: Checkpoints, log: Log
) -> Progress:
    """Train a system in place and leave it with the weights that did best on the development examples.

    Stops after the system's ``steps``, or after ``train.patience`` validations without improvement, counted
    from the last phase on (``System.phase``). Without development examples the last weights stay. The same
    seed gives the same weights on the same machine, interrupted or not. Raises SynsemError before it logs
    anything if examples are too few, or if the system cannot be trained in chunks or by several processes;
    and if a loss is not finite.
    """
    params, steps = system.settings.train, system.settings.system.steps
    size, first = system.settings.system.batch_size, distributed.rank() == 0
    if (params.chunk or distributed.world_size() > 1) and type(system).encode is System.encode:
        raise SynsemError(f"train: {system.name} cannot be trained in chunks or by several processes")
    torch.manual_seed(seed)
    distributed.broadcast_weights(system)
    system.begin_training()
    optimizer, scaler = adamw(system), grad_scaler(system.device, params.precision)
    progress = checkpoints.restore(system, optimizer, scaler)
    for step, values in progress.history:
        log(step, values)

    planned = stream(examples.texts(), examples.lengths(), size, seed)
    dev_batches = in_order(dev.texts(), size, params.dev_examples)
    few = f"{len(examples)} examples are fewer than a batch of {size}; batches are smaller"
    notes = {
        f"continues at step {progress.step}": progress.step > 0,
        few: len(examples) < size,
        "no two development examples; the last weights stay": not dev_batches,
    }
    for note, applies in notes.items():
        if applies and first:
            print(f"train {system.name}: {note}", file=sys.stderr)
    if progress.step == 0:
        validate(system, dev, dev_batches, progress, log)
    numbered = zip(range(progress.step, steps), islice(planned, progress.step, None), strict=False)
    ready = read_ahead((step, read(system, examples.batch(numbers), step)) for step, numbers in numbered)
    with closing(ready):
        label, left = f"train {system.name}", steps - progress.step
        shown = track(ready, label, left, lambda: progress.cost, "steps") if first else ready
        for step, batch in shown:
            if progress.evaluations_without_improvement >= params.patience:
                break
            system.begin_step(step)
            factor = schedule(step, steps, params.warmup, system.rate_falls)
            for group in optimizer.param_groups:
                group["lr"] = factor * group["full_lr"]
            torch.manual_seed(stable_hash(seed, "dropout", str(step), str(distributed.rank())))
            with progress.cost.step(system.tokenizer, batch):
                losses = train_step(system, batch, optimizer, scaler)
            progress.step += 1
            progress.record(log, "train", losses | {"rate": optimizer.param_groups[0]["lr"]})
            if is_validated(step, steps, params):
                validate(system, dev, dev_batches, progress, log)
                if system.phase(step) != system.phase(steps - 1):
                    progress.evaluations_without_improvement = 0
            checkpoints.save_if_due(progress, system, optimizer, scaler)
    if progress.best:
        system.load_state_dict(progress.best)
    elif not all(value.isfinite().all() for value in system.state_dict().values()):
        raise _not_finite("a weight")
    system.eval()
    return progress


@torch.no_grad()
def validate(system: System, dev: Examples, batches: Sequence[Numbers], progress: Progress, log: Log) -> None:
    """Log mean losses over the same development batches each time, and keep the best weights so far.

    Does nothing without batches. ``train.select`` names the value by which weights are compared. Raises
    SynsemError if that value or the loss is not finite.
    """
    if not batches:
        return
    params, values = system.settings.train, dict[str, float]()
    count = sum(len(numbers) for numbers in batches)
    system.train(system.dropout_in_dev)
    torch.manual_seed(distributed.rank())  # dropout, if there is any, is the same each time
    with autocast(system.device, params.precision):
        for numbers in batches:
            for name, loss in to_numbers(distributed.whole_batch_loss(system, dev.batch(numbers))).items():
                values[name] = values.get(name, 0.0) + loss * len(numbers) / count
    values = distributed.broadcast(values, system.device)
    progress.record(log, "dev", values)
    if params.select not in values:
        raise SynsemError(f"train.select: {system.name} has no {params.select}; set it to loss")
    score = values[params.select] if params.select != "loss" else -values["loss"]
    if not (math.isfinite(values["loss"]) and math.isfinite(score)):
        # No score is above NaN, so the weights of this pass, trained or not, would stay the best ones.
        raise _not_finite(f"the development loss of step {progress.step}")
    progress.evaluations_without_improvement += 1
    if progress.best_score is None or score > progress.best_score:
        progress.best_score, progress.best_step, progress.best_loss = score, progress.step, values["loss"]
        progress.evaluations_without_improvement = 0
        progress.best = {name: value.detach().clone() for name, value in system.state_dict().items()}


def to_numbers(losses: Losses) -> dict[str, float]:
    """Return losses as numbers, by one copy from the device for all of them."""
    found = torch.stack([loss.detach().double() for loss in losses.values()]).tolist()
    return dict(zip(losses, found, strict=True))


def _not_finite(what: str) -> SynsemError:
    remedy = "lower the learning rate, raise train.tau, or set train.precision to fp32"
    return SynsemError(f"train: {what} is not finite; {remedy}")


def schedule(step: int, steps: int, warmup: float, falls: bool = True) -> float:
    """Return the factor of the learning rates at a step (0-based): linear warm-up, then linear to zero.

    If it does not fall (``falls``), it stays at 1 after the warm-up.
    """
    rising = max(1, round(warmup * steps))
    falling = (steps - step) / max(1, steps - rising) if falls else 1.0
    return min(1.0, (step + 1) / rising, max(0.0, falling))


def is_validated(step: int, steps: int, params: Train) -> bool:
    """Return whether a validation pass follows a step (0-based): every ``evaluate_every``, and the last."""
    every = params.evaluate_every
    interval = int(every) if every >= 1 else max(1, round(every * steps))
    return (step + 1) % interval == 0 or step + 1 == steps


def adamw(system: System) -> torch.optim.AdamW:
    """Make a fused AdamW over a system's parameter groups. Biases and layer norms have no weight decay.

    Each group keeps its learning rate after warm-up as ``full_lr``.
    """
    groups = []
    for group in system.parameter_groups():
        decay = group.get("weight_decay", system.settings.train.weight_decay)
        wanted = [parameter for parameter in group["params"] if parameter.requires_grad]
        rates = {"lr": group["lr"], "full_lr": group["lr"]}
        groups += [
            {"params": [each for each in wanted if each.ndim > 1], "weight_decay": decay} | rates,
            {"params": [each for each in wanted if each.ndim <= 1], "weight_decay": 0.0} | rates,
        ]
    return torch.optim.AdamW([group for group in groups if group["params"]], fused=True)


def read(system: System, batch: Batch, step: int) -> Batch:
    """Cut a batch into this process's ``parts`` and read each of them: ``System.read``."""
    parts = distributed.parts_of_process(batch, system.settings.train.chunk)
    return replace(batch, parts=[replace(part, reading=system.read(part, step)) for part in parts])


def train_step(
    system: System, batch: Batch, optimizer: torch.optim.Optimizer, scaler: torch.amp.GradScaler
) -> dict[str, float]:
    """Make one update by the gradient of a batch and return its losses; SynsemError if not finite.

    A system's adversary is updated first, on the same batch, while the rest is frozen; then the rest is
    updated, while the adversary is frozen. One optimizer keeps the moments of both: it passes over parameters
    without a gradient.
    """
    system.train()
    adversary = system.adversary
    if adversary is None:
        losses = _update(system, system, batch, optimizer, scaler)
    else:
        theirs = set(adversary.module.parameters())
        with frozen([parameter for parameter in system.parameters() if parameter not in theirs]):
            losses = {adversary.name: _update(system, adversary, batch, optimizer, scaler)["loss"]}
        with frozen(theirs):
            losses |= _update(system, system, batch, optimizer, scaler)
    values = to_numbers(losses)
    if not math.isfinite(values["loss"]):
        raise _not_finite("the loss")
    return values


def _update(
    system: System,
    learner: System | Adversary,
    batch: Batch,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
) -> Losses:
    """Move the parameters of ``system`` that are not frozen by the loss of ``learner``."""
    losses = forward_backward(system, batch, scaler.scale, learner)
    parameters = [parameter for parameter in system.parameters() if parameter.requires_grad]
    distributed.average_gradients(parameters)
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(parameters, _LARGEST_GRADIENT)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    return losses


def forward_backward(
    system: System,
    batch: Batch,
    scale: Callable[[torch.Tensor], torch.Tensor] = lambda loss: loss,
    learner: System | Adversary | None = None,
) -> Losses:
    """Return the losses of a batch and add the gradient of ``scale`` of its ``loss`` to the parameters'.

    If several processes train, each encodes its share of the batch. ``learner`` is the system, unless its
    adversary is named. With ``train.chunk`` memory holds the activations of one chunk only (GradCache).
    """
    learner, params = learner or system, system.settings.train
    # One autocast per pass: it caches the weights that it casts in a pass without gradients.
    context = partial(autocast, system.device, params.precision)
    if params.chunk:
        parts: Sequence[Batch] = distributed.parts_of_process(batch, params.chunk)
        loss = partial(distributed.loss_over_processes, learner)
        return backward_in_chunks(parts, learner.encode, loss, scale, context)
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
