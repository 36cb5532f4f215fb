"""The parser's layers between encoder and tree: mix of layers, BiLSTM, biaffine scorers, their dropout.

Biaffine attention over words (Dozat & Manning 2017) says who is whose head, and by which relation. What it
reads may come from all layers of the encoder and pass through a BiLSTM first.
"""

from collections.abc import Sequence

import torch
from torch import nn


class ScalarMix(nn.Module):
    """A learnt mean of an encoder's layers: ``scale * sum_l softmax(weight)_l * layer_l``.

    It starts as the plain mean (Peters et al. 2018, eq. 1; for parsing, Kondratyuk & Straka 2019). An encoder
    trained for sentence similarity has what a parser needs in its middle layers.
    """

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, layers: Sequence[torch.Tensor]) -> torch.Tensor:
        """States [B, L, D] of each layer, the embeddings' first, to one of the same shape and type."""
        share = self.scale * self.weight.softmax(dim=0)
        mixed = share[0] * layers[0]
        for weight, states in zip(share[1:], layers[1:], strict=True):
            mixed = mixed + weight * states
        return mixed.to(layers[-1].dtype)


class SharedDropout(nn.Dropout):
    """Drops the same dimensions of all states of a sequence [B, L, D]; other sequences drop others.

    Words cannot average it out (Gal & Ghahramani 2016; Dozat & Manning 2017, section 4), and it needs 1 / L
    of the random numbers.
    """

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """In training some dimensions are zero and the others scaled up to keep the mean, [B, L, D]."""
        if not self.training or not self.p:
            return states
        mask = torch.rand(len(states), 1, states.shape[2], device=states.device) >= self.p
        return states * (mask.to(states.dtype) / (1 - self.p))


class Recurrent(nn.Module):
    """A BiLSTM of ``layers`` layers over states [B, L, width], half of the (even) width in each direction.

    Sequences are padded, not packed: on a CPU, torch runs a packed one word by word and a padded one in one
    call of oneDNN, two to five times as fast to train in bfloat16. So each direction is an LSTM of its own,
    and the backward one reads each sequence reversed, with the padding still behind it. (``upos`` needs the
    final cell states too, which this does not give; its ``BiLstm`` closes gates at padding instead.)
    """

    def __init__(self, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.forwards, self.backwards = (
            nn.ModuleList(nn.LSTM(width, width // 2, batch_first=True) for _ in range(layers))
            for _ in range(2)
        )
        self.dropout = SharedDropout(dropout)

    def forward(self, states: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """New states [B, L, width]; of each row the first ``lengths`` int64 [B] states are no padding.

        Dropout acts on the input of each layer.
        """
        order = _reversed_order(lengths, states.shape[1])[..., None]
        for onward, back in zip(self.forwards, self.backwards, strict=True):
            states = self.dropout(states)
            read = states.gather(1, order.expand_as(states))
            found = back(read)[0]
            states = torch.cat([onward(states)[0], found.gather(1, order.expand_as(found))], dim=-1)
        return states


def _reversed_order(lengths: torch.Tensor, width: int) -> torch.Tensor:
    """Positions of each sequence in reverse, int64 [B, width]; padding keeps its position."""
    place = torch.arange(width, device=lengths.device).expand(len(lengths), -1)
    back = lengths[:, None] - 1 - place
    return torch.where(back >= 0, back, place)


class Biaffine(nn.Module):
    """Scores of pairs of vectors: ``[x; 1]ᵀ U [y; 1]``, one U an output; U starts at zero."""

    def __init__(self, size: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs, size + 1, size + 1))

    def all_pairs(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Every x [B, I, size] with every y [B, J, size]: [B, I, J, outputs]."""
        return torch.einsum("bis,ost,bjt->bijo", _with_one(x), self.weight, _with_one(y))

    def pairs(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Each x with the y at the same position, both [..., size]: [..., outputs]."""
        x, y = _with_one(x), _with_one(y)
        size = x.shape[-1]
        # x U for all outputs in one matrix product; einsum would loop over them.
        through = x @ self.weight.permute(1, 0, 2).reshape(size, -1)
        return (through.view(*x.shape[:-1], -1, size) @ y.unsqueeze(-1)).squeeze(-1)


class Scorers(nn.Module):
    """Arc and relation scorers over the states of the root and W words, [B, W + 1, D], the root first."""

    def __init__(self, width: int, arc_size: int, label_size: int, labels: int, dropout: float) -> None:
        super().__init__()
        self.arc_dependent = _perceptron(width, arc_size, dropout)
        self.arc_head = _perceptron(width, arc_size, dropout)
        self.label_dependent = _perceptron(width, label_size, dropout)
        self.label_head = _perceptron(width, label_size, dropout)
        self.arc, self.label = Biaffine(arc_size, 1), Biaffine(label_size, labels)

    def arcs(self, states: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Score of every head (0: the root) of every word, float32 [B, W, W + 1].

        Impossible heads score lowest: the word itself, and padding (``real`` bool [B, W] is False there).
        """
        scores = self.arc.all_pairs(self.arc_dependent(states[:, 1:]), self.arc_head(states)).squeeze(-1)
        width = real.shape[1]
        own = torch.eye(width, dtype=torch.bool, device=real.device)
        impossible = own | ~real[:, None, :]
        impossible = torch.cat([impossible.new_zeros(len(real), width, 1), impossible], dim=2)
        scores = scores.float()
        return scores.masked_fill(impossible, torch.finfo(scores.dtype).min)

    def labels(self, states: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """Score of every relation of each word to a given head, float32 [B, W, R]; heads int64 [B, W]."""
        dependent, head = self.label_dependent(states[:, 1:]), self.label_head(states)
        chosen = head.gather(1, heads.clamp(min=0).unsqueeze(-1).expand(-1, -1, head.shape[-1]))
        return self.label.pairs(dependent, chosen).float()


def _perceptron(width: int, size: int, dropout: float) -> nn.Module:
    linear = nn.Linear(width, size)
    nn.init.orthogonal_(linear.weight)
    nn.init.zeros_(linear.bias)
    return nn.Sequential(SharedDropout(dropout), linear, nn.LeakyReLU(0.1), SharedDropout(dropout))


def _with_one(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, torch.ones_like(x[..., :1])], dim=-1)
