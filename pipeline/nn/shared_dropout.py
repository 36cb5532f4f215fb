"""One dropout mask for all words of a sentence (Gal & Ghahramani 2016; Dozat & Manning 2017, section 4)."""

import torch
from torch import nn


class SharedDropout(nn.Dropout):
    """Drops the same dimensions of every state of a sequence [B, L, D]; other sequences drop others.

    So it cannot be averaged out over the words, and it draws 1 / L of the random numbers.
    """

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """The states, some dimensions zero in training and the others larger by as much; [B, L, D]."""
        if not self.training or not self.p:
            return states
        mask = torch.rand(len(states), 1, states.shape[2], device=states.device) >= self.p
        return states * (mask.to(states.dtype) / (1 - self.p))
