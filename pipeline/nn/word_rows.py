"""Sentences to vectors and to the states of their words, in one pass."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from pipeline.nn.embedding import by_length, looked_up, token_budget
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokens import Encoded, Tokeniser
from pipeline.nn.words import pool_words


class Read(NamedTuple):
    """What an encoder makes of n sentences."""

    vectors: torch.Tensor  # float32 [n, D], not normalised
    words: torch.Tensor  # float32 [sum of words, D], the mean of a word's pieces; zero for a word cut off


def read(encoder: Encoder, tokeniser: Tokeniser, encoded: Sequence[Encoded]) -> Read:
    """Vectors and word states with their gradient, in the order given; computed in groups of like length.

    ``encoded`` must have trees, which say what the words are.
    """
    device = next(encoder.parameters()).device
    groups = list(by_length([len(sentence.ids) for sentence in encoded], token_budget(device)))
    lengths = np.array([len(sentence.heads or ()) for sentence in encoded], dtype=np.int64)
    vectors, words = [], []
    batches = [tokeniser.pad([encoded[row] for row in rows], device) for rows in groups]
    for rows, tokens in zip(groups, looked_up(encoder, batches), strict=True):
        assert tokens.words is not None
        states = encoder.states(tokens)
        vectors.append(encoder.pooled(states, tokens))
        width = int(lengths[rows].max())
        pooled = pool_words(states.float(), tokens.words, width, "mean")
        there = torch.arange(width) < torch.from_numpy(lengths[rows])[:, None]
        words.append(pooled[there.to(device)])
    if not groups:
        nothing = torch.zeros(0, encoder.width, device=device)
        return Read(nothing, nothing)
    order = np.concatenate(groups)
    starts = np.cumsum(lengths[order]) - lengths[order]  # where a sentence's words begin among those read
    begin = np.empty_like(starts)
    begin[order] = starts
    rows_of_words = np.repeat(begin - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    place = torch.from_numpy(np.argsort(order)).to(device)
    return Read(torch.cat(vectors)[place], torch.cat(words)[torch.from_numpy(rows_of_words).to(device)])
