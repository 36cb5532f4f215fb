"""AdamW over a system's parameter groups."""

from typing import Any

import torch

from pipeline.params import Train
from pipeline.systems.base import System
from pipeline.training.schedule import schedule


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


def set_learning_rate(optimizer: torch.optim.Optimizer, step: int, params: Train) -> float:
    """Set every group's learning rate for a step; returns that of a group with ``lr_scale`` 1."""
    rate = params.learning_rate * schedule(step, params)
    for group in optimizer.param_groups:
        group["lr"] = rate * group["lr_scale"]
    return rate
