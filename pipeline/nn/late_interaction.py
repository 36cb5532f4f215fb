"""Late interaction: scoring a pair of sentences by its matched words and by what these words attach to.

Where two sentences share most of their words, their structure decides the meaning. Words are matched first:
two content words match if each is the other's nearest by the semantic view's states. For matched words the
score then compares their links: whether their heads match, with and without an equal role, and whether their
successors in role order match; and it compares their states in the syntactic view. The first three are
the differentiable form of ``pipeline.syntax.structural_similarity``.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from pipeline.nn.encoder import Encoder, encode_with_words
from pipeline.nn.inference import evaluation_mode, on_device
from pipeline.nn.links import COLUMNS, CONTENT, HEAD, NEXT, NO_LINK, ROLE, link_rows
from pipeline.nn.pairs import Block, PairReadings, read_in_blocks
from pipeline.nn.precision import full_precision
from pipeline.nn.prepacked_linear import prepacked
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.nn.tree_controls import TreeControl
from pipeline.syntax.relations import SIZE
from pipeline.syntax.sentence import HasTree

# (shared + SHARED) / (united + UNITED): 0.5 for a pair without links.
SHARED, UNITED = 0.5, 1.0
IN_BATCH_NEGATIVES = 4  # positives of other examples as negatives of an anchor, beside its hard negatives
PAIRS_AT_ONCE = 128
# The fields of SentenceStates among the embeddings of a side, in order.
_FIELDS = ("semantic", "late.semantic", "late.syntactic", "late.links", "late.lengths")


class WordStates(NamedTuple):
    """The words of B sentences, padded to W."""

    semantic: torch.Tensor  # [B, W, D], unit length, zero at padding and for words cut off
    syntactic: torch.Tensor  # the same from the syntactic view
    links: torch.Tensor  # int64 [B, W, 4], NO_LINK and CONTENT 0 at padding

    @classmethod
    def pad(
        cls, semantic: torch.Tensor, syntactic: torch.Tensor, links: torch.Tensor, lengths: torch.Tensor
    ) -> "WordStates":
        """From one row a word, [sum of lengths, ...], and the number of words of each sentence, int64 [B]."""
        width = max(1, int(lengths.max())) if len(lengths) else 1
        place = torch.arange(width, device=lengths.device)
        there = place < lengths[:, None]
        row = (lengths.cumsum(0) - lengths)[:, None] + place
        row = row.masked_fill(~there, len(links))  # a further row, for padding
        nothing = links.new_full((1, COLUMNS), NO_LINK)
        nothing[0, CONTENT] = nothing[0, ROLE] = 0
        states = (F.pad(F.normalize(each.float(), dim=-1), (0, 0, 0, 1)) for each in (semantic, syntactic))
        first, second = (each[row] for each in states)
        return cls(first, second, torch.cat([links, nothing])[row])

    def take(self, rows: torch.Tensor) -> "WordStates":
        """The sentences of these numbers, in this order."""
        return WordStates(*(each[rows] for each in self))


class LateInteraction(nn.Module):
    """Scores pairs of sentences; its few parameters start from values that work untrained.

    Two words match to the degree sigmoid((cosine - threshold) * exp(sharpness)), with a threshold and a
    sharpness for each view. Each of four comparisons c (head links of equal role, all head links, successors,
    syntactic states) gives s_c = (shared + 0.5) / (united + 1), summed over links in both sentences and in
    either. The score is sum_c softmax(mixture)_c * s_c + topic * cosine. ``role`` weighs a head link by its
    relation.
    """

    def __init__(self) -> None:
        super().__init__()
        self.threshold = nn.Parameter(torch.tensor([0.6, 0.6]))  # semantic, syntactic
        self.sharpness = nn.Parameter(torch.tensor([math.log(20.0), math.log(20.0)]))
        self.mixture = nn.Parameter(torch.tensor([0.0, 0.0, math.log(2.0), -4.0]))
        self.role = nn.Parameter(torch.zeros(SIZE))
        self.topic = nn.Parameter(torch.tensor(2.0))

    def forward(self, a: WordStates, b: WordStates, cosine: torch.Tensor) -> torch.Tensor:
        """Scores of P pairs, float32 [P], from their words and the cosines of their sentence vectors [P]."""
        # In bf16 different words would be equally near.
        with full_precision(cosine.device):
            return self._score(a, b, cosine)

    def _score(self, a: WordStates, b: WordStates, cosine: torch.Tensor) -> torch.Tensor:
        content = a.links[:, :, None, CONTENT].bool() & b.links[:, None, :, CONTENT].bool()
        nearness = (a.semantic @ b.semantic.transpose(1, 2)).masked_fill(~content, -1.0)
        match = mutual(nearness) * content * self._degree(nearness, 0)
        shared = match.amax(dim=2), match.amax(dim=1)  # degree to which each word has a match
        heads = _linked(match, a.links[..., HEAD], b.links[..., HEAD])
        follows = _linked(match, a.links[..., NEXT], b.links[..., NEXT])
        same_role = a.links[:, :, None, ROLE] == b.links[:, None, :, ROLE]
        # A matched head link weighs by its role in both sentences; it starts at 1.
        weight = [2 * torch.sigmoid(self.role)[each.links[..., ROLE]] for each in (a, b)]
        head_weight = (weight[0][:, :, None] * weight[1][:, None, :]).sqrt()
        expected = [
            [
                share * _reached(share, each.links[..., column])
                for share, each in zip(shared, (a, b), strict=True)
            ]
            for column in (HEAD, NEXT)
        ]
        possible = sum((w * part).sum(dim=1) for w, part in zip(weight, expected[0], strict=True))
        successors = sum(part.sum(dim=1) for part in expected[1])
        alike = self._degree(a.syntactic @ b.syntactic.transpose(1, 2), 1)
        parts = torch.stack(
            [
                ratio((match * heads * head_weight * same_role).sum(dim=(1, 2)), possible),
                ratio((match * heads * head_weight).sum(dim=(1, 2)), possible),
                ratio((match * follows).sum(dim=(1, 2)), successors),
                ratio((match * alike).sum(dim=(1, 2)), 2 * match.sum(dim=(1, 2))),
            ],
            dim=1,
        )
        return parts @ self.mixture.softmax(dim=0) + self.topic * cosine

    def _degree(self, cosines: torch.Tensor, view: int) -> torch.Tensor:
        return torch.sigmoid((cosines - self.threshold[view]) * self.sharpness[view].exp())


@torch.no_grad()
def mutual(nearness: torch.Tensor) -> torch.Tensor:
    """1 where two words are each other's nearest, else 0, float32 [P, V, W]; without a gradient."""
    nearest = (nearness == nearness.amax(dim=2, keepdim=True)) & (
        nearness == nearness.amax(dim=1, keepdim=True)
    )
    return nearest.float()


