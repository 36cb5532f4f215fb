"""From a sentence vector and a tree to a sentence: syntactic encoder and decoder of ParaBART.

Huang, Huang & Chang 2021, section 3. Both are BART's own layers (``transformers``), one of each; a decoder
sees nothing of the source but its vector.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import nn

from pipeline.nn.tree_tokens import PADDING, VOCABULARY, TreeTokens
from pipeline.nn.word_count import WordCount


class Memory(NamedTuple):
    """What the decoder attends to, [u; V]: B sentences, the vector first and then the tree's N states."""

    states: torch.Tensor  # float [B, 1 + N, D]
    mask: torch.Tensor  # bool [B, 1 + N], False at padding
    leaves: torch.Tensor | None = None  # int64 [B, W], which state is the leaf of each word; None: no tree

    def repeated(self, times: int) -> "Memory":
        """Each row so many times in a row."""
        return Memory(*(None if part is None else part.repeat_interleave(times, dim=0) for part in self))


def decoder_config(backbone: Any, pieces: int) -> Any:
    """The shape of a layer of BART: the backbone's own where it is one, else of its width and heads."""
    from transformers import BartConfig

    one = {"encoder_layers": 1, "decoder_layers": 1, "encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0}
    if backbone.model_type == "bart":
        return BartConfig.from_dict(backbone.to_dict() | one)
    heads, width = backbone.num_attention_heads, backbone.hidden_size
    sizes = dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), heads)
    sizes |= dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 4 * width)
    return BartConfig(vocab_size=pieces, d_model=width, max_position_embeddings=_LONGEST, **sizes, **one)


_LONGEST = 256  # pieces that a decoder without pretraining can write


