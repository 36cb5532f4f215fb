"""Structural agreement of two sentences by late interaction: do the words they share hang together alike?

Where two sentences share most of their words, meaning lies in how these are put together. So words are
matched first, by the semantic view's states: each to the other's nearest, if that is mutual. Then, of the
words so shared, it is asked whether what they attach to is shared and matched likewise: their head, with and
without its role, and their successor in canonical order; and whether the syntactic view's states of matched
words agree. The first three are the soft, differentiable form of ``pipeline.agreement``.
"""

import math
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from pipeline.nn.links import COLUMNS, CONTENT, HEAD, NEXT, NO_LINK, ROLE
from pipeline.nn.relations import SIZE

# (shared + SHARED) / (united + UNITED): with nothing in common to judge by, agreement is undecided.
SHARED, UNITED = 0.5, 1.0


class Words(NamedTuple):
    """The words of B sentences, padded to W."""

    semantic: torch.Tensor  # [B, W, D], unit length, zero at padding and for words cut off
    syntactic: torch.Tensor  # the same from the syntactic view
    links: torch.Tensor  # int64 [B, W, 4], NO_LINK and CONTENT 0 at padding

    @classmethod
    def pad(
        cls, semantic: torch.Tensor, syntactic: torch.Tensor, links: torch.Tensor, lengths: torch.Tensor
    ) -> "Words":
        """From one row a word, [sum of lengths, ...] each, and the words of each sentence, int64 [B]."""
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

    def take(self, rows: torch.Tensor) -> "Words":
        """The sentences of those numbers, in that order."""
        return Words(*(each[rows] for each in self))


class Agreement(nn.Module):
    """Scores of pairs of sentences; few parameters, which start from values that work untrained.

    ``threshold`` and ``sharpness`` turn a cosine of words into a degree of match, for either view;
    ``mixture`` weighs the four agreements (softmax); ``role`` weighs a link by its relation; ``topic`` is the
    weight of the cosine of the sentences.
    """

    def __init__(self) -> None:
        super().__init__()
        self.threshold = nn.Parameter(torch.tensor([0.6, 0.6]))  # semantic, syntactic
        self.sharpness = nn.Parameter(torch.tensor([math.log(20.0), math.log(20.0)]))
        self.mixture = nn.Parameter(torch.tensor([0.0, 0.0, math.log(2.0), -4.0]))
        self.role = nn.Parameter(torch.zeros(SIZE))
        self.topic = nn.Parameter(torch.tensor(2.0))

    def forward(self, a: Words, b: Words, cosine: torch.Tensor) -> torch.Tensor:
        """Scores of P pairs, float32 [P], from their words and the cosine of their sentence vectors [P]."""
        with torch.autocast(cosine.device.type, enabled=False):  # bf16 would tie words that differ
            return self._score(a, b, cosine)

    def _score(self, a: Words, b: Words, cosine: torch.Tensor) -> torch.Tensor:
        content = a.links[:, :, None, CONTENT].bool() & b.links[:, None, :, CONTENT].bool()
        nearness = (a.semantic @ b.semantic.transpose(1, 2)).masked_fill(~content, -1.0)
        match = mutual(nearness) * content * self._degree(nearness, 0)
        shared = match.amax(dim=2), match.amax(dim=1)  # how far each word has a counterpart
        heads = _linked(match, a.links[..., HEAD], b.links[..., HEAD])
        follows = _linked(match, a.links[..., NEXT], b.links[..., NEXT])
        same_role = a.links[:, :, None, ROLE] == b.links[:, None, :, ROLE]
        # A shared link counts by its role in both sentences; an ordinary one counts 1.
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
                _ratio((match * heads * head_weight * same_role).sum(dim=(1, 2)), possible),
                _ratio((match * heads * head_weight).sum(dim=(1, 2)), possible),
                _ratio((match * follows).sum(dim=(1, 2)), successors),
                _ratio((match * alike).sum(dim=(1, 2)), 2 * match.sum(dim=(1, 2))),
            ],
            dim=1,
        )
        return parts @ self.mixture.softmax(dim=0) + self.topic * cosine

    def _degree(self, cosines: torch.Tensor, view: int) -> torch.Tensor:
        return torch.sigmoid((cosines - self.threshold[view]) * self.sharpness[view].exp())


@torch.no_grad()
def mutual(nearness: torch.Tensor) -> torch.Tensor:
    """1 where two words are each other's nearest, float32 [P, V, W]; no gradient goes through the choice."""
    nearest = (nearness == nearness.amax(dim=2, keepdim=True)) & (
        nearness == nearness.amax(dim=1, keepdim=True)
    )
    return nearest.float()


def _linked(match: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """[P, V, W]: how far what word i links to matches what word j links to; 0 where one links to nothing."""
    rows = torch.arange(len(match), device=match.device)[:, None, None]
    found = match[rows, first.clamp(min=0)[:, :, None], second.clamp(min=0)[:, None, :]]
    return found.masked_fill((first < 0)[:, :, None] | (second < 0)[:, None, :], 0.0)


def _reached(share: torch.Tensor, link: torch.Tensor) -> torch.Tensor:
    """The share [P, W] of what each word links to; 0 where it links to nothing."""
    return share.gather(1, link.clamp(min=0)).masked_fill(link < 0, 0.0)


def _ratio(common: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    return (common + SHARED) / ((total - common).clamp(min=0) + UNITED)
