"""Cutting a batch: into chunks for GradCache, and into the shares of the processes that train together."""

from dataclasses import replace

from torch import distributed

from pipeline.nn.gather import world_size
from pipeline.systems.base import Batch


def part(batch: Batch, start: int, stop: int) -> Batch:
    """The examples ``start`` to ``stop`` with their hard negatives; parts end to end are the batch again."""
    kept = [k for k, owner in enumerate(batch.owners) if start <= owner < stop]
    return replace(
        batch,
        anchors=batch.anchors[start:stop],
        positives=batch.positives[start:stop],
        negatives=[batch.negatives[k] for k in kept],
        owners=[batch.owners[k] - start for k in kept],
        kinds=batch.kinds[start:stop],
    )


def chunks(batch: Batch, size: int) -> list[Batch]:
    """Parts of ``size`` examples, the last maybe smaller; at least one part."""
    return [part(batch, start, start + size) for start in range(0, max(1, len(batch.anchors)), size)]


def share(batch: Batch) -> Batch:
    """This process's part of a batch: the whole of it where one process trains alone."""
    size = world_size()
    if size == 1:
        return batch
    rank, count = distributed.get_rank(), len(batch.anchors)
    return part(batch, rank * count // size, (rank + 1) * count // size)
