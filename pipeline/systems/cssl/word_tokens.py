"""A parser's tokens and words: subwords in, a state for the root and for each word out.

The encoder reads subwords, whose states are pooled to those of words. Or it reads one token a word, the mean
of its subwords' input embeddings (``cssl.subwords=embeddings``), which are fewer tokens and so less time.
"""

import dataclasses
from typing import Literal

import torch
from torch.nn import functional as F

from pipeline.nn.tokenizer import NO_WORD, Tokens, pool_words

Subwords = Literal["mean", "first", "embeddings"]


def merge_subwords(
    tokens: Tokens, embedded: torch.Tensor, root: torch.Tensor, real: torch.Tensor, most: int
) -> Tokens:
    """The same B sentences with the root and one token a word, W + 1 of them or ``most``.

    ``embedded`` float [B, L, D] are the input embeddings of ``tokens``, ``root`` [D] is the root's, and
    ``real`` bool [B, W] says where there is a word. Special tokens are left out.
    """
    assert tokens.words is not None
    words = pool_words(embedded, tokens.words, real.shape[1], "mean")
    rows = torch.cat([root.to(words.dtype).expand(len(words), 1, -1), words], dim=1)[:, :most]
    mask = F.pad(real, (1, 0), value=True)[:, :most]
    numbers = torch.arange(-1, rows.shape[1] - 1, device=mask.device)
    return Tokens(
        # Where embeddings are given, only their shape is read.
        ids=torch.zeros_like(mask, dtype=torch.int64),
        mask=mask,
        words=torch.where(mask & (numbers >= 0), numbers, NO_WORD),
        heads=None,
        embedded=rows,
    )


def word_states(
    states: torch.Tensor, tokens: Tokens, root: torch.Tensor, real: torch.Tensor, subwords: Subwords
) -> torch.Tensor:
    """From token states [B, L, D] to those of root and words, [B, W + 1, D]; ``real`` bool [B, W].

    The root's state is ``root`` [D], or that of its token. It is zero for words that were cut off.
    """
    if subwords == "embeddings":
        return F.pad(states, (0, 0, 0, real.shape[1] + 1 - states.shape[1]))
    assert tokens.words is not None
    words = pool_words(states, tokens.words, real.shape[1], subwords)
    return torch.cat([root.to(words.dtype).expand(len(words), 1, -1), words], dim=1)


def first_rows(tokens: Tokens, count: int) -> Tokens:
    """The first ``count`` sentences of a batch."""
    assert tokens.words is not None
    return dataclasses.replace(
        tokens,
        ids=tokens.ids[:count],
        mask=tokens.mask[:count],
        words=tokens.words[:count],
        embedded=None if tokens.embedded is None else tokens.embedded[:count],
    )
