"""Late interaction without a tree: a pair scored by its matched words and by what follows them.

All comes from the pass that gives the vectors. Two words match if each is the other's nearest by its static
features; of a repeated word, contextual states tell which is meant. The score then compares the links of
matched words: which content words follow which in role order, as the pointers say. It is the form of
``pipeline.nn.late_interaction`` with soft links, and has no parameter to learn.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch.nn import functional as F

from pipeline.nn.late_interaction import PAIRS_AT_ONCE, mutual, ratio
from pipeline.nn.pairs import Block, PairReadings, read_in_blocks
from pipeline.nn.precision import full_precision
from pipeline.syntax.sentence import HasTree
from pipeline.systems.synsem.heads import Pointed, evened, reached

# Of contextual nearness beside static: it decides between equal words and leaves different ones apart.
TIE = 0.1
# Of a link over one more word; another value than in the vector, which is another score (``heads.DECAY``).
DECAY = 0.6
# Of the cosine of the semantic vectors: links alone know nothing of other words.
TOPIC = 1.5


class WordLinks(NamedTuple):
    """The words of one sentence, or of B with a first dimension more, padded to W with zeros."""

    vector: torch.Tensor  # float32 [D], semantic, of unit length
    states: torch.Tensor  # float32 [W, D], contextual, of unit length
    features: torch.Tensor  # float32 [W, E], static, of unit length
    links: torch.Tensor  # float32 [W, W], see ``links``


def links(pointed: Pointed, reach: int) -> torch.Tensor:
    """``evened`` g_i A_ij g_j, A = sum over k of DECAY^(k - 1) a^k, k = 1 .. ``reach``; float32 [B, W, W]."""
    gates = pointed.gates.sigmoid()
    weights = torch.tensor([DECAY**k for k in range(reach)], device=gates.device)
    return evened(gates[:, :, None] * reached(pointed, weights) * gates[:, None])


def stack(sentences: Sequence[WordLinks]) -> WordLinks:
    """B sentences in one, padded to the longest."""
    width = max(1, *(len(each.links) for each in sentences))
    missing = [width - len(each.links) for each in sentences]
    rows = [
        WordLinks(
            each.vector,
            F.pad(each.states, (0, 0, 0, less)),
            F.pad(each.features, (0, 0, 0, less)),
            F.pad(each.links, (0, less, 0, less)),
        )
        for each, less in zip(sentences, missing, strict=True)
    ]
    return WordLinks(*(torch.stack(column) for column in zip(*rows, strict=True)))


def scores(a: WordLinks, b: WordLinks) -> torch.Tensor:
    """Scores of P pairs, float32 [P]: agreement of the links of matched words + TOPIC * cosine.

    With a match m_ij in [0, 1], links L and shares s_i = max over j of m_ij, agreement is
    (common + 0.5) / (total - common + 1), common = sum of L^a_ij m_ik m_jl L^b_kl, and total = the sum of
    s_i s_j L_ij^2 in either sentence: 0.5 where no words match, near 1 where all their links agree.
    """
    alike = a.features @ b.features.transpose(1, 2)
    near = alike + TIE * (a.states @ b.states.transpose(1, 2))
    # A word of padding has no features and matches none.
    real = [each.features.abs().amax(dim=2) > 0 for each in (a, b)]
    both = real[0][:, :, None] & real[1][:, None]
    match = mutual(near.masked_fill(~both, torch.finfo(near.dtype).min)) * alike.clamp(min=0) * both
    common = (a.links * (match @ b.links @ match.transpose(1, 2))).sum(dim=(1, 2))
    shares = match.amax(dim=2), match.amax(dim=1)
    total = sum(
        (share[:, :, None] * share[:, None] * each.links.square()).sum(dim=(1, 2))
        for share, each in zip(shares, (a, b), strict=True)
    )
    return ratio(common, total) + TOPIC * (a.vector * b.vector).sum(dim=1)


def read_pairs(
    read: Callable[[Sequence[HasTree]], tuple[dict[str, torch.Tensor], list[WordLinks]]],
    a: Sequence[HasTree],
    b: Sequence[HasTree],
) -> PairReadings:
    """Scores of n pairs and vectors of their sentences; ``read`` gives vectors and words of sentences."""

    def score(sentences: Sequence[HasTree], first: torch.Tensor, second: torch.Tensor) -> Block:
        vectors, words = read(sentences)
        # In 16 bits different words would be equally near.
        with full_precision(words[0].links.device):
            found = [
                scores(*(stack([words[number] for number in side.tolist()]) for side in sides))
                for sides in zip(first.split(PAIRS_AT_ONCE), second.split(PAIRS_AT_ONCE), strict=True)
            ]
        return Block(torch.cat(found), vectors)

    return read_in_blocks(score, a, b)
