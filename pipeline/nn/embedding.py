"""Sentences to vectors, in bulk: sorted by length, batched by a budget of tokens, back in their order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from pipeline.nn.encoder import Encoder
from pipeline.nn.tokens import Encoded, Tokeniser, Tokens
from pipeline.sentences import HasTree

# Padding included. On a CPU padding costs more than small matrices do, and small ones stay in the cache.
TOKENS_PER_BATCH = {"cpu": 768, "cuda": 32_768}
HALF_TOKENS_PER_BATCH = 4096  # on a CPU in half precision, where matrices multiply so fast that calls tell


class SentenceEncoder(Protocol):
    """A module that makes sentence vectors [B, width]: an ``Encoder``, or another of its manners."""

    training: bool

    @property
    def width(self) -> int:
        """Dimensions of a sentence vector."""
        ...

    @property
    def needs_trees(self) -> bool:
        """Whether ``Tokens`` must carry words and heads."""
        ...

    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Vectors of a batch."""
        ...

    def parameters(self) -> Iterator[torch.nn.Parameter]:
        """As any module's."""
        ...

    def train(self, mode: bool = True) -> object:
        """As any module's."""
        ...


def vectors(encoder: Encoder, tokeniser: Tokeniser, encoded: Sequence[Encoded]) -> torch.Tensor:
    """Sentence vectors, float32 [n, D], not normalised, with their gradient; in groups of like length."""
    device = next(encoder.parameters()).device
    groups = list(by_length([len(sentence.ids) for sentence in encoded], token_budget(device)))
    batches = [tokeniser.pad([encoded[row] for row in rows], device) for rows in groups]
    parts = [encoder(tokens) for tokens in looked_up(encoder, batches)]
    if not parts:
        return torch.zeros(0, encoder.width, device=device)
    place = torch.from_numpy(np.argsort(np.concatenate(groups)))
    return torch.cat(parts)[place.to(device)]


def looked_up(encoder: Encoder, batches: Sequence[Tokens]) -> list[Tokens]:
    """The batches with their word embeddings, all from one look-up.

    The gradient of a look-up is as large as the whole table: one for each batch would cost a tenth of a step.
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
    tokeniser: Tokeniser,
    sentences: Sequence[HasTree],
) -> dict[str, NDArray[np.float32]]:
    """Unit vectors of every sentence from every encoder, float32 [n, D] each, in the order given.

    The encoders are put in evaluation mode and left as they were found.
    """
    device = next(iter(next(iter(encoders.values())).parameters())).device
    training = {name: encoder.training for name, encoder in encoders.items()}
    found = {
        name: np.zeros((len(sentences), encoder.width), dtype=np.float32)
        for name, encoder in encoders.items()
    }
    for encoder in encoders.values():
        encoder.train(False)
    encoded = tokeniser.encode(sentences, trees=any(encoder.needs_trees for encoder in encoders.values()))
    for rows in by_length([len(sentence.ids) for sentence in encoded], token_budget(device)):
        tokens = tokeniser.pad([encoded[row] for row in rows], device)
        for name, encoder in encoders.items():
            found[name][rows] = F.normalize(encoder(tokens), dim=-1).cpu().numpy()
    for name, encoder in encoders.items():
        encoder.train(training[name])
    return found


def token_budget(device: torch.device) -> int:
    """Tokens of a batch, padding included, that suit a device and the precision it computes in now."""
    # In training the budget is the same in every precision, so that groups and thus sums are.
    if device.type == "cpu" and torch.is_inference_mode_enabled() and torch.is_autocast_enabled("cpu"):
        return HALF_TOKENS_PER_BATCH
    return TOKENS_PER_BATCH.get(device.type, TOKENS_PER_BATCH["cpu"])


def by_length(lengths: Sequence[int], budget: int) -> Iterator[NDArray[np.int64]]:
    """Row numbers in batches, longest first: at most ``budget`` tokens with padding, at least one row."""
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size
