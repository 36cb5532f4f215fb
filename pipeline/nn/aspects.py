"""How like two sentences read together are (EBSIM 2024, section 3.3): by relation and by alignment."""

from typing import NamedTuple

import torch
from torch import nn


class RelationAspect(nn.Module):
    """Eq. 7 and 8: the negative of a distance, sigmoid of a linear map of the first token's state."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.distance = nn.Linear(width, 1)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Similarity in (-1, 0) of B pairs, float32 [B], from states [B, L, D]."""
        return -torch.sigmoid(self.distance(states[:, 0]).squeeze(-1).float())


class Aligned(NamedTuple):
    """What ``align`` finds, over the L tokens of a joint input."""

    mixed: torch.Tensor  # [B, L, D], for a token of one sentence: the other's states, weighted by likeness
    weights: torch.Tensor  # float32 [B, L, L], of the other sentence's tokens (columns) for each token (rows)


def align(states: torch.Tensor, first: torch.Tensor, second: torch.Tensor, scale: float = 1.0) -> Aligned:
    """Eq. 10: every token of one sentence as a mixture of the other's, by dot product.

    ``first`` and ``second``, bool [B, L], say which of the states [B, L, D] are whose; the rest get zeros.
    A sentence without a token is taken as all zeros. ``scale`` multiplies the dot products; 1 as printed.
    """
    other = (first.unsqueeze(2) & second.unsqueeze(1)) | (second.unsqueeze(2) & first.unsqueeze(1))
    scores = scale * (states @ states.transpose(1, 2)).float()
    # Both directions in one softmax: the tokens of the other sentence alone count.
    weights = scores.masked_fill(~other, torch.finfo(scores.dtype).min).softmax(dim=2)
    weights = weights * other.any(dim=2, keepdim=True)
    return Aligned(weights.to(states.dtype) @ states, weights)


class AlignmentAspect(nn.Module):
    """Eq. 10 to 13: tokens fused with what they are aligned to, the largest of each, and a comparison."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fusion = nn.Linear(4 * width, width)
        self.similarity = nn.Linear(2 * width, 1)

    def forward(self, states: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Similarity in (0, 1) of B pairs, float32 [B]; the arguments are those of ``align``."""
        other = align(states, first, second).mixed
        fused = self.fusion(torch.cat([states, other, states * other, states - other], dim=2))
        a, b = _largest(fused, first), _largest(fused, second)
        return torch.sigmoid(self.similarity(torch.cat([a * b, a - b], dim=1)).squeeze(-1).float())


def _largest(fused: torch.Tensor, whose: torch.Tensor) -> torch.Tensor:
    """Max pooling over a sentence's tokens, [B, D]; zeros for a sentence without a token."""
    largest = fused.masked_fill(~whose.unsqueeze(-1), torch.finfo(fused.dtype).min).amax(dim=1)
    return largest * whose.any(dim=1).unsqueeze(-1)
