"""The recurrent sentence encoder of Liu et al. 2019 (section 3.1, after LASER)."""

from typing import NamedTuple

import torch
from torch import nn

from pipeline.nn.encoder import pool
from pipeline.nn.tokenizer import Tokens

_SATURATED = 1e4  # input that drives a gate to exactly 0 or 1, in bfloat16 too


class BiLstmStates(NamedTuple):
    """The encodings of B sentences."""

    pooled: torch.Tensor  # float32 [B, D]: the embedding
    last: torch.Tensor  # float32 [B, S]: from which the decoder starts


class BiLstm(nn.Module):
    """Subword embeddings, LSTM layers in both directions, and max pooling of their outputs.

    ``width`` is that of one direction, so a vector has twice as many dimensions. Dropout acts on the
    embeddings and between the layers.

    Sequences are padded, not packed: on a CPU, torch runs a packed one step by step and a padded one in one
    call of oneDNN, several times as fast. One more input marks padding. Its weights close a layer's input
    gate and open its forget gate, so cells pass through padding unchanged in either direction; they get no
    gradient, for the gates are saturated. (``cssl``'s ``Recurrent`` reverses sequences instead, which is
    simpler; but the cells at their ends, from which the decoder starts, are then out of reach.)
    """

    def __init__(self, subwords: int, embedding: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(subwords, embedding)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            nn.LSTM(1 + (2 * width if layer else embedding), width, batch_first=True, bidirectional=True)
            for layer in range(layers)
        )
        self.close_gates()

    @torch.no_grad()
    def close_gates(self) -> None:
        """Give the input that marks padding its weights, which weight decay shrinks with each update."""
        for layer in self.layers:
            for weight in (layer.weight_ih_l0, layer.weight_ih_l0_reverse):
                inputs, forgets, _, _ = weight[:, 0].fill_(0).chunk(4)  # torch's order of the gates
                inputs.fill_(-_SATURATED)
                forgets.fill_(_SATURATED)

    @property
    def needs_trees(self) -> bool:
        """Always False."""
        return False

    @property
    def width(self) -> int:
        """Dimensions of a sentence vector."""
        return self.last_width // 2

    @property
    def last_width(self) -> int:
        """Dimensions of ``BiLstmStates.last``: hidden and cell states of the top layer, both directions."""
        top = self.layers[-1]
        assert isinstance(top, nn.LSTM)
        return 4 * top.hidden_size

    def plain_weights(self) -> dict[str, torch.Tensor]:
        """The weights of an ``nn.Embedding`` and of an ``nn.LSTM`` over packed sequences, by their names.

        Where no padding is read the input that marks it is 0, so its weights are left out.
        """
        found = {"embedding.weight": self.embedding.weight.detach().contiguous()}
        for number, layer in enumerate(self.layers):
            for name, weight in layer.named_parameters():
                own = weight[:, 1:] if name.startswith("weight_ih") else weight
                found[f"lstm.{name.replace('l0', f'l{number}')}"] = own.detach().contiguous()
        return found

    def encode(self, tokens: Tokens) -> BiLstmStates:
        """Sentence vectors and last states; padding, on the right, changes neither."""
        padding = (~tokens.mask)[..., None]
        states = self.embedding(tokens.ids)
        for layer in self.layers:
            states, (hidden, cell) = layer(torch.cat([padding.to(states.dtype), self.dropout(states)], dim=2))
        ends = tokens.mask.sum(dim=1) - 1
        onward = states[torch.arange(states.shape[0], device=states.device), ends, : hidden.shape[2]]
        last = torch.cat([onward, hidden[1], cell[0], cell[1]], dim=1)
        return BiLstmStates(pool(states, tokens.mask, "max"), last.float())

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, 2 * width], not normalised."""
        return self.encode(tokens).pooled
