"""A sentence encoder: a backbone, with or without the trees of its sentences, and pooling.

``vectors`` encodes sentences for training, ``embed`` for use, both in batches of similar length.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import REFUSALS
from pipeline.nn.inference import (
    HasMode,
    equal_length_batches,
    evaluation_mode,
    in_given_order,
    length_batches,
    token_budget,
)
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer, Tokens
from pipeline.nn.tree_attention import GraphBias, GraphPosition, Position, first_position, tree_distance
from pipeline.syntax.sentence import HasTree

Pooling = Literal["mean", "cls", "max"]


def pool(states: torch.Tensor, mask: torch.Tensor, pooling: Pooling) -> torch.Tensor:
    """Pool token states [B, L, D] to sentence vectors, float32 [B, D]; ``mask`` bool [B, L], true at tokens.

    ``mean`` is SSCP eq. 6; ``cls`` the first token's state; ``max`` the largest value of each dimension.
    """
    states = states.float()
    if pooling == "cls":
        return states[:, 0]
    if pooling == "max":
        return states.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
    weight = mask.unsqueeze(-1).float()
    return (states * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1e-9)


def has_decoder(model: Any) -> bool:
    """Whether a backbone is an encoder-decoder, of which ``Encoder`` reads only the encoder."""
    return getattr(model, "decoder", None) is not None


def room(model: Any) -> int | None:
    """Return how many tokens a sentence may have; None for a model that counts distances."""
    # A T5 has no such number, an XLNet says -1.
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    return positions - first_position(model) if positions > 0 else None


class Encoder(nn.Module):
    """A backbone with attention bias, graph position and pooling; the backbone's code is not changed.

    Of an encoder-decoder, such as a BART, it is the encoder; a decoder's states have not read the whole text.
    ``max_distance`` switches the bias on; ``linear`` and ``edge_types`` are ``GraphBias``'s. Raises
    SynsemError if the backbone cannot take a bias or the position.
    """

    def __init__(
        self,
        model: Any,
        pooling: Pooling = "mean",
        position: Position = "absolute",
        max_distance: int | None = None,
        linear: bool = False,
        edge_types: bool = False,
    ) -> None:
        super().__init__()
        if has_decoder(model):
            model = model.get_encoder()
        self.model, self.pooling = model, pooling
        self.position = GraphPosition(model, position)
        self.bias: GraphBias | None = None
        if max_distance is not None:
            require_bias(model, "sscp.bias: none")
            self.bias = GraphBias(attention_heads(model.config), max_distance, linear, edge_types)

    @property
    def width(self) -> int:
        """Dimensions of a sentence vector."""
        return int(self.model.config.hidden_size)

    @property
    def needs_trees(self) -> bool:
        """Whether ``Tokens`` must carry words and heads."""
        return self.bias is not None or self.position.position in ("graph", "both")

    @property
    def depth(self) -> int:
        """Layers of the backbone."""
        return int(self.model.config.num_hidden_layers)

    def states(self, tokens: Tokens) -> torch.Tensor:
        """Token states [B, L, D] of the last layer, in the precision of the current autocast."""
        states: torch.Tensor = self._run(tokens).last_hidden_state
        return states

    def layers(self, tokens: Tokens) -> list[torch.Tensor]:
        """Token states [B, L, D] of the embeddings, of each layer, and once more of the last, as ``states``.

        The last two differ in families that normalise what the last layer gives.
        """
        found = self._run(tokens, output_hidden_states=True)
        return [*found.hidden_states, found.last_hidden_state]

    def _run(self, tokens: Tokens, **options: Any) -> Any:
        trees = None
        if self.needs_trees:
            assert tokens.heads is not None
            trees = tree_distance(tokens.heads)
        mask: torch.Tensor = tokens.mask.long()
        if self.bias is not None and trees is not None:
            require_window(self.model, tokens.ids.shape[1], "encoder.max_tokens")
            mask = self.bias(tokens, trees)
            if torch.is_autocast_enabled(mask.device.type):  # SDPA needs the mask in the type of the queries
                mask = mask.to(torch.get_autocast_dtype(mask.device.type))
        return self.model(attention_mask=mask, **self.position(self.model, tokens, trees), **options)

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, D], not normalised."""
        return self.pooled(self.states(tokens), tokens)

    def pooled(self, states: torch.Tensor, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, D], from the result of ``states``."""
        return pool(states, tokens.mask, self.pooling)


@torch.no_grad()
def takes_bias(model: Any) -> bool:
    """Whether the model adds a float mask [B, heads, L, L] to its attention logits; found by trying it."""
    try:
        device = next(model.parameters()).device
        ids = torch.arange(4, device=device).remainder(model.config.vocab_size)[None]
        zeros = torch.zeros(1, model.config.num_attention_heads, 4, 4, device=device)
        slope = zeros - torch.arange(4.0, device=device)
        with evaluation_mode(model):
            plain = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
            unbiased = model(input_ids=ids, attention_mask=zeros).last_hidden_state
            biased = model(input_ids=ids, attention_mask=slope).last_hidden_state
    except REFUSALS:
        return False
    return torch.allclose(plain, unbiased, atol=1e-5) and not torch.allclose(plain, biased, atol=1e-5)


def require_window(model: Any, length: int, key: str) -> None:
    """Raise SynsemError if a bias on ``length`` tokens, limited by ``key``, would widen what attention sees.

    The bias replaces the family's own mask, which masks tokens further away than its window.
    """
    window = getattr(model.config, "local_attention", None)
    if window is not None and length - 1 > window // 2:
        raise SynsemError(
            f"{key}: the {model.config.model_type} encoder attends locally, to {window // 2} tokens, "
            f"so a bias needs at most {window // 2 + 1} here"
        )


def require_bias(model: Any, without: str) -> None:
    """Raise SynsemError if a model takes no attention bias; ``without`` is the setting that needs none."""
    if not takes_bias(model):
        raise SynsemError(
            f"encoder.model: the {model.config.model_type} encoder does not take an attention bias; set "
            f"{without}, or encoder.model to a BERT, RoBERTa, MPNet, DistilBERT or ModernBERT model"
        )


def attention_heads(config: Any) -> int:
    """Return the attention heads of a layer; SynsemError for a backbone without any, such as an FNet."""
    heads = getattr(config, "num_attention_heads", None)
    if heads is None:
        raise SynsemError(
            f"encoder.model: the {config.model_type} encoder has no attention heads; name one that has, such "
            "as a BERT"
        )
    return int(heads)


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
    """Return sentence vectors, float32 [n, D], not normalised, with their gradient, in the order given."""
    device = next(encoder.parameters()).device
    groups = list(length_batches([len(sentence.ids) for sentence in encoded], token_budget(device)))
    batches = [tokenizer.pad([encoded[row].read_part() for row in rows], device) for rows in groups]
    parts = [encoder(tokens) for tokens in with_input_embeddings(encoder, batches)]
    return in_given_order(parts, groups) if parts else torch.zeros(0, encoder.width, device=device)


def with_input_embeddings(encoder: Encoder, batches: Sequence[Tokens]) -> list[Tokens]:
    """Return the batches with their input embeddings, from one look-up for all.

    The gradient of a look-up is as large as the embedding table: one per batch would cost a tenth of a step.
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
    """Return unit vectors of every sentence from every encoder, float32 [n, D] each, in the order given.

    The encoders are in evaluation mode meanwhile. With ``exact``, on a CPU, a vector has the same bits
    whatever other sentences are encoded, at the cost of small batches.
    """
    device = next(iter(next(iter(encoders.values())).parameters())).device
    found = {
        name: np.zeros((len(sentences), encoder.width), dtype=np.float32)
        for name, encoder in encoders.items()
    }
    encoded = tokenizer.encode(sentences, trees=any(encoder.needs_trees for encoder in encoders.values()))
    lengths = [len(sentence.ids) for sentence in encoded]
    batches = equal_length_batches if exact else length_batches
    with evaluation_mode(*encoders.values()):
        for rows in batches(lengths, token_budget(device)):
            tokens = tokenizer.pad([encoded[row].read_part() for row in rows], device)
            for name, encoder in encoders.items():
                found[name][rows] = F.normalize(encoder(tokens), dim=-1).cpu().numpy()
    return found
