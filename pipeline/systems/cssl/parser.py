"""A graph-based parser: biaffine scorers (Dozat & Manning 2017), gold trees, losses, the best tree.

A trained parser's argmax is a tree for nine sentences in ten, which a vectorised check finds. The others are
searched by Chu-Liu/Edmonds in its path-growing form (Gabow et al. 1986), without recursion. ufal's C++ search
is faster, but this runs where only torch is installed, and of equal trees it always finds the same one; the
tests compare the two.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from pipeline.nn.compute import full_precision, on_device
from pipeline.nn.sequences import SharedDropout
from pipeline.nn.tokenizer import NO_HEAD, stack
from pipeline.syntax.sentence import HasTree, Side

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


class LabelVocabulary(NamedTuple):
    """Relations and tags in sorted order; a label's number is its index."""

    relations: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()

    @classmethod
    def of(cls, sentences: Iterable[HasTree]) -> "LabelVocabulary":
        """The labels of some trees; a tagset with one tag for all words is left out."""
        relations: set[str] = set()
        upos: set[str] = set()
        xpos: set[str] = set()
        for sentence in sentences:
            relations.update(sentence.deprels)
            upos.update(sentence.upos)
            xpos.update(sentence.xpos)
        tagsets = (tuple(sorted(tags)) if len(tags) > 1 else () for tags in (upos, xpos))
        return cls(tuple(sorted(relations)), *tagsets)

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
    sentences: Sequence[HasTree], labels: LabelVocabulary, width: int, device: torch.device | str = "cpu"
) -> GoldTrees:
    """Trees as tensors, padded to ``width`` words."""
    numbers = [{label: number for number, label in enumerate(names)} for names in labels]
    columns = [
        stack(
            [[number.get(label, UNKNOWN) for label in getattr(each, field)] for each in sentences],
            UNKNOWN,
            width,
        )
        for number, field in zip(numbers, ("deprels", "upos", "xpos"), strict=True)
    ]
    heads = stack([each.heads for each in sentences], NO_HEAD, width)
    return GoldTrees(*(on_device(tensor, device) for tensor in (heads, *columns)))


def trees_of_numbers(
    sentences: Sequence[HasTree],
    heads: torch.Tensor,
    columns: Mapping[str, torch.Tensor],
    labels: LabelVocabulary,
) -> list[Side]:
    """The trees of B sentences from heads and the numbers of labels, int64 [B, W] each.

    ``columns`` are ``deprels`` and tags by name.
    """
    names = {"deprels": labels.relations, "upos": labels.upos, "xpos": labels.xpos}
    tables = {name: np.array(names[name], dtype=object)[ids.cpu().numpy()] for name, ids in columns.items()}
    found = heads.cpu().numpy()
    return [
        Side(
            each.text,
            each.words,
            found[row, : len(each.words)].tolist(),
            **{name: table[row, : len(each.words)].tolist() for name, table in tables.items()},
        )
        for row, each in enumerate(sentences)
    ]


def entropy(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of the words with a known target, a float32 scalar; 0 where there is none.

    ``scores`` [B, W, R] of any float type, ``target`` int64 [B, W] with ``UNKNOWN`` where none is known.
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
    return {
        "uas": right.sum() / words,
        "las": (right & (relations == target.relations)).sum() / words,
    }


def best_relations(scores: torch.Tensor, heads: torch.Tensor, relations: Sequence[str]) -> torch.Tensor:
    """The best relation of each word to its head, int64 [B, W]; ``root`` only where the head is 0.

    ``scores`` float [B, W, R] of the R ``relations``, overwritten where they are those of ``root``.
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
    batch, width, _ = scores.shape
    real = np.arange(width) < np.asarray(lengths)[:, None]
    columns = np.concatenate([np.ones((batch, 1), dtype=bool), real], axis=1)
    masked = np.where(columns[:, None, :], scores, -np.inf)
    masked[:, np.arange(width), np.arange(1, width + 1)] = -np.inf  # no word is its own head
    heads: NDArray[np.int64] = np.where(real, masked.argmax(axis=2), 0)
    for row in np.flatnonzero(~are_trees(heads, lengths)):
        n = int(lengths[row])
        heads[row, :n] = best_tree(scores[row, :n, : n + 1])
    return heads


def are_trees(heads: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which rows of heads [B, W] are trees with one root over their first ``lengths`` words, bool [B]."""
    batch, width = heads.shape
    real = np.arange(width) < np.asarray(lengths)[:, None]
    ancestor = np.concatenate([np.zeros((batch, 1), dtype=np.int64), np.where(real, heads, 0)], axis=1)
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
    into = np.full((2 * n + 1, n + 1), -np.inf)  # best adjusted score of an arc from u into (super)node v
    into[1 : n + 1] = score
    into[np.arange(1, n + 1), np.arange(1, n + 1)] = -np.inf
    spread = score.max(initial=0.0) - score.min(initial=0.0)
    into[1 : n + 1, 0] -= (n + 1) * (spread + 1.0)
    return _contract_and_expand(into, n)


def _contract_and_expand(into: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Best heads of n words from the scores ``into`` [2n + 1, n + 1], rows past n being supernodes."""
    target = np.repeat(np.arange(2 * n + 1)[:, None], n + 1, axis=1)  # the word that such an arc enters
    top = np.arange(n + 1)  # the outermost (super)node that holds each word
    parent = np.zeros(2 * n + 1, dtype=np.int64)  # the supernode that contains a node; 0 for none
    enters: dict[int, tuple[int, int]] = {}  # node -> its best arc (from, to), both words
    finished = {0}
    fresh = n + 1
    for start in range(1, n + 1):
        if top[start] in finished:
            continue
        path = [int(top[start])]
        while True:
            node = path[-1]
            source = int(into[node].argmax())
            enters[node] = (source, int(target[node, source]))
            above = int(top[source])
            if above in finished:
                finished.update(path)
                break
            if above not in path:
                path.append(above)
                continue
            cycle = path[path.index(above) :]
            del path[-len(cycle) :]
            gains = into[cycle] - into[cycle, [enters[member][0] for member in cycle]][:, None]
            chosen = gains.argmax(axis=0)
            into[fresh] = gains[chosen, np.arange(n + 1)]
            target[fresh] = target[np.array(cycle)[chosen], np.arange(n + 1)]
            within = np.zeros(2 * n + 1, dtype=bool)
            within[cycle] = True
            inside = within[top]
            into[fresh, inside] = -np.inf
            top[inside] = fresh
            parent[cycle] = fresh
            path.append(fresh)
            fresh += 1
    for node in range(fresh - 1, n, -1):  # the arc into a supernode breaks its cycle at the word it enters
        source, word = enters[node]
        member = word
        while parent[member] != node:
            member = int(parent[member])
        enters[member] = (source, word)
    return np.array([enters[word][0] for word in range(1, n + 1)], dtype=np.int64)
