"""A graph-based parser: biaffine scorers (Dozat & Manning 2017), gold trees, losses, the best tree.

A trained parser's argmax is a tree for nine sentences in ten, which a vectorised check finds. The others are
searched by Chu-Liu/Edmonds. ufal's C++ search is faster, but this runs with only torch installed, and of
equal trees it always finds the same one; the tests compare the two.
"""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from pipeline.nn.compute import full_precision, on_device
from pipeline.nn.recurrent import SharedDropout
from pipeline.nn.tokenizer import NO_HEAD, stack
from pipeline.syntax.sentence import Sentence

UNKNOWN = -100  # the label of padding and of what training never saw; cross-entropy ignores it
ROOT = "root"
_LOWEST = -1e9  # stands in for minus infinity, so that bad scores can still be compared


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
        itself = torch.eye(real.shape[1], dtype=torch.bool, device=real.device)
        impossible = F.pad(~real[:, None] | itself, (1, 0))  # the root never is
        return scores.float().masked_fill(impossible, torch.finfo(torch.float32).min)

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


class LabelVocabulary(NamedTuple):
    """Relations and tags in sorted order; a label's number is its index."""

    relations: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> "LabelVocabulary":
        """The labels of some trees; a tagset with one tag for all words is left out."""
        found: tuple[set[str], ...] = (set(), set(), set())
        for sentence in sentences:
            for labels, own in zip(found, (sentence.deprels, sentence.upos, sentence.xpos), strict=True):
                labels.update(own)
        relations, *tagsets = (tuple(sorted(labels)) for labels in found)
        return cls(relations, *(tags if len(tags) > 1 else () for tags in tagsets))

    def to_tensor(self) -> torch.Tensor:
        """As bytes, uint8 [n], so that labels and weights are saved together."""
        return torch.tensor(list(json.dumps(self).encode()), dtype=torch.uint8)

    @classmethod
    def from_tensor(cls, tensor: torch.Tensor) -> "LabelVocabulary":
        """The inverse of ``to_tensor``; an empty tensor gives the empty vocabulary of an untrained parser."""
        if not len(tensor):
            return cls()
        return cls(*(tuple(labels) for labels in json.loads(bytes(tensor.tolist()))))


class GoldTrees(NamedTuple):
    """Gold trees over W words, int64 [B, W] each; padding has ``NO_HEAD`` and ``UNKNOWN``."""

    heads: torch.Tensor
    relations: torch.Tensor
    upos: torch.Tensor
    xpos: torch.Tensor

    @property
    def real(self) -> torch.Tensor:
        """Where there is a word, bool [B, W]."""
        return self.heads != NO_HEAD


def gold_trees(
    sentences: Sequence[Sentence], labels: LabelVocabulary, width: int, device: torch.device | str = "cpu"
) -> GoldTrees:
    """Trees as tensors, padded to ``width`` words."""
    numbers = [{label: number for number, label in enumerate(names)} for names in labels]
    columns = [stack([each.heads for each in sentences], NO_HEAD, width)]
    for number, field in zip(numbers, ("deprels", "upos", "xpos"), strict=True):
        rows = [[number.get(label, UNKNOWN) for label in getattr(each, field)] for each in sentences]
        columns.append(stack(rows, UNKNOWN, width))
    return GoldTrees(*(on_device(column, device) for column in columns))


