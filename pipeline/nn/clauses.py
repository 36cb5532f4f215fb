"""Hierarchical pooling: tokens to clauses, clauses to the sentence (SSCP proposes it as future work).

The mean over all tokens drowns a short main clause in a long subordinate one; here every clause weighs alike.
"""

import torch

from pipeline.nn.relations import CLAUSAL_NUMBERS
from pipeline.nn.tokens import Tokens
from pipeline.nn.tree_distance import ancestors


def clause_heads(heads: torch.Tensor, relations: torch.Tensor) -> torch.Tensor:
    """The word (0-based) that heads each word's clause, int64 [B, W]: the nearest clausal one at or above it.

    ``heads`` int64 [B, W] as in ``Tokens``, ``relations`` likewise.
    """
    above = ancestors(heads)
    opens = torch.isin(relations, torch.tensor(CLAUSAL_NUMBERS, device=heads.device)) | (heads <= 0)
    depth = above.sum(dim=2)
    # Of the clausal words at or above a word, the nearest is the deepest.
    return (above * opens[:, None] * depth[:, None]).argmax(dim=2)


def pool_clauses(states: torch.Tensor, tokens: Tokens) -> torch.Tensor:
    """The mean of the means of the clauses' tokens, float32 [B, D], from states [B, L, D].

    A sentence without a word, where the special tokens alone are left, is the mean of its tokens.
    """
    assert tokens.words is not None
    assert tokens.heads is not None
    assert tokens.relations is not None
    states = states.float()
    clause = clause_heads(tokens.heads, tokens.relations).gather(1, tokens.words.clamp(min=0))
    inside = tokens.words >= 0
    count = tokens.heads.shape[1]
    member = (clause[:, None] == torch.arange(count, device=states.device)[:, None]) & inside[:, None]
    sizes = member.sum(dim=2)
    clauses = (sizes > 0).sum(dim=1, keepdim=True)
    weight = (member / sizes.clamp(min=1)[:, :, None]).sum(dim=1) / clauses.clamp(min=1)
    plain = tokens.mask / tokens.mask.sum(dim=1, keepdim=True).clamp(min=1)
    weight = torch.where(clauses > 0, weight, plain)
    return (states * weight[:, :, None]).sum(dim=1)
