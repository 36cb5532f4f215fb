"""A sentence encoder: a backbone, with or without the trees of its sentences, and pooling.

``vectors`` encodes sentences for training, ``embed`` for use, both in batches of similar length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from pipeline.nn.backbone import check_bias, check_positions, first_position, has_decoder
from pipeline.nn.compute import Views, evaluation_mode, in_given_order, token_budget
from pipeline.nn.length_batches import equal_length_batches, length_batches
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer, Tokens
from pipeline.nn.tree_attention import GraphBias, tree_distance
from pipeline.syntax.sentence import Sentence

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


class SentenceEncoder(nn.Module):
    """A module that turns ``Tokens`` into sentence vectors [B, width], not normalised."""

    width: int  # dimensions of a sentence vector
    needs_trees: bool  # whether ``Tokens`` must carry words and heads


class Encoder(SentenceEncoder):
    """A backbone with pooling and, for sentences with trees, an attention bias; its code is not changed.

    Of an encoder-decoder, such as a BART, it is the encoder; a decoder's states have not read the whole text.
    With the ``position`` none all tokens have the same one, so only the bias shows where they stand.
    ``max_distance`` switches the bias on; ``linear`` is ``GraphBias``'s. Raises SynsemError if the backbone
    cannot take a bias or be kept from seeing the order of tokens.
    """

    def __init__(
        self,
        model: Any,
        pooling: Pooling = "mean",
        position: Literal["absolute", "none"] = "absolute",
        max_distance: int | None = None,
        linear: bool = False,
    ) -> None:
        super().__init__()
        if has_decoder(model):
            model = model.get_encoder()
        self.model, self.pooling = model, pooling
        if position == "none":
            check_positions(model, "sscp.position: absolute")
        self.position = position
        self.bias: GraphBias | None = None
        if max_distance is not None:
            check_bias(model, "sscp.bias: none")
            self.bias = GraphBias(model.config.num_attention_heads, max_distance, linear)
        self.width = int(model.config.hidden_size)
        self.needs_trees = self.bias is not None

    def states(self, tokens: Tokens, bias: torch.Tensor | None = None) -> torch.Tensor:
        """Token states [B, L, D] of the last layer, in the precision of the current autocast.

        ``bias`` float [B, heads, L, L], which hides padding, takes the place of the encoder's own.
        """
        return self._run(tokens, bias).last_hidden_state

    def layers(self, tokens: Tokens) -> list[torch.Tensor]:
        """Token states [B, L, D] of the embeddings, of each layer, and once more of the last, as ``states``.

        The last two differ in families that normalise what the last layer gives.
        """
        found = self._run(tokens, output_hidden_states=True)
        return [*found.hidden_states, found.last_hidden_state]

    def inputs(self, tokens: Tokens) -> dict[str, torch.Tensor]:
        """Keywords of the backbone: ids [B, L] or embeddings [B, L, D], and positions if not its own."""
        given = {"input_ids": tokens.ids} if tokens.embedded is None else {"inputs_embeds": tokens.embedded}
        if self.position == "none":
            # The first word's. At the first token's own, every sentence of MiniLM has the same vector.
            given["position_ids"] = torch.full_like(tokens.ids, first_position(self.model) + 1)
        return given

    def _run(self, tokens: Tokens, bias: torch.Tensor | None = None, **options: Any) -> Any:
        if bias is None and self.bias is not None:
            assert tokens.heads is not None
            bias = self.bias(tokens, tree_distance(tokens.heads))
        mask = tokens.mask.long() if bias is None else bias
        if bias is not None and torch.is_autocast_enabled(mask.device.type):
            mask = mask.to(torch.get_autocast_dtype(mask.device.type))  # SDPA needs the type of the queries
        return self.model(attention_mask=mask, **self.inputs(tokens), **options)

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, D], not normalised."""
        return pool(self.states(tokens), tokens.mask, self.pooling)


def vectors(
    encoder: Encoder, tokenizer: SentenceTokenizer, encoded: Sequence[EncodedSentence]
) -> torch.Tensor:
    """Return sentence vectors, float32 [n, D], not normalised, with their gradient, in the order given."""
    device = next(encoder.parameters()).device
    if not encoded:
        return torch.zeros(0, encoder.width, device=device)
    groups = list(length_batches([len(sentence.ids) for sentence in encoded], token_budget(device)))
    batches = [tokenizer.pad([encoded[row].read_part() for row in rows], device) for rows in groups]
    # One look-up for all batches: its gradient is as large as the table, so one each would cost a tenth more.
    ids = torch.cat([tokens.ids.flatten() for tokens in batches])
    words = encoder.model.get_input_embeddings()(ids).split([tokens.ids.numel() for tokens in batches])
    parts = [
        encoder(replace(tokens, embedded=part.view(*tokens.ids.shape, -1)))
        for tokens, part in zip(batches, words, strict=True)
    ]
    return in_given_order(parts, groups)


@torch.inference_mode()
def embed(
    encoders: Mapping[str, SentenceEncoder],
    tokenizer: SentenceTokenizer,
    sentences: Sequence[Sentence],
    exact: bool = False,
) -> Views:
    """Return unit vectors of every sentence from every encoder, float32 [n, D] each, in the order given.

    The encoders are in evaluation mode meanwhile. With ``exact``, on a CPU, a vector has the same bits
    whatever other sentences are encoded, at the cost of small batches.
    """
    device = next(iter(next(iter(encoders.values())).parameters())).device
    size = len(sentences)
    found = {name: np.zeros((size, each.width), dtype=np.float32) for name, each in encoders.items()}
    encoded = tokenizer.encode(sentences, trees=any(encoder.needs_trees for encoder in encoders.values()))
    lengths = [len(sentence.ids) for sentence in encoded]
    batches = equal_length_batches if exact else length_batches
    with evaluation_mode(*encoders.values()):
        for rows in batches(lengths, token_budget(device)):
            tokens = tokenizer.pad([encoded[row].read_part() for row in rows], device)
            for name, encoder in encoders.items():
                found[name][rows] = F.normalize(encoder(tokens), dim=-1).cpu().numpy()
    return found
