"""The attention bias B of a syntax encoder (SSCP eq. 2): a learned number per head and tree distance.

The bias is a float attention mask [B, heads, L, L], added to the attention logits by the backbone itself, so
no layer is rewritten. The table is gathered once a forward pass and shared by all layers.
"""

import torch
from torch import nn

from pipeline.nn.tokens import Tokens
from pipeline.nn.tree_distance import TreeDistance

SPECIAL, SAME_WORD, OTHER_TREE, NEAREST = range(
    4
)  # NEAREST is distance 1; the last bucket is max_distance and up


class GraphBias(nn.Module):
    """A zero-initialised table [3 + max_distance, heads]; at step 0 the encoder is the backbone exactly.

    With ``linear`` the distance is the number of words between two words: a control that knows no tree.
    """

    def __init__(self, heads: int, max_distance: int, linear: bool = False) -> None:
        super().__init__()
        self.max_distance, self.linear = max_distance, linear
        self.table = nn.Parameter(torch.zeros(NEAREST + max_distance, heads))

    def buckets(self, tokens: Tokens, trees: TreeDistance) -> torch.Tensor:
        """Bucket of every pair of tokens, int64 [B, L, L]."""
        assert tokens.words is not None
        word = tokens.words.clamp(min=0)
        if self.linear:
            distance = (word[:, :, None] - word[:, None, :]).abs()
            bucket = NEAREST - 1 + distance.clamp(max=self.max_distance)
        else:
            bucket = NEAREST - 1 + _per_token(trees.path, word).clamp(max=self.max_distance)
            bucket = bucket.masked_fill(~_per_token(trees.connected, word), OTHER_TREE)
        bucket = bucket.masked_fill(word[:, :, None] == word[:, None, :], SAME_WORD)
        special = tokens.words < 0
        return bucket.masked_fill(special[:, :, None] | special[:, None, :], SPECIAL)

    def forward(self, tokens: Tokens, trees: TreeDistance) -> torch.Tensor:
        """The bias with padding masked, float32 [B, heads, L, L]; the gradient reaches the table."""
        bias = nn.functional.embedding(self.buckets(tokens, trees), self.table).permute(0, 3, 1, 2)
        # Keys alone are masked: a query row that sees nothing would turn the softmax into NaN.
        return bias.masked_fill(~tokens.mask[:, None, None, :], torch.finfo(bias.dtype).min)


def _per_token(per_word: torch.Tensor, word: torch.Tensor) -> torch.Tensor:
    """Spread [B, W, W] over pairs of tokens, [B, L, L], by each token's word [B, L]."""
    rows = torch.arange(word.shape[0], device=word.device)[:, None, None]
    return per_word[rows, word[:, :, None], word[:, None, :]]
