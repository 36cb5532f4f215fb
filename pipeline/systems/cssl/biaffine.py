"""The parser's layers between encoder and tree: mix of layers, BiLSTM, biaffine scorers, their dropout.

Biaffine attention over words (Dozat & Manning 2017) says who is whose head, and by which relation. What it
reads may come from all layers of the encoder and pass through a BiLSTM first.
"""

from collections.abc import Sequence

import torch
from torch import nn

from pipeline.nn.recurrent import SharedDropout


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
