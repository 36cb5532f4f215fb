"""ParaBART's syntactic encoder and decoder (Huang et al. 2021, section 3): vector and tree to sentence.

Both are BART's own layers (``transformers``), one of each. The decoder sees nothing of the source but its
vector.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import nn

from pipeline.nn.encoder import attention_heads
from pipeline.nn.inference import on_device
from pipeline.systems.parabart.trees import PADDING, VOCABULARY, TreeTokens
from pipeline.systems.parabart.words import WordCount

_LONGEST = 256  # subwords of a target that a decoder without pretraining can have


class Memory(NamedTuple):
    """What the decoder attends to, [u; V]: of B sentences, the vector and then the tree's N states."""

    states: torch.Tensor  # float [B, 1 + N, D]
    mask: torch.Tensor  # bool [B, 1 + N], False at padding
    leaves: torch.Tensor | None = None  # int64 [B, W], which state is the leaf of each word; None: no tree


def decoder_config(backbone: Any, subwords: int) -> Any:
    """The configuration of one BART layer: a BART backbone's own, else of the backbone's width and heads."""
    from transformers import BartConfig

    one = {"encoder_layers": 1, "decoder_layers": 1, "encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0}
    if backbone.model_type == "bart":
        return BartConfig.from_dict(backbone.to_dict() | one)
    heads, width = attention_heads(backbone), backbone.hidden_size
    sizes = dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), heads)
    sizes |= dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 4 * width)
    return BartConfig(vocab_size=subwords, d_model=width, max_position_embeddings=_LONGEST, **sizes, **one)


