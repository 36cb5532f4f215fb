"""A learnt mean of all layers (Peters et al. 2018, eq. 1; for parsing, Kondratyuk & Straka 2019).

What a parser needs stands in the middle layers of an encoder that was trained for sentence similarity.
"""

from collections.abc import Sequence

import torch
from torch import nn


class ScalarMix(nn.Module):
    """``scale * sum_l softmax(weight)_l * layer_l``; it starts as the plain mean."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, layers: Sequence[torch.Tensor]) -> torch.Tensor:
        """States [B, L, D] of each layer, the embeddings' first, to one of the same shape and type."""
        share = self.scale * self.weight.softmax(dim=0)
        mixed = share[0] * layers[0]
        for part, states in zip(share[1:], layers[1:], strict=True):
            mixed = mixed + part * states
        return mixed.to(layers[-1].dtype)
