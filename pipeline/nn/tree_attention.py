"""How an encoder reads a sentence's tree: an attention bias by the distance of two words in it (SSCP 3.3.2).

The bias is a float mask [B, heads, L, L] that the backbone itself adds to its attention logits. It is looked
up in the bias table once per forward pass and shared by all layers.

Path lengths between all words of a batch come without a loop over words. With A the ancestor-or-self matrix
and C = A·Aᵀ the number of shared ancestors, depth = diag(C) and the path from word i to word j has
depth(i) + depth(j) - 2·C(i, j) edges. ``pipeline.syntax.tree`` computes the same for one tree.
"""

from typing import NamedTuple

import torch
from torch import nn

from pipeline.nn.compute import full_precision
from pipeline.nn.tokenizer import Tokens


class TreeDistance(NamedTuple):
    """Depths and path lengths in a batch of B trees (or forests) over W words."""

    depth: torch.Tensor  # int64 [B, W], 0 at a root
    path: torch.Tensor  # int64 [B, W, W], edges between two words of one tree; undefined across trees
    connected: torch.Tensor  # bool [B, W, W], whether two words are in one tree


def ancestors(heads: torch.Tensor) -> torch.Tensor:
    """Return the ancestor-or-self matrix A, float32 [B, W, W], from heads int64 [B, W].

    Heads are 1-based, 0 for a root, -1 for padding. A[i, j] is 1 if word j is word i or above it. Closure by
    repeated squaring: after k rounds A covers paths of 2**k edges. Counts stay below W + 1 and are exact in
    float32.
    """
    width = heads.shape[1]
    step = torch.nn.functional.one_hot(heads.clamp(min=0), width + 1)[..., 1:].float()
    closure = step + torch.eye(width, device=heads.device)
    for _ in range((width - 1).bit_length()):
        closure = (closure @ closure).clamp_(max=1)
    return closure


def tree_distance(heads: torch.Tensor) -> TreeDistance:
    """Compute distances from heads int64 [B, W]; each word of padding is a tree of its own."""
    with full_precision(heads.device), torch.no_grad():
        closure = ancestors(heads)
        shared = (closure @ closure.transpose(1, 2)).long()
        depth = shared.diagonal(dim1=1, dim2=2)
        path = depth[:, :, None] + depth[:, None, :] - 2 * shared
        return TreeDistance(depth - 1, path, shared > 0)


def first_edge(heads: torch.Tensor, relations: torch.Tensor, trees: TreeDistance, size: int) -> torch.Tensor:
    """Return the type of the first edge from word i to word j, int64 [B, W, W], below 2 * ``size``.

    If the path first goes up, it is the relation of i; if it goes down, ``size`` plus the relation of the
    child of i that is j or above j; 0 from a word to itself. ``heads`` and ``relations`` are int64 [B, W],
    the relations below ``size``.
    """
    with full_precision(heads.device), torch.no_grad():
        width = heads.shape[1]
        # child[c, i] is 1 if i is the head of c; above[j, c] is 1 if c is j or above it. Just one of the
        # words above j is a child of i, so the sum over c is that one's relation.
        child = torch.nn.functional.one_hot(heads.clamp(min=0), width + 1)[..., 1:].float()
        above = ancestors(heads)
        down = (above * relations[:, None, :].float()) @ child
        up = trees.path + trees.depth[:, :, None] - trees.depth[:, None, :]  # twice the edges to go up
        types = torch.where(up > 0, relations[:, :, None].expand_as(up), down.transpose(1, 2).long() + size)
        return types.masked_fill(trees.path == 0, 0)


# Buckets of the bias table; NEAREST is distance 1, and the last bucket is max_distance and above.
SPECIAL, SAME_WORD, OTHER_TREE, NEAREST = range(4)


class GraphBias(nn.Module):
    """The attention bias B of SSCP eq. 2: a learned number per bucket of tree distance and attention head.

    The bias table ``table``, float32 [3 + max_distance, heads], starts at zero: at step 0 the encoder is the
    backbone, but for the positions that the bias may replace. With ``linear`` the distance is that of the
    words in the sentence: a control without a tree. With ``relations``, their number and one for none, a
    second table ``edges`` adds a number for the first edge of the path: its relation and its direction.
    """

    def __init__(self, heads: int, max_distance: int, linear: bool = False, relations: int = 0) -> None:
        super().__init__()
        self.max_distance, self.linear = max_distance, linear
        self.table = nn.Parameter(torch.zeros(NEAREST + max_distance, heads))
        self.edges = nn.Parameter(torch.zeros(2 * relations, heads)) if relations else None

    def buckets(self, tokens: Tokens, trees: TreeDistance) -> torch.Tensor:
        """Return the bucket of every pair of tokens, int64 [B, L, L]: a row of the bias table."""
        assert tokens.words is not None
        word = tokens.words.clamp(min=0)
        if self.linear:
            distance = (word[:, :, None] - word[:, None, :]).abs()
            bucket = NEAREST - 1 + distance.clamp(max=self.max_distance)
        else:
            bucket = NEAREST - 1 + _per_token(trees.path.clamp(max=self.max_distance), word)
            bucket = bucket.masked_fill(~_per_token(trees.connected, word), OTHER_TREE)
        bucket = bucket.masked_fill(word[:, :, None] == word[:, None, :], SAME_WORD)
        return bucket.masked_fill(~_both_words(tokens.words), SPECIAL)

    def forward(self, tokens: Tokens, trees: TreeDistance) -> torch.Tensor:
        """Return B[b, h, i, j] = table[bucket(i, j), h], float32 [B, heads, L, L], with padding masked.

        The gradient reaches the tables.
        """
        bias = nn.functional.embedding(self.buckets(tokens, trees), self.table)
        if self.edges is not None:
            assert tokens.words is not None
            assert tokens.heads is not None
            assert tokens.relations is not None
            edge = first_edge(tokens.heads, tokens.relations, trees, len(self.edges) // 2)
            edge = edge.masked_fill(~trees.connected, 0)
            edge = _per_token(edge, tokens.words.clamp(min=0)).masked_fill(~_both_words(tokens.words), 0)
            bias = bias + nn.functional.embedding(edge, self.edges)
        # Only keys are masked: a query row that sees nothing would turn the softmax into NaN.
        masked = ~tokens.mask[:, None, None, :]
        return bias.permute(0, 3, 1, 2).masked_fill(masked, torch.finfo(bias.dtype).min)


def _both_words(words: torch.Tensor) -> torch.Tensor:
    """Whether neither token of a pair is special, bool [B, L, L]."""
    word = words >= 0
    return word[:, :, None] & word[:, None, :]


def _per_token(per_word: torch.Tensor, word: torch.Tensor) -> torch.Tensor:
    """From pairs of words [B, W, W] to pairs of tokens [B, L, L], by each token's word [B, L]."""
    rows = torch.arange(word.shape[0], device=word.device)[:, None, None]
    return per_word[rows, word[:, :, None], word[:, None, :]]