class Paraphraser(nn.Module):
    """Predicts a sentence from ``memory``: ``states`` after each subword, ``logits`` of the next one.

    A training signal and no writer: docs/parabart.md says why.

    ``config`` is ``decoder_config``'s; ``max_tree_tokens`` the longest tree. Without ``guided`` no tree is
    read. With ``vector_every_step`` the sentence vector is added to each subword that the decoder reads; with
    ``word_count`` the state of the next word's leaf.

    ``table`` is the backbone's embedding of subwords and ``decoder`` a pretrained BART's, or None. A BART's
    first decoder layer is taken over and its table shared, as published. Any other decoder starts at random,
    with a copy of the table, so that its first steps do not move the encoder. The copy may be limited to
    ``decoder_subwords`` rows, which ``start_from_counts`` chooses; other subwords are read and predicted as
    the unknown one.
    """

    length: torch.Tensor  # float32 [], the mean norm of a row of the table
    kept: torch.Tensor  # int64 [rows of the copy], the subword of each row
    row: torch.Tensor  # int64 [subwords], the row of each subword

    def __init__(
        self,
        config: Any,
        max_tree_tokens: int,
        guided: bool,
        vector_every_step: bool,
        table: nn.Embedding,
        decoder: Any,
        decoder_subwords: int | None = None,
        word_count: WordCount | None = None,
    ) -> None:
        super().__init__()
        from transformers.models.bart.modeling_bart import BartDecoder, BartEncoder

        self.config, self.vector_every_step, self.word_count = config, vector_every_step, word_count
        self.syntactic: Any = None
        if guided:
            syntactic = copy.deepcopy(config)
            syntactic.vocab_size, syntactic.pad_token_id = VOCABULARY, PADDING
            syntactic.max_position_embeddings = max_tree_tokens
            self.syntactic = BartEncoder(syntactic)
        self.decoder = BartDecoder(config)
        self.decoder.embed_tokens = None  # it reads vectors, so that a shared table is saved once
        self.own_words: nn.Embedding | None = None
        subwords = table.num_embeddings
        rows = subwords if decoder_subwords is None else min(decoder_subwords, subwords)
        self.limited = rows < subwords
        if decoder is None:
            self.own_words = nn.Embedding.from_pretrained(table.weight.detach()[:rows].clone(), freeze=False)
        else:
            wanted = self.decoder.state_dict()
            given = {name: value for name, value in decoder.state_dict().items() if name in wanted}
            self.decoder.load_state_dict(given)
        self._shared_table = [table]  # in a list, so that torch does not register it here
        self.register_buffer("length", table.weight.detach().float().norm(dim=1).mean())
        self.bias = nn.Parameter(torch.zeros(rows))
        if self.limited:
            assert decoder is None
            self.register_buffer("kept", torch.arange(rows))
            self.register_buffer("row", torch.arange(subwords).clamp(max=rows - 1))

    @property
    def table(self) -> nn.Embedding:
        """The embedding of subwords, for input and output alike; see ``rows``."""
        return self._shared_table[0] if self.own_words is None else self.own_words

    @torch.no_grad()
    def start_from_counts(self, counts: torch.Tensor, needed: Sequence[int], unknown: int) -> None:
        """Set the output bias to each subword's log frequency, from its ``counts`` [subwords].

        A limited table keeps the most frequent subwords, always with those ``needed`` and ``unknown``, which
        stands for all others.
        """
        if self.limited:
            assert self.own_words is not None
            order = counts.clone()
            order[[*needed, unknown]] = torch.inf
            kept = order.argsort(descending=True, stable=True)[: len(self.kept)].sort().values
            self.kept.copy_(kept)
            self.row.fill_(int(torch.searchsorted(kept, unknown)))
            self.row[kept] = torch.arange(len(kept), device=self.row.device)
            self.own_words.weight.copy_(self._shared_table[0].weight[kept])
            counts = torch.zeros(len(kept)).index_add(0, self.row.to(counts.device), counts)
        share = (counts + 1.0) / (counts + 1.0).sum()
        self.bias.copy_(share.log() - share.log().mean())

    def memory(self, vectors: torch.Tensor, trees: TreeTokens | None) -> Memory:
        """Concat(u, V) of sentence vectors u [B, D] and trees; without guidance u alone."""
        states = vectors.unsqueeze(1)
        mask = torch.ones(states.shape[:2], dtype=torch.bool, device=states.device)
        if self.syntactic is None:
            return Memory(states, mask)
        assert trees is not None
        syntax = self.syntactic(input_ids=trees.ids, attention_mask=trees.mask.long()).last_hidden_state
        states = torch.cat([states.to(syntax.dtype), syntax], dim=1)
        return Memory(states, torch.cat([mask, trees.mask], dim=1), 1 + trees.leaves)

    def states(self, memory: Memory, subwords: torch.Tensor) -> torch.Tensor:
        """States [B, T, D] after each of ``subwords`` int64 [B, T], from which the next one is predicted."""
        read = self.table(self.rows(subwords))
        if self.vector_every_step:
            read = read + self._rescaled(memory.states[:, :1], read)
        if self.word_count is not None and memory.leaves is not None:
            places = memory.leaves.gather(1, self.word_count(subwords).clamp(max=memory.leaves.shape[1] - 1))
            leaves = memory.states.gather(1, places.unsqueeze(2).expand(-1, -1, memory.states.shape[2]))
            read = read + self._rescaled(leaves, read)
        states: torch.Tensor = self.decoder(
            inputs_embeds=read,
            encoder_hidden_states=memory.states,
            encoder_attention_mask=memory.mask.long(),
            use_cache=False,
        ).last_hidden_state
        return states

    def _rescaled(self, states: torch.Tensor, read: torch.Tensor) -> torch.Tensor:
        """States scaled to the norm of a subword's vector, so that neither drowns the other."""
        return (self.length * nn.functional.normalize(states.float(), dim=-1)).to(read.dtype)

    def rows(self, subwords: torch.Tensor) -> torch.Tensor:
        """The rows of subwords, int64 of any shape, in the table and in ``logits``."""
        return self.row[subwords] if self.limited else subwords

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Logits of every row of the table, float32 [..., rows], from states [..., D].

        The rows of a table that was not made for output have any norm, so logits are divided by the mean norm
        for a variance of about one at the start. (For a T5's table that is its own scaling.)
        """
        if self.own_words is not None:
            states = states / self.length
        return nn.functional.linear(states, self.table.weight, self.bias).float()


class SubwordLosses(NamedTuple):
    """How well B target sentences are predicted, float32 [B] each."""

    loss: torch.Tensor  # summed negative log-likelihood of the subwords and the end, in nats
    correct: torch.Tensor  # subwords and ends that scored highest
    subwords: torch.Tensor  # number of subwords and ends


def subword_losses(
    paraphraser: Paraphraser, memory: Memory, targets: Sequence[Sequence[int]], start: int
) -> SubwordLosses:
    """L_para of targets: each has the ids of its subwords and, unless it was cut, the end."""
    device = memory.states.device
    width = max(len(target) for target in targets)
    rows = torch.tensor([[*target, *[start] * (width - len(target))] for target in targets])
    counts = torch.tensor([len(target) for target in targets])
    # Where there is no padding, in rows one after another: a mask would have a GPU tell how many there are.
    places = (torch.arange(width) < counts[:, None]).flatten().nonzero().flatten()
    padded, lengths, places = (on_device(each, device) for each in (rows, counts, places))
    before = torch.cat([torch.full_like(padded[:, :1], start), padded[:, :-1]], dim=1)
    scores = paraphraser.logits(paraphraser.states(memory, before).flatten(0, 1)[places])  # none for padding
    wanted = paraphraser.rows(padded.flatten()[places])
    losses = nn.functional.cross_entropy(scores, wanted, reduction="none")
    correct = (scores.argmax(dim=1) == wanted).float()
    grid = losses.new_zeros(padded.numel())
    return SubwordLosses(
        grid.index_put((places,), losses).view(padded.shape).sum(dim=1),
        grid.index_put((places,), correct).view(padded.shape).sum(dim=1),
        lengths.float(),
    )