def _linked(match: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """[P, V, W]: the match of the words that words i and j link to; 0 where one of them has no link."""
    rows = torch.arange(len(match), device=match.device)[:, None, None]
    found = match[rows, first.clamp(min=0)[:, :, None], second.clamp(min=0)[:, None, :]]
    return found.masked_fill((first < 0)[:, :, None] | (second < 0)[:, None, :], 0.0)


def _reached(share: torch.Tensor, link: torch.Tensor) -> torch.Tensor:
    """The ``share`` [P, W] of the word that each word links to; 0 where it has no link."""
    return share.gather(1, link.clamp(min=0)).masked_fill(link < 0, 0.0)


def ratio(common: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """Links in both sentences per links in either, float32 [P]; ``total`` is the sum of both sentences'."""
    return (common + SHARED) / ((total - common).clamp(min=0) + UNITED)


class SentenceStates(NamedTuple):
    """n sentences in both views, their words one after the other."""

    vectors: torch.Tensor  # [n, D] of the semantic view
    semantic: torch.Tensor  # [sum of words, D]
    syntactic: torch.Tensor  # [sum of words, D]
    links: torch.Tensor  # int64 [sum of words, 4]
    lengths: torch.Tensor  # int64 [n], words

    @classmethod
    def concatenate(cls, parts: Sequence["SentenceStates"]) -> "SentenceStates":
        """The sentences of all parts, in order."""
        return cls(*(torch.cat(columns) for columns in zip(*parts, strict=True)))


def pair_scores(
    scorer: LateInteraction, sentences: SentenceStates, first: torch.Tensor, second: torch.Tensor
) -> torch.Tensor:
    """Scores, float32 [P], of the pairs (first[p], second[p]) of sentence numbers, int64 [P] each."""
    words = WordStates.pad(sentences.semantic, sentences.syntactic, sentences.links, sentences.lengths)
    unit = F.normalize(sentences.vectors.float(), dim=-1)
    cosine = (unit[first] * unit[second]).sum(dim=1)
    parts = zip(*(each.split(PAIRS_AT_ONCE) for each in (first, second, cosine)), strict=True)
    return torch.cat([scorer(words.take(a), words.take(b), near) for a, b, near in parts])


def word_links(
    sides: Mapping[str, Sequence[HasTree]], control: TreeControl | None, device: torch.device
) -> dict[str, torch.Tensor]:
    """Links of each side's words, ``late.links.SIDE``, and words of its sentences, ``late.lengths.SIDE``."""
    tensors = {}
    for name, sentences in sides.items():
        lengths = torch.tensor([len(each.words) for each in sentences], dtype=torch.int64)
        tensors[f"late.links.{name}"] = on_device(link_rows(sentences, control), device)
        tensors[f"late.lengths.{name}"] = on_device(lengths, device)
    return tensors


def late_contrast(
    scorer: LateInteraction, embeddings: Mapping[str, torch.Tensor], tau: float
) -> torch.Tensor:
    """InfoNCE over late scores / ``tau``: an anchor against its positive and its negatives; a scalar.

    Negatives are the anchor's hard ones and the positives of the next ``IN_BATCH_NEGATIVES`` examples. Words
    of unrelated sentences hardly match, so more of these would add cost and teach nothing. ``embeddings`` has
    for each side (anchor, positive, negative) ``semantic.SIDE`` vectors, ``late.semantic.SIDE`` and
    ``late.syntactic.SIDE`` word states, and ``word_links``; ``key`` int64 [N] numbers the anchors and
    ``owner`` int64 [M] has the key of each hard negative's anchor.
    """
    anchors, positives, negatives = (
        SentenceStates(*(embeddings[f"{name}.{side}"] for name in _FIELDS))
        for side in ("anchor", "positive", "negative")
    )
    owned = embeddings["key"][:, None] == embeddings["owner"][None]
    n = len(anchors.lengths)
    place = torch.arange(n, device=owned.device)
    others = [(place + step) % n for step in range(1, min(IN_BATCH_NEGATIVES, n - 1) + 1)]
    example, number = owned.nonzero(as_tuple=True)
    first = torch.cat([place] * (1 + len(others)) + [example])
    second = torch.cat([n + place, *(n + other for other in others), 2 * n + number])
    sentences = SentenceStates.concatenate([anchors, positives, negatives])
    scores = pair_scores(scorer, sentences, first, second) / tau
    # Row i has the scores of anchor i: its positive's first, then the others', then its hard negatives'.
    column = torch.cat([
        torch.arange(1 + len(others), device=owned.device).repeat_interleave(n), 1 + len(others) + number
    ])  # fmt: skip
    logits = scores.new_full((n, 1 + len(others) + owned.shape[1]), float("-inf"))
    logits = logits.index_put((first, column), scores)
    return F.cross_entropy(logits, torch.zeros_like(place))


@torch.inference_mode()
def read_pairs(
    scorer: LateInteraction,
    semantic: Encoder,
    syntactic: Encoder,
    tokenizer: SentenceTokenizer,
    a: Sequence[HasTree],
    b: Sequence[HasTree],
) -> PairReadings:
    """Scores of n pairs, and unit vectors of their sentences in both views, from one pass of each encoder.

    Where ``syntactic`` is ``semantic``, there is one pass and one view. The encoders are in evaluation mode
    meanwhile.
    """
    encoders = dict(zip(("semantic", "syntactic"), dict.fromkeys((semantic, syntactic)), strict=False))

    def read(sentences: Sequence[HasTree], first: torch.Tensor, second: torch.Tensor) -> Block:
        encoded = tokenizer.encode(sentences)
        tokens = sum(len(each.ids) for each in encoded)
        with evaluation_mode(*encoders.values()), prepacked(tokens, *encoders.values()):
            reads = {
                view: encode_with_words(encoder, tokenizer, encoded) for view, encoder in encoders.items()
            }
        words = [each.words for each in reads.values()]
        device = words[0].device
        links = word_links({"all": sentences}, tokenizer.control, device)
        states = SentenceStates(
            reads["semantic"].vectors, words[0], words[-1], links["late.links.all"], links["late.lengths.all"]
        )
        return Block(
            pair_scores(scorer, states, first.to(device), second.to(device)),
            {view: F.normalize(each.vectors, dim=-1) for view, each in reads.items()},
        )

    return read_in_blocks(read, a, b)
