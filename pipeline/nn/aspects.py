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
    """What ``align`` finds, over the L tokens of a joint input; meaningless outside the sentence named."""

    first: torch.Tensor  # [B, L, D], for a token of a: the mean of b's states, weighted by likeness
    second: torch.Tensor  # [B, L, D], for a token of b: of a's
    weights: torch.Tensor  # [B, L, L], of the tokens of b (columns) for each of a (rows)


def align(states: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> Aligned:
    """Eq. 10: every token of one sentence as a mixture of the other's, by dot product.

    ``first`` and ``second``, bool [B, L], say which of the states [B, L, D] are whose. A sentence without a
    token is taken as all zeros.
    """
    scores = (states @ states.transpose(1, 2)).float()

    def mixture(whose: torch.Tensor) -> torch.Tensor:
        found = scores.masked_fill(~whose[:, None, :], torch.finfo(scores.dtype).min).softmax(dim=2)
        return found * whose.any(dim=1)[:, None, None]

    of_second, of_first = mixture(second), mixture(first)
    return Aligned(of_second.to(states.dtype) @ states, of_first.to(states.dtype) @ states, of_second)


class AlignmentAspect(nn.Module):
    """Eq. 10 to 13: tokens fused with what they are aligned to, the largest of each, and a comparison."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fusion = nn.Linear(4 * width, width)
        self.similarity = nn.Linear(2 * width, 1)

    def forward(self, states: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Similarity in (0, 1) of B pairs, float32 [B]; the arguments are those of ``align``."""
        aligned = align(states, first, second)
        a = self._fused(states, aligned.first, first)
        b = self._fused(states, aligned.second, second)
        return torch.sigmoid(self.similarity(torch.cat([a * b, a - b], dim=1)).squeeze(-1).float())

    def _fused(self, own: torch.Tensor, other: torch.Tensor, whose: torch.Tensor) -> torch.Tensor:
        fused = self.fusion(torch.cat([own, other, own * other, own - other], dim=2))
        largest = fused.masked_fill(~whose.unsqueeze(-1), torch.finfo(fused.dtype).min).amax(dim=1)
        return largest * whose.any(dim=1).unsqueeze(-1)
