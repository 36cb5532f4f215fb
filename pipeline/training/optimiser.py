"""AdamW over a system's parameter groups, and the course of the learning rate."""

from typing import Any

import torch

from pipeline.params import Train
from pipeline.systems.base import System


def adamw(system: System, params: Train) -> torch.optim.AdamW:
    """Fused AdamW; each group keeps its ``rate``, the multiple of the learning rate. Vectors do not decay."""
    groups: list[dict[str, Any]] = []
    for group in system.parameter_groups():
        decay = group.get("weight_decay", params.weight_decay)
        wanted = [p for p in group["params"] if p.requires_grad]
        for members, weight_decay in (
            ([p for p in wanted if p.ndim > 1], decay),
            ([p for p in wanted if p.ndim <= 1], 0.0),  # biases and layer norms
        ):
            if members:
                groups.append({"params": members, "rate": group["rate"], "weight_decay": weight_decay})
    return torch.optim.AdamW(groups, lr=params.learning_rate, fused=True)


def schedule(step: int, params: Train) -> float:
    """Share of the learning rate at a step (0-based): linear warm-up, then linear decay to zero."""
    warmup = max(1, round(params.warmup * params.steps))
    if step < warmup:
        return (step + 1) / warmup
    return max(0.0, (params.steps - step) / max(1, params.steps - warmup))


def set_rate(optimiser: torch.optim.Optimizer, step: int, params: Train) -> float:
    """Set every group's rate for a step; returns the encoder's."""
    rate = params.learning_rate * schedule(step, params)
    for group in optimiser.param_groups:
        group["lr"] = rate * group["rate"]
    return rate
