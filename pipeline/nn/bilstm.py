"""A recurrent sentence encoder (Liu et al. 2019, section 3.1, after LASER): pieces in, a vector out."""

from typing import NamedTuple

import torch
from torch import nn

from pipeline.nn.pooling import pool
from pipeline.nn.tokens import Tokens


class Reading(NamedTuple):
    """What an encoder makes of B sentences."""

    pooled: torch.Tensor  # float32 [B, D]: the embedding
    last: torch.Tensor  # float32 [B, S]: what the decoder starts from


class BiLstm(nn.Module):
    """Embeddings of pieces, LSTMs in both directions, and the largest output in each dimension.

    ``width`` is that of one direction, so a vector has twice as many dimensions. Dropout acts on the
    embeddings and between the layers.
    """

    def __init__(self, pieces: int, embedding: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(pieces, embedding)
        self.dropout = nn.Dropout(dropout)
        self.lstm = nn.LSTM(
            embedding, width, layers,
            batch_first=True, bidirectional=True, dropout=dropout if layers > 1 else 0.0,
        )  # fmt: skip

    @property
    def needs_trees(self) -> bool:
        """Never: order is all it reads."""
        return False

    @property
    def width(self) -> int:
        """Dimensions of a sentence vector."""
        return 2 * self.lstm.hidden_size

    @property
    def last_width(self) -> int:
        """Dimensions of ``Reading.last``: hidden and cell states of the top layer, in both directions."""
        return 4 * self.lstm.hidden_size

    def read(self, tokens: Tokens) -> Reading:
        """Vectors and last states. Padding is not read, from neither end."""
        lengths = tokens.mask.sum(dim=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.embedding(tokens.ids)), lengths, batch_first=True, enforce_sorted=False
        )
        outputs, (hidden, cell) = self.lstm(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(
            outputs, batch_first=True, total_length=tokens.ids.shape[1]
        )
        last = torch.cat([hidden[-2], hidden[-1], cell[-2], cell[-1]], dim=1)
        return Reading(pool(states, tokens.mask, "max"), last.float())

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, 2 * width], not normalised."""
        return self.read(tokens).pooled
