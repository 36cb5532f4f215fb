"""AdamW over a system's parameter groups, and the learning-rate schedule."""

from typing import Any

import torch

from pipeline.params import Train
from pipeline.systems.base import System


def adamw(system: System, params: Train) -> torch.optim.AdamW:
    """Fused AdamW; each group keeps its ``lr_scale``. Biases and layer norms have no weight decay."""
    groups: list[dict[str, Any]] = []
    for group in system.parameter_groups():
        decay = group.get("weight_decay", params.weight_decay)
        wanted = [p for p in group["params"] if p.requires_grad]
        for members, weight_decay in (
            ([p for p in wanted if p.ndim > 1], decay),
            ([p for p in wanted if p.ndim <= 1], 0.0),
        ):
            if members:
                groups.append(
                    {"params": members, "lr_scale": group["lr_scale"], "weight_decay": weight_decay}
                )
    return torch.optim.AdamW(groups, lr=params.learning_rate, fused=True)


def schedule(step: int, params: Train) -> float:
    """Factor of the learning rate at a step (0-based): linear warm-up, then linear decay to zero."""
    warmup = max(1, round(params.warmup * params.steps))
    if step < warmup:
        return (step + 1) / warmup
    return max(0.0, (params.steps - step) / max(1, params.steps - warmup))


def set_learning_rate(optimizer: torch.optim.Optimizer, step: int, params: Train) -> float:
    """Set every group's learning rate for a step; returns that of a group with ``lr_scale`` 1."""
    rate = params.learning_rate * schedule(step, params)
    for group in optimizer.param_groups:
        group["lr"] = rate * group["lr_scale"]
    return rate
