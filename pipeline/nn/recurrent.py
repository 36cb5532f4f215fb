"""Bidirectional LSTM layers over padded sequences, without packing.

A packed sequence is run word by word on a CPU; a plain padded one is a single call of oneDNN, two to five
times as fast to train in bfloat16. So each direction is an LSTM of its own, and the backward one reads every
sequence turned round in its place: padding stays behind the words and is read by neither.
"""

import torch
from torch import nn

from pipeline.nn.shared_dropout import SharedDropout


class Recurrent(nn.Module):
    """``layers`` bidirectional layers over states [B, L, width], half of the width in each direction."""

    def __init__(self, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        if width % 2:
            raise ValueError(f"width is {width}; two directions need an even one")
        self.forwards, self.backwards = (
            nn.ModuleList(nn.LSTM(width, width // 2, batch_first=True) for _ in range(layers))
            for _ in range(2)
        )
        self.dropout = SharedDropout(dropout)

    def forward(self, states: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """New states [B, L, width] of the first ``lengths`` int64 [B] ones; what stands behind is padding.

        Dropout acts on what each layer reads.
        """
        turned = _turned(lengths, states.shape[1])[..., None]
        for onward, back in zip(self.forwards, self.backwards, strict=True):
            states = self.dropout(states)
            read = states.gather(1, turned.expand_as(states))
            found = back(read)[0]
            states = torch.cat([onward(states)[0], found.gather(1, turned.expand_as(found))], dim=-1)
        return states


def _turned(lengths: torch.Tensor, width: int) -> torch.Tensor:
    """Places of each sequence in reverse, int64 [B, width]; padding keeps its place."""
    place = torch.arange(width, device=lengths.device).expand(len(lengths), -1)
    back = lengths[:, None] - 1 - place
    return torch.where(back >= 0, back, place)
