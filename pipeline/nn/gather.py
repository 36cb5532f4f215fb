"""Rows from every process, with their gradients: in-batch negatives beyond what one device holds."""

from typing import Any

import torch
from torch import distributed


def world_size() -> int:
    """Processes that train together; 1 outside ``torch.distributed``."""
    return distributed.get_world_size() if distributed.is_initialized() else 1


def gather_rows(representations: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Every process's rows of every tensor [n, ...], in the order of the processes: [sum of n, ...].

    Processes hold the same keys, but may hold different numbers of rows. Every process is to compute the same
    loss of what it gets: then the gradient of its own rows is known to each without asking the others. It is
    handed on ``world_size`` times, which the average of the parameters' gradients over the processes undoes;
    parameters of the loss itself, such as a learned temperature, come out right by the same average.
    """
    if world_size() == 1:
        return representations
    return {name: _Gather.apply(rows) for name, rows in representations.items()}


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: torch.Tensor) -> torch.Tensor:
        count = torch.tensor([len(rows)], device=rows.device)
        counts = [torch.zeros_like(count) for _ in range(world_size())]
        distributed.all_gather(counts, count)
        sizes = [int(each) for each in counts]
        padded = rows.new_zeros(max(sizes), *rows.shape[1:])  # a collective wants equal shapes
        padded[: len(rows)] = rows
        blocks = [torch.empty_like(padded) for _ in sizes]
        distributed.all_gather(blocks, padded)
        ctx.start = sum(sizes[: distributed.get_rank()])
        ctx.stop = ctx.start + len(rows)
        return torch.cat([block[:size] for block, size in zip(blocks, sizes, strict=True)])

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return gradients[0][ctx.start : ctx.stop] * world_size()
