"""Late interaction between sentences: read their words in two views, score pairs, learn from triplets."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from pipeline.nn.agreement import Agreement, Words
from pipeline.nn.encoder import Encoder
from pipeline.nn.links import link_rows
from pipeline.nn.tokens import Tokeniser
from pipeline.nn.word_rows import read
from pipeline.sentences import HasTree

OTHERS = 4  # positives of other examples that an anchor is contrasted with, besides its own hard negatives
_PAIRS = 128  # scored at once
_BLOCK = 1024  # pairs whose sentences are read, each once, and held at once
_FIELDS = ("semantic", "late.semantic", "late.syntactic", "late.links", "late.lengths")  # of Side, in order


class Side(NamedTuple):
    """n sentences as both views read them: tensors that can be put end to end with those of others."""

    vectors: torch.Tensor  # [n, D] of the semantic view
    semantic: torch.Tensor  # [sum of words, D]
    syntactic: torch.Tensor  # [sum of words, D]
    links: torch.Tensor  # int64 [sum of words, 4]
    lengths: torch.Tensor  # int64 [n], words

    @classmethod
    def join(cls, sides: Sequence["Side"]) -> "Side":
        """Sides put end to end."""
        return cls(*(torch.cat(columns) for columns in zip(*sides, strict=True)))


def pair_scores(agreement: Agreement, side: Side, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Scores, float32 [P], of the pairs of sentences of those numbers."""
    words = Words.pad(side.semantic, side.syntactic, side.links, side.lengths)
    unit = F.normalize(side.vectors.float(), dim=-1)
    cosine = (unit[first] * unit[second]).sum(dim=1)
    parts = zip(first.split(_PAIRS), second.split(_PAIRS), cosine.split(_PAIRS), strict=True)
    return torch.cat([agreement(words.take(a), words.take(b), near) for a, b, near in parts])


def facts(
    sides: Mapping[str, Sequence[HasTree]], shuffled: bool, device: torch.device
) -> dict[str, torch.Tensor]:
    """Links of every side's words, ``late.links.SIDE``, and how many there are, ``late.lengths.SIDE``."""
    found = {}
    for name, sentences in sides.items():
        found[f"late.links.{name}"] = link_rows(sentences, shuffled).to(device)
        found[f"late.lengths.{name}"] = torch.tensor([len(x.words) for x in sentences], dtype=torch.int64).to(
            device
        )
    return found


def late_contrast(
    agreement: Agreement, found: Mapping[str, torch.Tensor], tau: float | torch.Tensor
) -> torch.Tensor:
    """InfoNCE over late scores: an anchor is to find its positive among the alternatives; a scalar.

    These are its own hard negatives and the positives of the OTHERS examples after it. Words of unrelated
    sentences hardly match, so more of these would add cost and no lesson. ``found`` holds for each side,
    anchor, positive and negative, ``semantic.SIDE`` vectors, ``late.semantic.SIDE`` and
    ``late.syntactic.SIDE`` states of words, and the ``facts``; ``key`` tells the anchors [N] apart, and
    ``owner`` names the negatives' [M].
    """
    anchors, positives, negatives = (
        Side(*(found[f"{name}.{side}"] for name in _FIELDS)) for side in ("anchor", "positive", "negative")
    )
    owned = found["key"][:, None] == found["owner"][None]
    n = len(anchors.lengths)
    place = torch.arange(n, device=owned.device)
    others = [(place + step) % n for step in range(1, min(OTHERS, n - 1) + 1)]
    example, number = owned.nonzero(as_tuple=True)
    first = torch.cat([place] * (1 + len(others)) + [example])
    second = torch.cat([n + place, *(n + other for other in others), 2 * n + number])
    scores = pair_scores(agreement, Side.join([anchors, positives, negatives]), first, second) / tau
    # An anchor has its scores on its own row: the positive's first, then the others', then the negatives'.
    column = torch.cat([
        torch.arange(1 + len(others), device=owned.device).repeat_interleave(n), 1 + len(others) + number
    ])  # fmt: skip
    logits = scores.new_full((n, 1 + len(others) + owned.shape[1]), float("-inf"))
    logits = logits.index_put((first, column), scores)
    return F.cross_entropy(logits, torch.zeros_like(place))


@torch.inference_mode()
def score_sentences(
    agreement: Agreement,
    semantic: Encoder,
    syntactic: Encoder,
    tokeniser: Tokeniser,
    a: Sequence[HasTree],
    b: Sequence[HasTree],
) -> NDArray[np.float32]:
    """Scores of n pairs of sentences, float32 [n]; the encoders are left in the mode they were found in."""
    encoders = (semantic, syntactic)
    modes = [encoder.training for encoder in encoders]
    for encoder in encoders:
        encoder.eval()
    found = np.zeros(len(a), dtype=np.float32)
    order = np.argsort([-max(len(x.words), len(y.words)) for x, y in zip(a, b, strict=True)], kind="stable")
    for start in range(0, len(order), _BLOCK):
        pairs = order[start : start + _BLOCK]
        places: dict[Any, int] = {}
        sentences: list[HasTree] = []  # each once
        numbers = torch.zeros(2, len(pairs), dtype=torch.int64)
        for row, side in enumerate((a, b)):
            for column, pair in enumerate(pairs):
                each = side[pair]
                key = (each.text, tuple(each.heads), tuple(each.deprels))
                if key not in places:
                    sentences.append(each)
                numbers[row, column] = places.setdefault(key, len(places))
        encoded = tokeniser.encode(sentences)
        reads = [read(encoder, tokeniser, encoded) for encoder in dict.fromkeys(encoders)]
        device = reads[0].words.device
        about = facts({"all": sentences}, tokeniser.shuffled, device)
        whole = Side(
            reads[0].vectors,
            reads[0].words,
            reads[-1].words,
            about["late.links.all"],
            about["late.lengths.all"],
        )
        first, second = numbers.to(device)
        found[pairs] = pair_scores(agreement, whole, first, second).cpu().numpy()
    for encoder, mode in zip(encoders, modes, strict=True):
        encoder.train(mode)
    return found
