"""Token states to a sentence vector (SSCP eq. 6; the paper's alternative is the first token)."""

from typing import Literal

import torch

Pooling = Literal["mean", "cls", "max"]


def pool(states: torch.Tensor, mask: torch.Tensor, pooling: Pooling) -> torch.Tensor:
    """Pool states [B, L, D] where mask, bool [B, L], is true; float32 [B, D]."""
    states = states.float()
    if pooling == "cls":
        return states[:, 0]
    if pooling == "max":
        return states.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
    weight = mask.unsqueeze(-1).float()
    return (states * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1e-9)
