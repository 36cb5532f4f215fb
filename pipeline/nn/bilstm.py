"""A recurrent sentence encoder (Liu et al. 2019, section 3.1, after LASER): pieces in, a vector out."""

from typing import NamedTuple

import torch
from torch import nn

from pipeline.nn.pooling import pool
from pipeline.nn.tokens import Tokens

_SHUT = 1e4  # drives a gate to exactly 0 or 1, in bfloat16 too


class Reading(NamedTuple):
    """What an encoder makes of B sentences."""

    pooled: torch.Tensor  # float32 [B, D]: the embedding
    last: torch.Tensor  # float32 [B, S]: what the decoder starts from


class BiLstm(nn.Module):
    """Embeddings of pieces, LSTMs in both directions, and the largest output in each dimension.

    ``width`` is that of one direction, so a vector has twice as many dimensions. Dropout acts on the
    embeddings and between the layers.

    Sequences are padded and not packed: a packed one is run step by step on a CPU, a padded one is a single
    call of oneDNN, in bfloat16 too, several times as fast. Padding is told by one more input, whose weights
    shut a layer's input gate and open its forget gate: cells pass through it unchanged, from either end, and
    these weights get no gradient, for the gates are saturated. (``Recurrent`` turns the sequences instead;
    the cells at their ends, which the decoder starts from, are then out of reach.)
    """

    def __init__(self, pieces: int, embedding: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(pieces, embedding)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            nn.LSTM(1 + (2 * width if layer else embedding), width, batch_first=True, bidirectional=True)
            for layer in range(layers)
        )
        with torch.no_grad():
            for layer in self.layers:
                for weight in (layer.weight_ih_l0, layer.weight_ih_l0_reverse):
                    inputs, forgets, _, _ = weight[:, 0].fill_(0).chunk(4)  # torch's order of the gates
                    inputs.fill_(-_SHUT)
                    forgets.fill_(_SHUT)

    @property
    def needs_trees(self) -> bool:
        """Never: order is all it reads."""
        return False

    @property
    def width(self) -> int:
        """Dimensions of a sentence vector."""
        return self.last_width // 2

    @property
    def last_width(self) -> int:
        """Dimensions of ``Reading.last``: hidden and cell states of the top layer, in both directions."""
        top = self.layers[-1]
        assert isinstance(top, nn.LSTM)
        return 4 * top.hidden_size

    def read(self, tokens: Tokens) -> Reading:
        """Vectors and last states. Padding, behind the pieces, changes neither."""
        padding = (~tokens.mask)[..., None]
        states = self.embedding(tokens.ids)
        for layer in self.layers:
            states, (hidden, cell) = layer(torch.cat([padding.to(states.dtype), self.dropout(states)], dim=2))
        ends = tokens.mask.sum(dim=1) - 1
        onward = states[torch.arange(len(states), device=states.device), ends, : hidden.shape[2]]
        last = torch.cat([onward, hidden[1], cell[0], cell[1]], dim=1)
        return Reading(pool(states, tokens.mask, "max"), last.float())

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, 2 * width], not normalised."""
        return self.read(tokens).pooled
