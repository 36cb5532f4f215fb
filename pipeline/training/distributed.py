"""Training by several processes, as ``torchrun --nproc_per_node=N`` starts them.

Each process encodes its share of a batch; the rows of all are gathered with their gradients, so every process
contrasts the whole batch. With one process the functions return what they are given.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import distributed, nn

from pipeline.nn.compute import best_device
from pipeline.systems.base import Adversary, Batch, Embeddings, Losses, System, objective
from pipeline.training.batches import chunks, slice_batch


@contextmanager
def process_group() -> Iterator[torch.device]:
    """Give this process's device, within the group of processes that torchrun names in the environment."""
    local, size = int(os.environ.get("LOCAL_RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    device = best_device()
    if device.type == "cuda":
        device = torch.device("cuda", local)
        torch.cuda.set_device(device)
    # torchrun with one process makes a group of it as well, so one GPU is enough to try what several do.
    if size == 1 and not distributed.is_torchelastic_launched():
        yield device
        return
    # Both: what the CPU decides by, it learns from the other CPUs, without waiting for a GPU.
    distributed.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    try:
        yield device
    finally:
        distributed.destroy_process_group()


def rank() -> int:
    """Return the number of this process; process 0 writes."""
    return distributed.get_rank() if distributed.is_initialized() else 0


def world_size() -> int:
    """Return how many processes train together."""
    return distributed.get_world_size() if distributed.is_initialized() else 1


def broadcast(values: dict[str, float], device: torch.device) -> dict[str, float]:
    """Return the values of process 0, on all: what they decide by must be equal to the last bit."""
    if not distributed.is_initialized():
        return values
    numbers = torch.tensor(list(values.values()), dtype=torch.float64, device=device)
    distributed.broadcast(numbers, 0)
    return dict(zip(values, numbers.tolist(), strict=True))


def broadcast_weights(module: nn.Module) -> None:
    """Give every process the weights of process 0."""
    if distributed.is_initialized():
        for value in module.state_dict().values():
            distributed.broadcast(value, 0)


def average_gradients(parameters: Sequence[nn.Parameter]) -> None:
    """Average each gradient over the processes; one that only some have counts as zero in the others."""
    if not distributed.is_initialized() or not parameters:
        return
    used = torch.tensor([parameter.grad is not None for parameter in parameters]).int()
    distributed.all_reduce(used, distributed.ReduceOp.MAX)
    wanted = [parameter for parameter, flag in zip(parameters, used.tolist(), strict=True) if flag]
    # One message in place of hundreds.
    flat = torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in wanted])
    distributed.all_reduce(flat)
    flat /= world_size()
    for parameter, gradient in zip(wanted, flat.split([p.numel() for p in wanted]), strict=True):
        parameter.grad = gradient.view_as(parameter)


def gather_rows(embeddings: Embeddings) -> Embeddings:
    """Gather every process's rows of every tensor [n, ...], in order: [sum of n, ...].

    Processes have the same keys, but may have different numbers of rows. Every process must compute the same
    loss of the gathered rows: then each knows the gradient of its own rows without a message. The backward
    pass multiplies this gradient by ``world_size``, which ``average_gradients`` divides by; the gradient of a
    parameter of the loss itself is right by the same average.
    """
    if not distributed.is_initialized():
        return embeddings
    own = torch.tensor([len(rows) for rows in embeddings.values()])
    counts = [torch.zeros_like(own) for _ in range(world_size())]
    distributed.all_gather(counts, own)
    sizes = torch.stack(counts, dim=1).tolist()
    parts = zip(embeddings.items(), sizes, strict=True)
    return {name: _Gather.apply(rows, of_processes) for (name, rows), of_processes in parts}


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        padded = rows.new_zeros(max(sizes), *rows.shape[1:])  # all_gather needs equal shapes
        padded[: len(rows)] = rows
        blocks = [torch.empty_like(padded) for _ in sizes]
        distributed.all_gather(blocks, padded)
        ctx.start = sum(sizes[: distributed.get_rank()])
        ctx.stop = ctx.start + len(rows)
        return torch.cat([block[:size] for block, size in zip(blocks, sizes, strict=True)])

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradients[0][ctx.start : ctx.stop] * world_size(), None


def parts_of_process(batch: Batch, chunk: int | None) -> list[Batch]:
    """Return this process's share in chunks of ``chunk`` examples, None: in one; as it was cut ahead."""
    if batch.parts:
        return list(batch.parts)
    count, size = len(batch.anchors), world_size()
    if size > 1:
        batch = slice_batch(batch, rank() * count // size, (rank() + 1) * count // size)
    return chunks(batch, chunk) if chunk else [batch]


def loss_over_processes(learner: System | Adversary, embeddings: Embeddings) -> Losses:
    """Return the learner's ``objective`` of the rows of all processes."""
    return objective(learner, gather_rows(embeddings))


def whole_batch_loss(learner: System | Adversary, batch: Batch) -> Losses:
    """Return the losses of the whole batch, of which each process encodes its share."""
    [part] = parts_of_process(batch, None)
    return learner.loss(part) if world_size() == 1 else loss_over_processes(learner, learner.encode(part))
