"""Linearised constituency trees for ParaBART's syntactic encoder and decoder (Huang et al. 2021, section 3).

Trees become token ids (``tree_tokens``), with the token of each word's leaf, which the decoder is given word
by word (``leaf_positions``).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import torch

from pipeline.nn.inference import on_device
from pipeline.nn.tokenizer import stack
from pipeline.syntax.constituency import constituents, derive
from pipeline.syntax.constituency.tree import CLOSE, TOKENS, Tree
from pipeline.syntax.sentence import HasTree

PADDING = 0
VOCABULARY = 1 + len(TOKENS)
_ID = {token: number for number, token in enumerate(TOKENS, 1)}

Template = Sequence[str]  # tokens of ``TOKENS``, as ``pipeline.syntax.constituency.tokens`` gives them


class TreeTokens(NamedTuple):
    """A padded batch of B linearised trees of at most N tokens, on one device."""

    ids: torch.Tensor  # int64 [B, N]
    mask: torch.Tensor  # bool [B, N], False at padding
    leaves: torch.Tensor  # int64 [B, W], the position of each word's leaf; after the last word the tree's end


def tree_tokens(
    templates: Sequence[Template], max_tokens: int, device: torch.device | str = "cpu"
) -> TreeTokens:
    """The first ``max_tokens`` tokens of each tree, padded."""
    cut = [template[:max_tokens] for template in templates]
    ids = on_device(stack([[_ID[token] for token in template] for template in cut], PADDING), device)
    leaves = [leaf_positions(template) for template in cut]
    width = max(map(len, leaves))
    padded = torch.tensor([each + each[-1:] * (width - len(each)) for each in leaves])
    return TreeTokens(ids, ids != PADDING, on_device(padded, device))


def leaf_positions(template: Template) -> list[int]:
    """The position of each word's leaf among the tokens; the last entry is the end of the tree."""
    leaves = [
        place for place, (token, after) in enumerate(pairwise(template)) if token != CLOSE and after == CLOSE
    ]
    return [*leaves, len(template) - 1]


class TreeCache:
    """The constituency tree of a sentence: its own if it has one, unless ``derived``, else ``derive``'s.

    Trees given to ``remember`` are made once until ``forget``. Sentences are compared by identity, so the
    cache keeps them alive.
    """

    def __init__(self, derived: bool) -> None:
        self._make, self._known = derive if derived else constituents, dict[int, tuple[HasTree, Tree]]()

    def __call__(self, sentence: HasTree) -> Tree:
        """The tree of a sentence."""
        known = self._known.get(id(sentence))
        return self._make(sentence) if known is None else known[1]

    def remember(self, sentence: HasTree) -> Tree:
        """The same, and kept."""
        tree = self(sentence)
        self._known[id(sentence)] = sentence, tree
        return tree

    def forget(self) -> None:
        """Drop all kept trees."""
        self._known.clear()