def entropy(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of the words with a known target, a float32 scalar; 0 if there is none.

    ``scores`` [B, W, R] of any float type, ``target`` int64 [B, W], ``UNKNOWN`` if none is known.
    """
    with full_precision(scores.device):
        total = F.cross_entropy(
            scores.float().flatten(0, 1), target.flatten(), ignore_index=UNKNOWN, reduction="sum"
        )
    return total / (target != UNKNOWN).sum().clamp(min=1)


def accuracy(heads: torch.Tensor, relations: torch.Tensor, target: GoldTrees) -> dict[str, torch.Tensor]:
    """``uas`` and ``las``, 0 to 1, of heads and relations found for each word, int64 [B, W]."""
    right = (heads == target.heads) & target.real
    words = target.real.sum().clamp(min=1)
    return {"uas": right.sum() / words, "las": (right & (relations == target.relations)).sum() / words}


def best_relations(scores: torch.Tensor, heads: torch.Tensor, relations: Sequence[str]) -> torch.Tensor:
    """The best relation of each word to its head, int64 [B, W]; ``root`` only if the head is 0.

    ``scores`` float [B, W, R] are of the R ``relations``; those of ``root`` are overwritten.
    """
    if ROOT not in relations or len(relations) == 1:
        return scores.argmax(dim=2)
    root = relations.index(ROOT)
    scores[..., root] = torch.finfo(scores.dtype).min
    return scores.argmax(dim=2).masked_fill(heads == 0, root)


def decode(scores: NDArray[np.floating], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Heads of the best trees of a batch, int64 [B, W]: 1-based, 0 for the root and at padding.

    ``scores[b, d, h]`` [B, W, W + 1] is the score of head ``h`` (0 the root, else word h) for word d + 1;
    ``lengths`` [B] are the words of each sentence.
    """
    width = scores.shape[1]
    real = np.arange(width) < np.asarray(lengths)[:, None]
    columns = np.pad(real, ((0, 0), (1, 0)), constant_values=True)
    masked = np.where(columns[:, None, :], scores, -np.inf)
    masked[:, np.arange(width), np.arange(1, width + 1)] = -np.inf  # no word is its own head
    heads: NDArray[np.int64] = np.where(real, masked.argmax(axis=2), 0)
    for row in np.flatnonzero(~are_trees(heads, lengths)):
        n = int(lengths[row])
        heads[row, :n] = best_tree(scores[row, :n, : n + 1])
    return heads


def are_trees(heads: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which rows of heads [B, W] are trees with one root over their first ``lengths`` words, bool [B]."""
    width = heads.shape[1]
    real = np.arange(width) < np.asarray(lengths)[:, None]
    ancestor = np.pad(np.where(real, heads, 0), ((0, 0), (1, 0)))
    for _ in range(width.bit_length()):  # after k rounds: the ancestor 2**k steps up
        ancestor = np.take_along_axis(ancestor, ancestor, axis=1)
    single = ((heads == 0) & real).sum(axis=1) == 1
    return single & ~ancestor.any(axis=1)


def best_tree(scores: NDArray[np.floating]) -> NDArray[np.int64]:
    """Heads of the highest-scoring tree with exactly one root, int64 [n], 1-based, 0 for the root.

    ``scores[d, h]`` [n, n + 1] as in ``decode``; those of a word as its own head are not read. Of equal trees
    the same one is always found. Each arc from the root is penalised by more than all other arcs can gain, so
    the best tree has just one of them.
    """
    score = np.nan_to_num(np.asarray(scores, dtype=np.float64), nan=_LOWEST, neginf=_LOWEST, posinf=-_LOWEST)
    n = len(score)
    # Scorers give a word as its own head the lowest float, beside which a penalty would lose all digits.
    score[np.arange(n), np.arange(1, n + 1)] = 0.0
    spread = score.max(initial=0.0) - score.min(initial=0.0)
    score[:, 0] -= (n + 1) * (spread + 1.0)
    square = np.concatenate([np.full((1, n + 1), -np.inf), score])
    np.fill_diagonal(square, -np.inf)
    return _best_heads(square)[1:]


def _best_heads(score: NDArray[np.float64]) -> NDArray[np.int64]:
    """Heads of the best tree under node 0, int64 [m], from scores [m, m] of dependents (rows) and heads."""
    heads: NDArray[np.int64] = score.argmax(axis=1)
    cycle = _cycle(heads)
    if not len(cycle):
        return heads
    rest = np.setdiff1d(np.arange(len(score)), cycle)
    gains = score[cycle] - score[cycle, heads[cycle]][:, None]
    entered = gains.argmax(axis=0)  # the member of the cycle that is best entered from each node
    left = cycle[score[:, cycle].argmax(axis=1)]  # the member that is the best head of each node
    # The cycle becomes the last node of a smaller graph.
    smaller = np.full((len(rest) + 1, len(rest) + 1), -np.inf)
    smaller[:-1, :-1] = score[np.ix_(rest, rest)]
    smaller[:-1, -1] = score[rest, left[rest]]
    smaller[-1, :-1] = gains[entered[rest], rest]
    found = _best_heads(smaller)
    heads[rest] = np.where(found[:-1] < len(rest), np.append(rest, 0)[found[:-1]], left[rest])
    source = rest[found[-1]]
    heads[cycle[entered[source]]] = source
    return heads


def _cycle(heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nodes of one cycle, empty if every node is below node 0, which is its own head."""
    ancestor = heads
    for _ in range(len(heads).bit_length()):
        ancestor = ancestor[ancestor]
    members = [int(node) for node in ancestor[ancestor > 0][:1]]
    while members and heads[members[-1]] != members[0]:
        members.append(int(heads[members[-1]]))
    return np.array(members, dtype=np.int64)
