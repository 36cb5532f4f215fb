"""Sentences to vectors and word states, in batches of similar length under a budget of tokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from pipeline.nn.amp import full_precision
from pipeline.nn.encoder import Encoder
from pipeline.nn.inference import (
    HasMode,
    equal_length_batches,
    evaluation_mode,
    in_given_order,
    length_batches,
    on_device,
    token_budget,
)
from pipeline.nn.packing import WORTH_TOKENS, batch_invariant, quick_products
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer, Tokens, pool_words
from pipeline.syntax.sentence import HasTree


class SentenceEncoder(HasMode, Protocol):
    """A module that makes sentence vectors [B, width]: an ``Encoder`` or a BiLSTM."""

    @property
    def width(self) -> int:
        """Dimensions of a sentence vector."""
        ...

    @property
    def needs_trees(self) -> bool:
        """Whether ``Tokens`` must carry words and heads."""
        ...

    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors [B, width] of a batch, not normalised."""
        ...

    def parameters(self) -> Iterator[torch.nn.Parameter]:
        """As any module's."""
        ...


def vectors(
    encoder: Encoder, tokenizer: SentenceTokenizer, encoded: Sequence[EncodedSentence]
) -> torch.Tensor:
    """Sentence vectors, float32 [n, D], not normalised, with their gradient, in the order given."""
    device = next(encoder.parameters()).device
    groups = list(length_batches([len(sentence.ids) for sentence in encoded], token_budget(device)))
    batches = [tokenizer.pad([encoded[row].read_part() for row in rows], device) for rows in groups]
    parts = [encoder(tokens) for tokens in with_input_embeddings(encoder, batches)]
    return in_given_order(parts, groups) if parts else torch.zeros(0, encoder.width, device=device)


def with_input_embeddings(encoder: Encoder, batches: Sequence[Tokens]) -> list[Tokens]:
    """The batches with their input embeddings, from one look-up for all.

    The gradient of a look-up is as large as the embedding table: one a batch would cost a tenth of a step.
    """
    if len(batches) < 2:
        return list(batches)
    words = encoder.model.get_input_embeddings()(torch.cat([tokens.ids.flatten() for tokens in batches]))
    parts = words.split([tokens.ids.numel() for tokens in batches])
    return [
        replace(tokens, embedded=part.view(*tokens.ids.shape, -1))
        for tokens, part in zip(batches, parts, strict=True)
    ]


@torch.inference_mode()
def embed(
    encoders: Mapping[str, SentenceEncoder],
    tokenizer: SentenceTokenizer,
    sentences: Sequence[HasTree],
    exact: bool = False,
) -> dict[str, NDArray[np.float32]]:
    """Unit vectors of every sentence from every encoder, float32 [n, D] each, in the order given.

    The encoders are in evaluation mode meanwhile. With ``exact``, on a CPU, a vector has the same bits
    whatever sentences are beside it; where there are few sentences that costs small batches.
    """
    device = next(iter(next(iter(encoders.values())).parameters())).device
    found = {
        name: np.zeros((len(sentences), encoder.width), dtype=np.float32)
        for name, encoder in encoders.items()
    }
    encoded = tokenizer.encode(sentences, trees=any(encoder.needs_trees for encoder in encoders.values()))
    lengths = [len(sentence.ids) for sentence in encoded]
    many = sum(lengths)
    if exact:  # in a call of any size the same products, since packed ones round otherwise than torch's
        many = WORTH_TOKENS if batch_invariant() else 0
    with evaluation_mode(*encoders.values()), quick_products(many, *encoders.values()):
        batches = equal_length_batches if exact else length_batches
        for rows in batches(lengths, token_budget(device)):
            tokens = tokenizer.pad([encoded[row].read_part() for row in rows], device)
            for name, encoder in encoders.items():
                found[name][rows] = F.normalize(encoder(tokens), dim=-1).cpu().numpy()
    return found


class SentenceAndWordStates(NamedTuple):
    """Vectors of n sentences and the states of their words."""

    vectors: torch.Tensor  # float32 [n, D], not normalised
    words: torch.Tensor  # float32 [sum of words, D], the mean over a word's subwords; zero for a word cut off


def encode_with_words(
    encoder: Encoder, tokenizer: SentenceTokenizer, encoded: Sequence[EncodedSentence]
) -> SentenceAndWordStates:
    """Vectors and word states with their gradient, in the order given; one pass gives both.

    ``encoded`` must have trees, which give the words.
    """
    device = next(encoder.parameters()).device
    groups = list(length_batches([len(sentence.ids) for sentence in encoded], token_budget(device)))
    lengths = np.array([len(sentence.heads or ()) for sentence in encoded], dtype=np.int64)
    vectors, words = [], []
    batches = [tokenizer.pad([encoded[row] for row in rows], device) for rows in groups]
    for rows, tokens in zip(groups, with_input_embeddings(encoder, batches), strict=True):
        assert tokens.words is not None
        states = encoder.states(tokens)
        vectors.append(encoder.pooled(states, tokens))
        width = int(lengths[rows].max())
        with full_precision(device):
            pooled = pool_words(states.float(), tokens.words, width, "mean")
        there = torch.arange(width) < torch.from_numpy(lengths[rows])[:, None]
        words.append(pooled[on_device(there, device)])
    if not groups:
        nothing = torch.zeros(0, encoder.width, device=device)
        return SentenceAndWordStates(nothing, nothing)
    order = np.concatenate(groups)
    # Of all words, in the order given, where they stand among those read: by the number of their sentence.
    places = np.argsort(np.repeat(order, lengths[order]), kind="stable")
    return SentenceAndWordStates(
        in_given_order(vectors, groups), torch.cat(words)[on_device(torch.from_numpy(places), device)]
    )
