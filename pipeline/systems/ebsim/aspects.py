"""Similarity of two sentences read together (EBSIM 2024, section 3.3): by relation and by alignment.

Logits, dot products and similarities are computed in float32 within autocast, too; the fusion is not.
"""

from typing import NamedTuple

import torch
from torch import nn

from pipeline.nn.precision import full_precision


class RelationAspect(nn.Module):
    """Eq. 7 and 8: minus a distance, which is the sigmoid of a linear map of the ``[CLS]`` state."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.distance = nn.Linear(width, 1)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Similarity in (-1, 0) of B pairs, float32 [B], from states [B, L, D]."""
        with full_precision(states.device):
            return -torch.sigmoid(self.distance(states[:, 0].float()).squeeze(-1))


class Aligned(NamedTuple):
    """Soft alignment of the L tokens of a pair."""

    mixed: torch.Tensor  # [B, L, D], for each token the other sentence's states, weighted
    weights: torch.Tensor  # float32 [B, L, L], of the other sentence's tokens (columns) for each token (rows)


def align(states: torch.Tensor, first: torch.Tensor, second: torch.Tensor, scale: float = 1.0) -> Aligned:
    """Eq. 10: each token of one sentence as a mixture of the other's, by dot-product attention.

    ``first`` and ``second``, bool [B, L], mark the states [B, L, D] of either sentence; the rest get zeros.
    A sentence without a token counts as zeros. ``scale`` multiplies the dot products; 1 as printed.
    """
    other = (first.unsqueeze(2) & second.unsqueeze(1)) | (second.unsqueeze(2) & first.unsqueeze(1))
    with full_precision(states.device):
        scores = scale * (states.float() @ states.float().transpose(1, 2))
    # One softmax does both directions: each row has only the other sentence's tokens.
    weights = scores.masked_fill(~other, torch.finfo(scores.dtype).min).softmax(dim=2)
    weights = weights * other.any(dim=2, keepdim=True)
    return Aligned(weights.to(states.dtype) @ states, weights)


class AlignmentAspect(nn.Module):
    """Eq. 10 to 13: tokens fused with their aligned mixtures, max-pooled, and compared."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fusion = nn.Linear(4 * width, width)
        self.similarity = nn.Linear(2 * width, 1)

    def forward(self, states: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Similarity in (0, 1) of B pairs, float32 [B]; the arguments are those of ``align``."""
        other = align(states, first, second).mixed
        fused = self.fusion(torch.cat([states, other, states * other, states - other], dim=2))
        a, b = _max_pool(fused, first), _max_pool(fused, second)
        with full_precision(states.device):
            a, b = a.float(), b.float()
            return torch.sigmoid(self.similarity(torch.cat([a * b, a - b], dim=1)).squeeze(-1))


def _max_pool(fused: torch.Tensor, of_sentence: torch.Tensor) -> torch.Tensor:
    """The largest value over a sentence's tokens, [B, D]; zeros for a sentence without a token."""
    pooled = fused.masked_fill(~of_sentence.unsqueeze(-1), torch.finfo(fused.dtype).min).amax(dim=1)
    return pooled * of_sentence.any(dim=1).unsqueeze(-1)
