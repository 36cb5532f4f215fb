"""Late interaction: score a pair of sentences by its matched words and by what follows each of them.

Two words match if each is the other's nearest. The score then compares the links of matched words: which
content words follow which in role order, as the trees say (``tree_reader``) or as ``synsem``'s network says
without a parser. It has no parameter to learn, and is computed by NumPy: the ONNX graph's states are read
without torch.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.nn.length_batches import Rows, length_batches, longest_first
from pipeline.nn.structure import REACH
from pipeline.syntax.role_order import role_order
from pipeline.syntax.sentence import Sentence, distinct_sentences

if TYPE_CHECKING:
    from pipeline.nn.encoder import Encoder
    from pipeline.nn.tokenizer import SentenceTokenizer

Floats = NDArray[np.float32]
DECAY = 0.6  # of a link over one more word
# Of contextual nearness next to static: it decides between equal words and leaves different ones apart.
_TIE = 0.1
_TOPIC = 1.5  # of the cosine of the semantic vectors: links cover only content words
_CONTENT = 0.3  # words whose links have at least this norm are content words, in ``alignment``
_PAIRS_AT_ONCE = 128
_PAIRS_PER_BLOCK = 1024  # the word states of a block's sentences are in memory together


class WordLinks(NamedTuple):
    """The words of one sentence, or of B with a first dimension more, padded to W with zeros."""

    vector: Floats  # [D], semantic, of unit length
    states: Floats  # [W, D], contextual, of unit length
    features: Floats  # [W, E], by which words match, of unit length; zero for those that do not
    links: Floats  # [W, W], how much word j follows word i


class PairReadings(NamedTuple):
    """Scores of P pairs, and the n distinct sentences of both sides with their vectors."""

    scores: Floats  # [P]
    sentences: list[Sentence]
    vectors: dict[str, Floats]  # [n, D] for each view; empty if there are no pairs
    alignment: Floats  # [P, 2], see ``alignment``


Reader = Callable[[Sequence[Sentence]], tuple[dict[str, Floats], list[WordLinks]]]


def collected(
    batches: Iterable[tuple[Rows, Mapping[str, Floats], Sequence[int]]], count: int, views: Iterable[str]
) -> tuple[dict[str, Floats], list[WordLinks]]:
    """Return the vectors and words of ``count`` sentences in their order: what a ``Reader`` gives.

    Of each batch there are the numbers of its B sentences, their ``views``, ``semantic`` [B, D] among them,
    ``states``, ``features`` and ``links`` as in ``WordLinks`` [B, W, ...], and how many words each has.
    """
    found: dict[str, Floats] = {}
    words: dict[int, WordLinks] = {}
    for rows, read, sizes in batches:
        for view in views:
            whole = found.setdefault(view, np.zeros((count, read[view].shape[1]), dtype=np.float32))
            whole[rows] = read[view]
        for place, (row, size) in enumerate(zip(rows.tolist(), sizes, strict=True)):
            states, features = read["states"][place, :size], read["features"][place, :size]
            words[row] = WordLinks(
                read["semantic"][place], states, features, read["links"][place, :size, :size]
            )
    return found, [words[row] for row in range(count)]


def stack(sentences: Sequence[WordLinks]) -> WordLinks:
    """Stack B sentences, padded to the longest."""
    width = max(1, *(len(each.links) for each in sentences))
    first = sentences[0]
    shapes = (width, first.states.shape[1]), (width, first.features.shape[1]), (width, width)
    stacked = WordLinks(
        np.stack([each.vector for each in sentences]),
        *(np.zeros((len(sentences), *shape), dtype=np.float32) for shape in shapes),
    )
    for row, each in enumerate(sentences):
        size = len(each.links)
        stacked.states[row, :size], stacked.features[row, :size] = each.states, each.features
        stacked.links[row, :size, :size] = each.links
    return stacked


def scores(a: WordLinks, b: WordLinks) -> Floats:
    """Score P pairs, float32 [P]: agreement of the links of matched words + 1.5 times the cosine.

    With a match m_ij in [0, 1], links L and shares s_i = max over j of m_ij, agreement is
    (common + 0.5) / (total - common + 1), common = sum of L^a_ij m_ik m_jl L^b_kl, and total = the sum of
    s_i s_j L_ij^2 in either sentence: 0.5 if no words match, near 1 if all their links agree.
    """
    alike = a.features @ b.features.swapaxes(1, 2)
    near = alike + np.float32(_TIE) * (a.states @ b.states.swapaxes(1, 2))
    real = [np.abs(each.features).max(axis=2) > 0 for each in (a, b)]
    both = real[0][:, :, None] & real[1][:, None]
    near[~both] = np.finfo(near.dtype).min
    mutual = (near == near.max(axis=2, keepdims=True)) & (near == near.max(axis=1, keepdims=True))
    match = np.where(mutual & both, alike.clip(min=0), 0)
    common = (a.links * (match @ b.links @ match.swapaxes(1, 2))).sum(axis=(1, 2))
    shares = match.max(axis=2), match.max(axis=1)
    total = sum(
        (share[:, :, None] * share[:, None] * each.links**2).sum(axis=(1, 2))
        for share, each in zip(shares, (a, b), strict=True)
    )
    agreement = (common + 0.5) / ((total - common).clip(min=0) + 1)
    return agreement + _TOPIC * (a.vector * b.vector).sum(axis=1)


def alignment(a: WordLinks, b: WordLinks) -> Floats:
    """Return how well the words of P pairs are found in the other sentence, float32 [P, 2].

    Each word has its largest cosine with a word of the other sentence. The first column is the smallest one
    of content words, by states; the second the mean by features, weighted by the words' links, of the
    sentence with the lower one. In a text without two content words all words count.
    """
    real = [np.abs(each.features).max(axis=2) > 0 for each in (a, b)]
    both = real[0][:, :, None] & real[1][:, None]
    contextual, static = (
        np.where(both, x @ y.swapaxes(1, 2), -1) for x, y in ((a.states, b.states), (a.features, b.features))
    )
    sides = []
    for axis, each, there in ((2, a, real[0]), (1, b, real[1])):
        squares = each.links**2
        weight = np.sqrt(squares.sum(axis=2) + squares.sum(axis=1)) * there
        weight = np.where(weight.max(axis=1, keepdims=True) > _CONTENT, weight, there)
        weakest = np.where(weight > _CONTENT, contextual.max(axis=axis), 1).min(axis=1)
        covered = (weight * static.max(axis=axis)).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-6)
        sides.append(np.stack([weakest, covered], axis=1))
    return np.minimum(*sides).astype(np.float32)


def read_pairs(read: Reader, a: Sequence[Sentence], b: Sequence[Sentence]) -> PairReadings:
    """Score n pairs in blocks of similar length; each sentence of a block is encoded once.

    ``read`` gives the unit vectors of sentences, [n, D] for each view, and their words.
    """
    sentences, numbers = distinct_sentences([*a, *b])
    first, second = np.array(numbers, dtype=np.int64).reshape(2, -1)
    found, aligned = np.zeros(len(a), dtype=np.float32), np.zeros((len(a), 2), dtype=np.float32)
    views: dict[str, Floats] = {}
    order = longest_first([max(len(x.text), len(y.text)) for x, y in zip(a, b, strict=True)])
    for start in range(0, len(order), _PAIRS_PER_BLOCK):
        pairs = order[start : start + _PAIRS_PER_BLOCK]
        rows, places = np.unique(np.concatenate([first[pairs], second[pairs]]), return_inverse=True)
        block, words = read([sentences[row] for row in rows])
        sides = places.reshape(2, -1)
        for begin in range(0, len(pairs), _PAIRS_AT_ONCE):
            some = slice(begin, begin + _PAIRS_AT_ONCE)
            stacked = [stack([words[number] for number in side[some]]) for side in sides]
            found[pairs[some]], aligned[pairs[some]] = scores(*stacked), alignment(*stacked)
        for view, matrix in block.items():
            whole = views.setdefault(view, np.zeros((len(sentences), matrix.shape[1]), dtype=np.float32))
            whole[rows] = matrix
    return PairReadings(found, sentences, views, aligned)


def tree_reader(encoder: "Encoder", tokenizer: "SentenceTokenizer") -> Reader:
    """Return what reads sentences with their trees, for ``read_pairs``; its view is ``semantic``.

    Words match by the encoder's states, and only content words do. Links follow role order by the tree.
    """
    import torch
    from torch.nn import functional as F

    from pipeline.nn.compute import evaluation_mode, full_precision, in_given_order, token_budget
    from pipeline.nn.encoder import pool
    from pipeline.nn.tokenizer import pool_words

    @torch.inference_mode()
    def read(sentences: Sequence[Sentence]) -> tuple[dict[str, Floats], list[WordLinks]]:
        device = next(encoder.parameters()).device
        encoded = tokenizer.encode(sentences)
        groups = list(length_batches([len(each.ids) for each in encoded], token_budget(device)))
        pooled: list[torch.Tensor] = []
        states: dict[int, Floats] = {}
        with evaluation_mode(encoder):
            for rows in groups:
                tokens = tokenizer.pad([encoded[row] for row in rows], device)
                assert tokens.words is not None
                assert tokens.heads is not None
                of_tokens = encoder.states(tokens)
                pooled.append(pool(of_tokens, tokens.mask, encoder.pooling))
                with full_precision(device):
                    of_words = pool_words(of_tokens.float(), tokens.words, tokens.heads.shape[1])
                states |= zip(rows.tolist(), F.normalize(of_words, dim=-1).cpu().numpy(), strict=True)
        vectors = F.normalize(in_given_order(pooled, groups), dim=-1).cpu().numpy()
        found = []
        for row, sentence in enumerate(sentences):
            own = states[row][: len(sentence.words)]
            order = np.array(role_order(sentence), dtype=np.int64)
            links = np.zeros((len(own), len(own)), dtype=np.float32)
            for gap in range(1, REACH + 1):
                links[order[:-gap], order[gap:]] = DECAY ** (gap - 1)
            content = np.zeros_like(own)
            content[order] = own[order]
            found.append(WordLinks(vectors[row], own, content, links))
        return {"semantic": vectors}, found

    return read