class Paraphraser(nn.Module):
    """``memory`` of vector and tree, ``states`` of a sentence as far as it is written, ``scores`` of pieces.

    ``config`` is ``decoder_config``'s; ``max_tree`` the longest tree, in tokens. Without ``guided`` no tree
    is read: the ablation. With ``bridge`` the vector is added to every piece that the decoder reads, too;
    with ``words_begun`` the state of that leaf of the tree whose word is the next to begin.
    ``words`` is the backbone's table of pieces, ``decoder`` a pretrained BART's.
    With such a decoder its first layer and the table itself are taken over, as published; else there is
    nothing pretrained but the table, and the decoder writes with a copy, so that a decoder that knows nothing
    yet does not move the encoder's. Of that copy ``pieces`` rows are enough: ``expect`` chooses which. A
    piece without a row is read and foretold as the unknown one.
    """

    length: torch.Tensor  # float32 [], of a row of the table, in the mean
    kept: torch.Tensor  # int64 [rows of the copy], the piece of each
    row: torch.Tensor  # int64 [pieces], the row of each

    def __init__(
        self,
        config: Any,
        max_tree: int,
        guided: bool,
        bridge: bool,
        words: nn.Embedding,
        decoder: Any,
        pieces: int | None = None,
        words_begun: WordCount | None = None,
    ) -> None:
        super().__init__()
        from transformers.models.bart.modeling_bart import BartDecoder, BartEncoder

        self.config, self.bridge, self.words_begun = config, bridge, words_begun
        self.syntactic: Any = None
        if guided:
            reading = copy.deepcopy(config)
            reading.vocab_size, reading.pad_token_id = VOCABULARY, PADDING
            reading.max_position_embeddings = max_tree
            self.syntactic = BartEncoder(reading)
        self.decoder = BartDecoder(config)
        self.decoder.embed_tokens = None  # pieces come embedded, so that a shared table is saved once
        self.own_words: nn.Embedding | None = None
        everything = words.num_embeddings
        rows = everything if pieces is None else min(pieces, everything)
        self.limited = rows < everything
        if decoder is None:
            self.own_words = nn.Embedding.from_pretrained(words.weight.detach()[:rows].clone(), freeze=False)
        else:
            wanted = self.decoder.state_dict()
            given = {name: value for name, value in decoder.state_dict().items() if name in wanted}
            self.decoder.load_state_dict(given)
        self._shared_words = [words]  # in a list, so that it is no part of these weights
        self.register_buffer("length", words.weight.detach().float().norm(dim=1).mean())
        self.bias = nn.Parameter(torch.zeros(rows))
        if self.limited:
            assert decoder is None
            self.register_buffer("kept", torch.arange(rows))
            self.register_buffer("row", torch.arange(everything).clamp(max=rows - 1))

    @property
    def words(self) -> nn.Embedding:
        """The table of pieces, of input and output alike; see ``rows``."""
        return self._shared_words[0] if self.own_words is None else self.own_words

    @torch.no_grad()
    def expect(self, counts: torch.Tensor, needed: Sequence[int], unknown: int) -> None:
        """Start from how often each piece occurs, [pieces], as foretold without a source.

        A limited table gets the most frequent pieces, in any case those ``needed`` and ``unknown``, which
        stands for all the others.
        """
        if self.limited:
            assert self.own_words is not None
            order = counts.clone()
            order[[*needed, unknown]] = torch.inf
            kept = order.argsort(descending=True, stable=True)[: len(self.kept)].sort().values
            self.kept.copy_(kept)
            self.row.fill_(int(torch.searchsorted(kept, unknown)))
            self.row[kept] = torch.arange(len(kept), device=self.row.device)
            self.own_words.weight.copy_(self._shared_words[0].weight[kept])
            counts = torch.zeros(len(kept)).index_add(0, self.row.to(counts.device), counts)
        share = (counts + 1.0) / (counts + 1.0).sum()
        self.bias.copy_(share.log() - share.log().mean())

    def memory(self, vectors: torch.Tensor, trees: TreeTokens | None) -> Memory:
        """[u; V] of sentence vectors [B, D] and trees; V is left out without guidance."""
        states = vectors.unsqueeze(1)
        mask = torch.ones(states.shape[:2], dtype=torch.bool, device=states.device)
        if self.syntactic is None:
            return Memory(states, mask)
        assert trees is not None
        syntax = self.syntactic(input_ids=trees.ids, attention_mask=trees.mask.long()).last_hidden_state
        states = torch.cat([states.to(syntax.dtype), syntax], dim=1)
        return Memory(states, torch.cat([mask, trees.mask], dim=1), 1 + trees.leaves)

    def decode(
        self, memory: Memory, pieces: torch.Tensor, written: torch.Tensor | None = None, **generation: Any
    ) -> Any:
        """The decoder's output over pieces int64 [B, T], each seeing those before it.

        ``generation`` may hold ``past_key_values`` and ``use_cache``; ``written`` is then all the pieces, of
        which ``pieces`` are the end.
        """
        read = self.words(self.rows(pieces))
        if self.bridge:
            read = read + self._as_loud(memory.states[:, :1], read)
        if self.words_begun is not None and memory.leaves is not None:
            word = self.words_begun(pieces if written is None else written)[:, -pieces.shape[1] :]
            slots = memory.leaves.gather(1, word.clamp(max=memory.leaves.shape[1] - 1))
            leaves = memory.states.gather(1, slots.unsqueeze(2).expand(-1, -1, memory.states.shape[2]))
            read = read + self._as_loud(leaves, read)
        return self.decoder(
            inputs_embeds=read,
            encoder_hidden_states=memory.states,
            encoder_attention_mask=memory.mask.long(),
            **{"use_cache": False, **generation},
        )

    def _as_loud(self, states: torch.Tensor, read: torch.Tensor) -> torch.Tensor:
        """States at the length of a piece's vector."""
        return (self.length * nn.functional.normalize(states.float(), dim=-1)).to(read.dtype)

    def states(self, memory: Memory, pieces: torch.Tensor) -> torch.Tensor:
        """States [B, T, D], after each of ``pieces`` int64 [B, T], from which the next one is scored."""
        states: torch.Tensor = self.decode(memory, pieces).last_hidden_state
        return states

    def rows(self, pieces: torch.Tensor) -> torch.Tensor:
        """Where pieces, int64 of any shape, stand in the table and among ``logits``."""
        return self.row[pieces] if self.limited else pieces

    def scores(self, states: torch.Tensor) -> torch.Tensor:
        """Logits of every piece, float32 [..., pieces], from states [..., D]; -inf where there is no row."""
        logits = self.logits(states)
        if not self.limited:
            return logits
        full = logits.new_full((*logits.shape[:-1], len(self.row)), -torch.inf)
        full[..., self.kept] = logits
        return full

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Logits of every row of the table, float32 [..., rows], from states [..., D].

        A table that was not made for writing gives logits of any size; they are scaled so that their variance
        is about one at the start, which for a T5's table is its own scaling.
        """
        if self.own_words is not None:
            states = states / self.length
        return nn.functional.linear(states, self.words.weight, self.bias).float()


class Written(NamedTuple):
    """How well B sentences are foretold, float32 [B] each."""

    loss: torch.Tensor  # summed negative log-likelihood of the pieces and the end, in nats
    right: torch.Tensor  # pieces and ends that scored highest
    pieces: torch.Tensor  # pieces and ends there are


def foretold(
    paraphraser: Paraphraser, memory: Memory, targets: Sequence[Sequence[int]], start: int
) -> Written:
    """Compare with targets, each the ids of its pieces and, unless it was cut, the end (L_para's sum)."""
    device = memory.states.device
    width = max(len(target) for target in targets)
    padded = torch.tensor([[*target, *[start] * (width - len(target))] for target in targets], device=device)
    lengths = torch.tensor([len(target) for target in targets], device=device)
    there = torch.arange(width, device=device) < lengths[:, None]
    before = torch.cat([torch.full_like(padded[:, :1], start), padded[:, :-1]], dim=1)
    scores = paraphraser.logits(paraphraser.states(memory, before)[there])  # padding needs no vocabulary
    wanted = paraphraser.rows(padded[there])
    losses = nn.functional.cross_entropy(scores, wanted, reduction="none")
    right = (scores.argmax(dim=1) == wanted).float()
    grid = torch.zeros(padded.shape, device=device)
    return Written(
        grid.masked_scatter(there, losses).sum(dim=1),
        grid.masked_scatter(there, right).sum(dim=1),
        lengths.float(),
    )
