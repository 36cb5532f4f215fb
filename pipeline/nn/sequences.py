"""Sequences of unequal length, fast on a CPU: packed into one row for a transformer, padded for a BiLSTM."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from pipeline.nn.backbone import first_position

_ATTENTION: Callable[..., torch.Tensor] = F.scaled_dot_product_attention


class Row:
    """The sentences of a batch one after another in a row of T places, so that padding costs nothing.

    Linear layers, norms and activations read the row; only attention gets B padded sentences, at most L long.
    Training of ``synsem`` on a CPU, whose small batches hold sentences of all lengths, takes four fifths of
    the time.
    """

    def __init__(self, mask: torch.Tensor) -> None:
        """``mask`` bool [B, L], on a CPU, is true where a place is in use."""
        self._mask = mask
        self._places = mask.flatten().nonzero().flatten()  # the padded place of each place of the row
        self.positions = self._places.remainder(mask.shape[1])  # int64 [T], of each in its sentence

    def join(self, padded: torch.Tensor) -> torch.Tensor:
        """From [B, L, ...] to [T, ...]. The gradient goes through."""
        return padded.flatten(0, 1).index_select(0, self._places)

    def split(self, row: torch.Tensor) -> torch.Tensor:
        """From [T, ...] to [B, L, ...], zero at padding. The gradient goes through."""
        padded = row.new_zeros(self._mask.numel(), *row.shape[1:]).index_copy(0, self._places, row)
        return padded.view(*self._mask.shape, *row.shape[1:])

    def read(self, network: Callable[[torch.Tensor], torch.Tensor], padded: torch.Tensor) -> torch.Tensor:
        """Return what a network makes of a row, [1, T, ...] to [1, T, D], from [B, L, ...] to [B, L, D]."""
        functional: Any = F  # where transformers and torch look attention up
        functional.scaled_dot_product_attention = self._attend
        try:
            return self.split(network(self.join(padded)[None])[0])
        finally:
            functional.scaled_dot_product_attention = _ATTENTION

    def _attend(self, *given: Any, attn_mask: Any = None, **options: Any) -> torch.Tensor:
        """Attention of a row [1, heads, T, D], within each sentence; a mask of the row is not read."""
        query_key_value, others = given[:3], given[4:]  # after the mask, where that has no name
        padded = (self.split(each[0].transpose(0, 1)).transpose(1, 2) for each in query_key_value)
        found = _ATTENTION(*padded, self._mask[:, None, None], *others, **options)
        return self.join(found.transpose(1, 2)).transpose(0, 1)[None]


def packed_states(model: Any, ids: torch.Tensor, mask: torch.Tensor, layer: int) -> torch.Tensor:
    """Return states after ``layer`` layers, [B, L, D], of a backbone for which ``packs_sequences`` is true.

    ``ids`` int64 and ``mask`` bool [B, L] are on a CPU.
    """
    row = Row(mask)
    options = {"position_ids": row.positions[None] + first_position(model), "output_hidden_states": True}
    return row.read(lambda joined: model(joined, **options).hidden_states[layer], ids)


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

    def plain_weights(self) -> dict[str, torch.Tensor]:
        """The weights by the names that they have in a bidirectional ``nn.LSTM``."""
        return {
            f"{name.removesuffix('0')}{layer}{suffix}": weight.detach().contiguous()
            for suffix, directions in (("", self.forwards), ("_reverse", self.backwards))
            for layer, lstm in enumerate(directions)
            for name, weight in lstm.named_parameters()
        }
