"""The sketch against the exact kernel."""

from collections import Counter

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipeline.nn.structure import DECAY, REACH, WEAK, WEIGHT, concatenated, sketch
from pipeline.syntax.sentence import Sentence
from pipeline.systems.synsem import heads

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


def flat(words: list[str]) -> Sentence:
    """Words in a chain, so that their role order is the order given."""
    n = len(words)
    return Sentence(" ".join(words), words, list(range(n)), ["nmod"] * n, ["NOUN"] * n)


def exact(a: list[str], b: list[str]) -> float:
    """Cosine of the structural kernel of ``synsem``, where words are alike if they are equal."""

    def links(words: list[str]) -> torch.Tensor:
        size, often = len(words), Counter(words)
        there = torch.ones(size, size).triu(1).tril(REACH)
        gaps = torch.arange(size)[None] - torch.arange(size)[:, None] - 1
        share = torch.tensor([1 / often[word] for word in words])
        found = there * heads.DECAY ** gaps.clamp(min=0) * share[:, None] * share
        return heads.evened((found - found.T)[None])[0]

    def product(a: list[str], b: list[str]) -> float:
        same = torch.tensor([[float(x == y) for y in b] for x in a])
        return float((links(a) * (same @ links(b) @ same.T)).sum()) if a and b else 0.0

    norm = np.sqrt(max(product(a, a), 0.0) * max(product(b, b), 0.0))
    return product(a, b) / norm if norm > 1e-9 else 0.0


@given(WORDS, WORDS)
def test_the_cosine_is_that_of_the_kernel_of_synsem(a: list[str], b: list[str]) -> None:
    u, v = sketch([flat(a), flat(b)], 2**16).astype(np.float64)
    assert abs(u @ v - exact(a, b)) < 0.02


@given(st.lists(WORDS, max_size=5))
def test_a_sentence_s_sketch_is_its_own_whatever_stands_beside_it(texts: list[list[str]]) -> None:
    together = sketch([flat(words) for words in texts], 32)
    assert together.shape == (len(texts), 32)
    for words, found in zip(texts, together, strict=True):
        np.testing.assert_array_equal(found, sketch([flat(words)], 32)[0])


def test_vectors_are_unit_or_zero_and_an_exchange_turns_them_round() -> None:
    words = ["a", "b"], ["b", "a"], ["a"], [], ["a", "a"]
    ab, ba, single, empty, same = sketch([flat(each) for each in words], 64)
    assert np.linalg.norm(ab) == 1
    np.testing.assert_array_equal(ab, -ba)
    assert not single.any()
    assert not empty.any()
    assert not same.any()


def test_the_constants_are_those_of_the_kernel() -> None:
    assert (DECAY, WEAK) == (heads.DECAY, heads._WEAK)


def test_parts_count_by_the_square_of_their_length() -> None:
    parts = np.random.default_rng(2).normal(size=(2, 2, 8)).astype(np.float32)
    parts /= np.linalg.norm(parts, axis=2, keepdims=True)
    one, other = (part[0] @ part[1] for part in parts)
    joint = concatenated(parts[0], WEIGHT * parts[1])
    assert np.isclose(joint[0] @ joint[1], (one + WEIGHT**2 * other) / (1 + WEIGHT**2), atol=1e-5)
