"""Validation: losses and metrics of the development examples, and the best weights by them."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.nn.precision import autocast
from pipeline.nn.sketch import join
from pipeline.systems.base import Batch, System
from pipeline.training import distributed
from pipeline.training.batches import Examples, Numbers
from pipeline.training.checkpoint import Log, Progress


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
    with progress.cost.validation(), autocast(system.device, params.precision):
        for numbers in batches:
            losses = distributed.whole_batch_loss(system, dev.batch(numbers))
            found = torch.stack([loss.double() for loss in losses.values()]).tolist()  # one copy for all
            for name, loss in zip(losses, found, strict=True):
                values[name] = values.get(name, 0.0) + loss * len(numbers) / count
        if params.select != "loss" and params.select not in values:
            together = dev.batch(np.concatenate(batches))
            values[params.select] = development_metric(params.select, system, together)
    values = distributed.broadcast(values, system.device)
    progress.record(log, "dev", values)
    score = -values["loss"] if params.select == "loss" else values[params.select]
    if not (math.isfinite(values["loss"]) and math.isfinite(score)):
        # No score is above NaN, so the weights of this pass, trained or not, would stay the best ones.
        raise SynsemError(
            f"train: the development loss of step {progress.step} is not finite; lower the learning rate, "
            "raise train.tau, or set train.precision to fp32"
        )
    progress.evaluations_without_improvement += 1
    if progress.best_score is None or score > progress.best_score:
        progress.best_score, progress.best_step = score, progress.step
        progress.evaluations_without_improvement = 0
        progress.best_loss = values["loss"]
        progress.best = {name: value.detach().clone() for name, value in system.state_dict().items()}


def development_metric(name: str, system: System, batch: Batch) -> float:
    """Return ``triplet_accuracy`` or ``mrr`` of all that is trained: the encoders' vectors, side by side.

    - ``triplet_accuracy``: how often an anchor is nearer to its positive than to its hard negative;
    - ``mrr``: the mean reciprocal rank of an anchor's positive among the positives of all anchors.

    The sketch, a part of the joint view, is not trained and has no part in this. Raises SynsemError if the
    system or the batch cannot give the metric.
    """
    if name == "las":
        raise SynsemError(
            f"train.select: {system.name} finds no trees; set it to loss, triplet_accuracy or mrr"
        )
    sentences = [*batch.anchors, *batch.positives, *batch.negatives]
    views = [vectors for name, vectors in system.embed(sentences).items() if name != "joint"]
    vectors = join(views, [1.0] * len(views))
    ends = np.cumsum([len(batch.anchors), len(batch.positives)])
    anchors, positives, negatives = np.split(vectors, ends)
    if name == "mrr":
        texts = [side.text for side in batch.positives]
        if texts == [side.text for side in batch.anchors]:
            raise SynsemError(
                f"train.select: every positive of {system.name} is its anchor, so mrr is 1 from the start; "
                "set it to loss, or simcse.positives to variants"
            )
        _, first, own = np.unique(texts, return_index=True, return_inverse=True)
        return mean_reciprocal_rank(anchors @ positives[first].T, own)
    if not len(negatives):
        raise SynsemError(
            "train.select: triplet_accuracy needs development examples with hard negatives, and "
            f"{system.name} has none; set it to loss, mine.hard_negatives above 0, or simcse.positives to"
            " variants"
        )
    owners = np.asarray(batch.owners)
    nearer = (anchors * positives).sum(axis=1)[owners] > (anchors[owners] * negatives).sum(axis=1)
    return float(nearer.mean())


def mean_reciprocal_rank(similarity: NDArray[np.float32], own: NDArray[np.int64]) -> float:
    """Return the mean of 1 / rank of row i's column ``own[i]`` among all columns [n, m]; ties count."""
    itself = np.take_along_axis(similarity, own[:, None], axis=1)
    ranks = (similarity >= itself).sum(axis=1)  # itself included
    return float((1 / ranks).mean())
