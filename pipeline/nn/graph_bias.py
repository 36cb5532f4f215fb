"""The attention bias B of a syntax encoder (SSCP eq. 2): learned numbers per head, by distance and edge.

The bias is a float attention mask [B, heads, L, L], added to the attention logits by the backbone itself, so
no layer is rewritten. The table is gathered once a forward pass and shared by all layers.
"""

import torch
from torch import nn

from pipeline.nn.graph_path import first_edge, steps
from pipeline.nn.relations import SIZE
from pipeline.nn.tokens import Tokens
from pipeline.nn.tree_distance import TreeDistance

SPECIAL, SAME_WORD, OTHER_TREE, NEAREST = range(
    4
)  # NEAREST is distance 1; the last bucket is max_distance and up


class GraphBias(nn.Module):
    """Zero-initialised tables of a number per head; at step 0 the encoder is the backbone exactly.

    ``table`` has a row for each of [3 + max_distance] buckets. With ``linear`` the distance is the number of
    words between two words: a control that knows no tree. With ``directed`` a bucket is a pair of steps, up
    and down, each clipped at ``max_distance``, so that a head can be told from its dependent. With
    ``edge_types`` a second table, ``edges``, adds the first edge of the path: the relation and whether it is
    gone up or down.
    """

    def __init__(
        self,
        heads: int,
        max_distance: int,
        linear: bool = False,
        directed: bool = False,
        edge_types: bool = False,
    ) -> None:
        super().__init__()
        self.max_distance, self.linear, self.directed = max_distance, linear, directed
        buckets = (max_distance + 1) ** 2 - 1 if directed else max_distance
        self.table = nn.Parameter(torch.zeros(NEAREST + buckets, heads))
        self.edges = nn.Parameter(torch.zeros(2 * SIZE, heads)) if edge_types else None

    def buckets(self, tokens: Tokens, trees: TreeDistance) -> torch.Tensor:
        """Bucket of every pair of tokens, int64 [B, L, L]."""
        assert tokens.words is not None
        word = tokens.words.clamp(min=0)
        if self.linear:
            distance = (word[:, :, None] - word[:, None, :]).abs()
            bucket = NEAREST - 1 + distance.clamp(max=self.max_distance)
        else:
            distance = trees.path.clamp(max=self.max_distance)
            if self.directed:
                up, down = (part.clamp(min=0, max=self.max_distance) for part in steps(trees))
                distance = up * (self.max_distance + 1) + down
            bucket = NEAREST - 1 + _per_token(distance, word)
            bucket = bucket.masked_fill(~_per_token(trees.connected, word), OTHER_TREE)
        bucket = bucket.masked_fill(word[:, :, None] == word[:, None, :], SAME_WORD)
        return bucket.masked_fill(~_both_words(tokens.words), SPECIAL)

    def forward(self, tokens: Tokens, trees: TreeDistance) -> torch.Tensor:
        """The bias with padding masked, float32 [B, heads, L, L]; the gradient reaches the tables."""
        bias = nn.functional.embedding(self.buckets(tokens, trees), self.table)
        if self.edges is not None:
            assert tokens.words is not None
            assert tokens.heads is not None
            assert tokens.relations is not None
            edge = first_edge(tokens.heads, tokens.relations, trees, SIZE).masked_fill(~trees.connected, 0)
            edge = _per_token(edge, tokens.words.clamp(min=0)).masked_fill(~_both_words(tokens.words), 0)
            bias = bias + nn.functional.embedding(edge, self.edges)
        # Keys alone are masked: a query row that sees nothing would turn the softmax into NaN.
        masked = ~tokens.mask[:, None, None, :]
        return bias.permute(0, 3, 1, 2).masked_fill(masked, torch.finfo(bias.dtype).min)


def _both_words(words: torch.Tensor) -> torch.Tensor:
    """Where neither token of a pair is special, bool [B, L, L]."""
    word = words >= 0
    return word[:, :, None] & word[:, None, :]


def _per_token(per_word: torch.Tensor, word: torch.Tensor) -> torch.Tensor:
    """Spread [B, W, W] over pairs of tokens, [B, L, L], by each token's word [B, L]."""
    rows = torch.arange(word.shape[0], device=word.device)[:, None, None]
    return per_word[rows, word[:, :, None], word[:, None, :]]
