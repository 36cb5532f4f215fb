"""Training by several processes, as ``torchrun --nproc_per_node=N`` starts them; alone, none of this acts."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import distributed, nn

from pipeline.errors import SynsemError
from pipeline.nn.gather import world_size


@contextmanager
def joined() -> Iterator[torch.device]:
    """This process's device, in the group of processes that torchrun announces in the environment."""
    local, size = int(os.environ.get("LOCAL_RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    device = torch.device("cpu")
    if torch.cuda.is_available():
        if local >= torch.cuda.device_count():
            raise SynsemError(
                f"torchrun: process {local + 1} has no GPU of its own; "
                f"start at most {torch.cuda.device_count()} with --nproc_per_node"
            )
        device = torch.device("cuda", local)
        torch.cuda.set_device(device)
    if size == 1:
        yield device
        return
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield device
    finally:
        distributed.destroy_process_group()


def rank() -> int:
    """Number of this process; the first, 0, writes."""
    return distributed.get_rank() if distributed.is_initialized() else 0


def same_start(module: nn.Module) -> None:
    """Give every process the weights of the first."""
    if world_size() > 1:
        for value in module.state_dict().values():
            distributed.broadcast(value, 0)


def average_gradients(parameters: Sequence[nn.Parameter]) -> None:
    """Average each gradient over the processes; one that only some have counts as zero in the others."""
    if world_size() == 1 or not parameters:
        return
    device = parameters[0].device
    used = torch.tensor([parameter.grad is not None for parameter in parameters], device=device).int()
    distributed.all_reduce(used, distributed.ReduceOp.MAX)
    wanted = [parameter for parameter, flag in zip(parameters, used.tolist(), strict=True) if flag]
    flat = torch.cat(
        [(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in wanted]
    )  # one message in place of hundreds
    distributed.all_reduce(flat)
    flat /= world_size()
    for parameter, gradient in zip(wanted, flat.split([p.numel() for p in wanted]), strict=True):
        parameter.grad = gradient.view_as(parameter)


def agreed(values: dict[str, float], device: torch.device) -> dict[str, float]:
    """The first process's values for all: what every process decides by must be equal to the last bit."""
    if world_size() == 1:
        return values
    numbers = torch.tensor(list(values.values()), dtype=torch.float64, device=device)
    distributed.broadcast(numbers, 0)
    return dict(zip(values, numbers.tolist(), strict=True))


def summed(values: Sequence[float], device: torch.device) -> list[float]:
    """Each value summed over the processes."""
    if world_size() == 1:
        return list(values)
    numbers = torch.tensor(values, dtype=torch.float64, device=device)
    distributed.all_reduce(numbers)
    return [float(number) for number in numbers.tolist()]
