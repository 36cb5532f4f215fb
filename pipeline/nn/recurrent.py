"""BiLSTMs, with one dropout mask per sequence, that are fast on a CPU."""

import torch
from torch import nn


class SharedDropout(nn.Dropout):
    """Drops the same dimensions of all states of a sequence [B, L, D]; other sequences drop others.

    Words cannot average it out (Gal & Ghahramani 2016; Dozat & Manning 2017, section 4).
    """

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """In training some dimensions are zero and the others scaled up to keep the mean, [B, L, D]."""
        if not self.training or not self.p:
            return states
        mask = torch.rand(len(states), 1, states.shape[2], device=states.device) >= self.p
        return states * (mask.to(states.dtype) / (1 - self.p))


class Recurrent(nn.Module):
    """A BiLSTM: states [B, L, inputs] to states [B, L, width], half of the (even) width in each direction.

    Sequences are padded, not packed: on a CPU, torch runs a packed one word by word and a padded one in one
    call of oneDNN, two to five times as fast to train in bfloat16. So each direction is an LSTM of its own,
    and the backward one reads each sequence reversed, with the padding still behind it.
    """

    def __init__(self, inputs: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [inputs] + [width] * (layers - 1)
        self.forwards, self.backwards = (
            nn.ModuleList(nn.LSTM(size, width // 2, batch_first=True) for size in sizes) for _ in range(2)
        )
        self.dropout = SharedDropout(dropout)

    def forward(self, states: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """New states; of each row the first ``lengths`` int64 [B] states are not padding.

        Dropout acts on the input of each layer.
        """
        place = torch.arange(states.shape[1], device=states.device)[None]
        back = lengths[:, None] - 1 - place
        order = torch.where(back >= 0, back, place)  # each sequence in reverse; padding keeps its position
        rows = torch.arange(states.shape[0], device=states.device)[:, None]
        for forwards, backwards in zip(self.forwards, self.backwards, strict=True):
            states = self.dropout(states)
            found = backwards(states[rows, order])[0]
            states = torch.cat([forwards(states)[0], found[rows, order]], dim=-1)
        return states
