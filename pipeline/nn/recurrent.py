"""BiLSTMs, with one dropout mask per sequence."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from pipeline.nn.compute import on_device


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
    """A BiLSTM: states [B, L, inputs] to states [B, L, width], half of the (even) width in each direction."""

    def __init__(self, inputs: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [inputs] + [width] * (layers - 1)
        self.layers = nn.ModuleList(
            nn.LSTM(size, width // 2, batch_first=True, bidirectional=True) for size in sizes
        )
        self.dropout = SharedDropout(dropout)

    def forward(self, states: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """New states, zeros at padding; and the last layer's last hidden and cell states, [B, 2 * width].

        Of each row the first ``lengths`` int64 [B] states are not padding; on a GPU they are best given on
        the host. Dropout acts on the input of each layer.
        """
        # Sorted here, because torch would wait for the GPU to undo a sorting of its own.
        counts, order = lengths.cpu().sort(descending=True)
        order = on_device(order, states.device)
        length, states = states.shape[1], states[order]
        for layer in self.layers:
            packed = pack_padded_sequence(self.dropout(states), counts, batch_first=True)
            packed, (hidden, cell) = layer(packed)
            states, _ = pad_packed_sequence(packed, batch_first=True, total_length=length)
        back = order.argsort()
        return states[back], torch.cat([*hidden, *cell], dim=1)[back]
