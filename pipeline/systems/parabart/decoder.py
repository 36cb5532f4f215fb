"""ParaBART's syntactic encoder and decoder (Huang et al. 2021, section 3): vector and tree to sentence.

Both are BART's own layers (``transformers``), one of each. The decoder sees nothing of the source but its
vector.
"""

import copy
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import nn

from pipeline.nn.compute import on_device
from pipeline.nn.tokenizer import stack
from pipeline.syntax.constituency.tree import TOKENS

Template = Sequence[str]  # a linearised tree without words (``pipeline.syntax.constituency.tokens``)
Guidance = Literal["attention", "none"]
Target = Sequence[int]  # the subwords of a sentence to predict, the end among them unless it was cut

_PADDING = 0
_ID = {token: number for number, token in enumerate(TOKENS, 1)}
_MOST_TREE_TOKENS = 160  # as published (4.1)
_MOST_SUBWORDS = 256  # of a target, for a decoder that is not a BART's


class Memory(NamedTuple):
    """What the decoder attends to, [u; V]: the vector of each of B sentences, then the states of its tree."""

    states: torch.Tensor  # float [B, 1 + N, D]
    mask: torch.Tensor  # bool [B, 1 + N], False at padding


def decoder_config(backbone: Any, subwords: int) -> Any:
    """Return the configuration of one BART layer: a BART backbone's own, or of the backbone's width."""
    from transformers import BartConfig

    one = {"encoder_layers": 1, "decoder_layers": 1, "encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0}
    if backbone.model_type == "bart":
        return BartConfig.from_dict(backbone.to_dict() | one)
    heads, width = backbone.num_attention_heads, backbone.hidden_size
    sizes = dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), heads)
    sizes |= dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 4 * width)
    sizes |= {"vocab_size": subwords, "d_model": width, "max_position_embeddings": _MOST_SUBWORDS}
    return BartConfig(**sizes, **one)


class Paraphraser(nn.Module):
    """Predicts a sentence from ``memory``: ``states`` after each subword, ``logits`` of the next one.

    It is a training signal and cannot write: docs/parabart.md says why. The decoder reads the tree by
    attention (``guidance: attention``, as published) or not at all (``none``).

    ``table`` is the backbone's embedding of subwords and ``decoder`` a pretrained BART's, or None. A BART's
    first decoder layer is taken over and its table shared, as published. Any other decoder starts at random,
    with a copy of the table, so that its first steps do not move the encoder.
    """

    length: torch.Tensor  # float32 [], the mean norm of a row of the table

    def __init__(self, config: Any, guidance: Guidance, table: nn.Embedding, decoder: Any) -> None:
        super().__init__()
        from transformers.models.bart.modeling_bart import BartDecoder, BartEncoder

        self.config = config
        self.syntactic: Any = None
        if guidance != "none":
            syntactic = copy.deepcopy(config)
            syntactic.vocab_size, syntactic.pad_token_id = 1 + len(TOKENS), _PADDING
            syntactic.max_position_embeddings = _MOST_TREE_TOKENS
            self.syntactic = BartEncoder(syntactic)
        self.decoder = BartDecoder(config)
        self.decoder.embed_tokens = None  # it reads vectors, so that a shared table is saved once
        self.own_words: nn.Embedding | None = None
        if decoder is None:
            self.own_words = nn.Embedding.from_pretrained(table.weight.detach().clone(), freeze=False)
        else:
            wanted = self.decoder.state_dict()
            given = {name: value for name, value in decoder.state_dict().items() if name in wanted}
            self.decoder.load_state_dict(given)
        self._shared_table = [table]  # in a list, so that torch does not register it here
        self.register_buffer("length", table.weight.detach().float().norm(dim=1).mean())
        self.bias = nn.Parameter(torch.zeros(table.num_embeddings))

    @property
    def table(self) -> nn.Embedding:
        """The embedding of subwords, for input and output alike."""
        return self._shared_table[0] if self.own_words is None else self.own_words

    @torch.no_grad()
    def start_from_counts(self, counts: torch.Tensor) -> None:
        """Set the output bias to each subword's log frequency, from its ``counts`` [subwords]."""
        share = (counts + 1.0) / (counts + 1.0).sum()
        self.bias.copy_(share.log() - share.log().mean())

    def memory(self, vectors: torch.Tensor, templates: Sequence[Template] | None) -> Memory:
        """Return [u; V] of sentence vectors u [B, D] and linearised trees; without guidance u only."""
        states = vectors.unsqueeze(1)
        mask = torch.ones(states.shape[:2], dtype=torch.bool, device=states.device)
        if self.syntactic is None:
            return Memory(states, mask)
        assert templates is not None
        cut = [template[:_MOST_TREE_TOKENS] for template in templates]
        ids = on_device(stack([[_ID[token] for token in each] for each in cut], _PADDING), states.device)
        real = ids != _PADDING
        syntax = self.syntactic(input_ids=ids, attention_mask=real.long()).last_hidden_state
        states = torch.cat([states.to(syntax.dtype), syntax], dim=1)
        return Memory(states, torch.cat([mask, real], dim=1))

    def states(self, memory: Memory, subwords: torch.Tensor) -> torch.Tensor:
        """Return the states [B, T, D] after each subword, int64 [B, T]; they predict the next one."""
        return self.decoder(
            inputs_embeds=self.table(subwords),
            encoder_hidden_states=memory.states,
            encoder_attention_mask=memory.mask.long(),
            use_cache=False,
        ).last_hidden_state

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Return the logits of every subword, float32 [..., subwords], from states [..., D].

        The rows of a table that was not made for output have any norm, so logits are divided by the mean norm
        for a variance of about one at the start. (For a T5's table that is its own scaling.)
        """
        if self.own_words is not None:
            states = states / self.length
        return nn.functional.linear(states, self.table.weight, self.bias).float()

    def losses(self, memory: Memory, targets: Sequence[Target], start: int) -> torch.Tensor:
        """Return L_para of B targets, float32 [B], in nats summed over subwords.

        Each subword is predicted from ``start`` and those before it.
        """
        device = memory.states.device
        padded, counts = stack(targets, start), torch.tensor(list(map(len, targets)))
        # Rows that are not padding; computed here, because a mask on a GPU would have to be waited for.
        places = (torch.arange(padded.shape[1]) < counts[:, None]).flatten().nonzero().flatten()
        padded, places = on_device(padded, device), on_device(places, device)
        before = torch.cat([torch.full_like(padded[:, :1], start), padded[:, :-1]], dim=1)
        scores = self.logits(self.states(memory, before).flatten(0, 1)[places])  # none for padding
        wanted = padded.flatten()[places]
        losses = nn.functional.cross_entropy(scores, wanted, reduction="none")
        return losses.new_zeros(padded.numel()).index_put((places,), losses).view(padded.shape).sum(dim=1)
