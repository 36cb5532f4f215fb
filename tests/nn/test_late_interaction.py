"""Late interaction against loops over words, and by trees."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.metrics import unit
from pipeline.nn import backbone, late_interaction
from pipeline.nn.encoder import Encoder, embed
from pipeline.nn.late_interaction import (
    DECAY,
    WordLinks,
    alignment,
    read_pairs,
    scores,
    stack,
    tree_reader,
)
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Sentence


def words_of(count: int, seed: int) -> WordLinks:
    """Random words; the last of three or more is the first again, with another contextual state."""
    random = np.random.default_rng(seed)
    features, states, vector = (
        unit(random.normal(size=(rows, size))) for rows, size in ((count, 3), (count, 4), (1, 4))
    )
    if count > 2:
        features[-1] = features[0]
    return WordLinks(vector[0], states, features, random.random((count, count), dtype=np.float32))


def by_hand(a: WordLinks, b: WordLinks) -> float:
    """The score of one pair, word by word."""
    first, second = range(len(a.features)), range(len(b.features))
    alike = [[float(a.features[i] @ b.features[j]) for j in second] for i in first]
    near = [[alike[i][j] + 0.1 * float(a.states[i] @ b.states[j]) for j in second] for i in first]
    match = [[0.0 for _ in second] for _ in first]
    for i in first:
        for j in second:
            if near[i][j] == max(near[i]) == max(row[j] for row in near):
                match[i][j] = max(0.0, alike[i][j])
    common = total = 0.0
    for i in first:
        for j in first:
            total += max(match[i]) * max(match[j]) * float(a.links[i, j]) ** 2
            for k in second:
                for m in second:
                    common += float(a.links[i, j]) * match[i][k] * match[j][m] * float(b.links[k, m])
    for k in second:
        for m in second:
            shares = [max(row[word] for row in match) for word in (k, m)]
            total += shares[0] * shares[1] * float(b.links[k, m]) ** 2
    return (common + 0.5) / (max(0.0, total - common) + 1) + 1.5 * float(a.vector @ b.vector)


def aligned_by_hand(a: WordLinks, b: WordLinks) -> list[float]:
    """The weakest content word by states, and the mean by features of the sentence that is covered less."""
    weakest, covered = 1.0, 1.0
    for one, other in ((a, b), (b, a)):
        words = range(len(one.links))
        weights = [float((one.links[i] ** 2).sum() + (one.links[:, i] ** 2).sum()) ** 0.5 for i in words]
        if max(weights) <= 0.3:
            weights = [1.0 for _ in words]
        static = [float((other.features @ one.features[i]).max()) for i in words]
        weakest = min(
            [weakest] + [float((other.states @ one.states[i]).max()) for i in words if weights[i] > 0.3]
        )
        mean = sum(x * y for x, y in zip(weights, static, strict=True)) / sum(weights)
        covered = min(covered, mean)
    return [weakest, covered]


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=4), st.integers(0, 999))
def test_alignment_is_that_of_each_word(sizes: list[tuple[int, int]], seed: int) -> None:
    pairs = [(words_of(a, seed + row), words_of(b, seed + row + 9)) for row, (a, b) in enumerate(sizes)]
    pairs[0] = tuple(each._replace(links=0.1 * each.links) for each in pairs[0])
    found = alignment(*(stack([pair[side] for pair in pairs]) for side in (0, 1)))
    np.testing.assert_allclose(found, [aligned_by_hand(*pair) for pair in pairs], atol=1e-5)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=4), st.integers(0, 999))
def test_score_is_the_sum_over_words_and_links(sizes: list[tuple[int, int]], seed: int) -> None:
    pairs = [
        (words_of(a, seed + 2 * row), words_of(b, seed + 2 * row + 1)) for row, (a, b) in enumerate(sizes)
    ]
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    found = scores(stack(a), stack(b))
    np.testing.assert_allclose(found, [by_hand(x, y) for x, y in pairs], atol=1e-5)
    np.testing.assert_allclose(scores(stack(b), stack(a)), found, atol=1e-5)


def sentence(text: str, heads: str, deprels: str, upos: str) -> Sentence:
    words = text.split()
    return Sentence(text, words, [int(head) for head in heads.split()], deprels.split(), upos.split())


ACTIVE = sentence(
    "The old dog bit Ann .", "3 3 4 0 4 4", "det amod nsubj root obj punct", "DET ADJ NOUN VERB PROPN PUNCT"
)
PASSIVE = sentence(
    "Ann was bitten by the old dog .",
    "3 3 0 7 7 7 3 3",
    "nsubj:pass aux:pass root case det amod obl punct",
    "PROPN AUX VERB ADP DET ADJ NOUN PUNCT",
)
SWAPPED = sentence(
    "Ann bit the old dog .", "2 0 5 5 2 2", "nsubj root det amod obj punct", "PROPN VERB DET ADJ NOUN PUNCT"
)
RAIN = sentence("Rain fell .", "2 0 2", "nsubj root punct", "NOUN VERB PUNCT")
EMPTY = Sentence("")


def test_trees_link_content_words_in_role_order(tiny_backbone: Path) -> None:
    plain = backbone.load(str(tiny_backbone))
    read = tree_reader(Encoder(plain.model).eval(), SentenceTokenizer(plain.tokenizer, 32))
    _, (active, passive, empty) = read([ACTIVE, PASSIVE, EMPTY])
    order = {"dog": (2, 6), "old": (1, 5), "bit": (3, 2), "Ann": (4, 0)}
    for number, found in enumerate((active, passive)):
        places = [each[number] for each in order.values()]
        content = np.abs(found.features).sum(axis=1) > 0
        assert np.flatnonzero(content).tolist() == sorted(places)
        expected = np.zeros_like(found.links)
        for i, first in enumerate(places):
            for j, second in enumerate(places[i + 1 : i + 4]):
                expected[first, second] = DECAY**j
        np.testing.assert_allclose(found.links, expected)
    assert empty.links.shape == (0, 0)


def test_blocks_and_company_change_nothing(tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = backbone.load(str(tiny_backbone))
    encoder = Encoder(plain.model).eval()
    tokenizer = SentenceTokenizer(plain.tokenizer, 32)
    read, sides = tree_reader(encoder, tokenizer), [ACTIVE, PASSIVE, SWAPPED, RAIN, EMPTY]
    a, b = [x for x in sides for _ in sides], [y for _ in sides for y in sides]
    whole = read_pairs(read, a, b)
    assert np.isfinite(whole.scores).all()
    np.testing.assert_allclose(whole.scores, whole.scores.reshape(5, 5).T.ravel(), atol=1e-5)
    for view, expected in embed({"semantic": encoder}, tokenizer, whole.sentences).items():
        np.testing.assert_allclose(whole.vectors[view], expected, atol=1e-5)
    monkeypatch.setattr(late_interaction, "_PAIRS_PER_BLOCK", 4)
    monkeypatch.setattr(late_interaction, "_PAIRS_AT_ONCE", 3)
    np.testing.assert_allclose(read_pairs(read, a, b).scores, whole.scores, atol=1e-5)
    assert read_pairs(read, [], []).scores.shape == (0,)
