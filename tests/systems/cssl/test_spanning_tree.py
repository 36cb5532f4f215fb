"""Decoding against all trees of a few words, against networkx and against ufal's Chu-Liu/Edmonds."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ufal.chu_liu_edmonds import chu_liu_edmonds

from pipeline.syntax.tree import is_tree
from pipeline.systems.cssl.parser import are_trees, best_tree, decode


def every_tree(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in itertools.product(range(n + 1), repeat=n) if is_tree(heads)]


TREES = {n: every_tree(n) for n in range(1, 6)}


def total(scores: np.ndarray, heads: tuple[int, ...] | np.ndarray) -> float:
    return float(scores[np.arange(len(scores)), np.asarray(heads)].sum())


@st.composite
def score_matrices(draw: st.DrawFn, largest: int = 5) -> np.ndarray:
    n = draw(st.integers(1, largest))
    values = st.integers(-8, 8).map(float) | st.floats(-50, 50, width=32)
    return draw(arrays(np.float64, (n, n + 1), elements=values))


@settings(max_examples=150, deadline=None)
@given(score_matrices())
def test_no_tree_of_all_trees_scores_higher(scores: np.ndarray) -> None:
    found = best_tree(scores)
    assert is_tree(found)
    best = max(total(scores, heads) for heads in TREES[len(scores)])
    assert total(scores, found) == pytest.approx(best, abs=1e-6)


@settings(max_examples=80, deadline=None)
@given(score_matrices(), st.sampled_from([float(np.finfo(np.float32).min), -np.inf, np.nan, 1e6]))
def test_scores_of_words_as_their_own_heads_change_nothing(scores: np.ndarray, own: float) -> None:
    n = len(scores)
    expected = best_tree(scores)
    scores[np.arange(n), np.arange(1, n + 1)] = own
    np.testing.assert_array_equal(best_tree(scores), expected)


def by_ufal(scores: np.ndarray) -> np.ndarray:
    """ufal's best tree, with the arcs from the root penalised so that there is one."""
    n = len(scores)
    graph = np.full((n + 1, n + 1), np.nan)
    graph[1:] = scores
    graph[1:, 0] -= 1000 * (n + 1)
    np.fill_diagonal(graph, np.nan)
    return np.array(chu_liu_edmonds(graph)[0][1:])


@pytest.mark.parametrize("n", [2, 8, 25])
def test_trees_are_those_of_ufal_and_of_tied_ones_the_score_is(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(100):
        scores, tied = rng.normal(size=(n, n + 1)), rng.integers(-2, 3, size=(n, n + 1)).astype(float)
        np.testing.assert_array_equal(best_tree(scores), by_ufal(scores))
        assert total(tied, best_tree(tied)) == total(tied, by_ufal(tied))


def test_a_very_long_sentence_and_useless_scores_still_give_a_tree() -> None:
    assert is_tree(best_tree(np.zeros((600, 601))))
    assert is_tree(best_tree(np.full((5, 6), -np.inf)))
    assert is_tree(best_tree(np.full((5, 6), np.nan)))
    assert best_tree(np.zeros((1, 2))).tolist() == [0]


def test_an_arc_without_bound_is_taken_and_the_rest_is_the_best_around_it() -> None:
    """As if infinity were a large number: among all trees with the arc none scores higher."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        scores = rng.normal(size=(4, 5))
        word, head = rng.choice(4, size=2, replace=False)
        trees = [heads for heads in TREES[4] if heads[word] == head + 1]
        best = max(trees, key=lambda heads, at=scores: total(at, heads))
        scores[word, head + 1] = np.inf
        assert tuple(best_tree(scores)) == best


@settings(max_examples=50, deadline=None)
@given(st.lists(score_matrices(), min_size=1, max_size=4))
def test_a_batch_is_its_sentences(sentences: list[np.ndarray]) -> None:
    lengths = np.array([len(scores) for scores in sentences])
    width = lengths.max()
    batch = np.full((len(sentences), width, width + 1), 99.0)  # padding must not be read
    for row, scores in enumerate(sentences):
        batch[row, : len(scores), : len(scores) + 1] = scores
    heads = decode(batch, lengths)
    for row, scores in enumerate(sentences):
        own = heads[row, : len(scores)]
        assert is_tree(own)
        assert total(scores, own) == pytest.approx(total(scores, best_tree(scores)), abs=1e-6)
        assert not heads[row, len(scores) :].any()


@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=5), min_size=1, max_size=6))
def test_a_batch_of_heads_is_checked_as_one_by_one(rows: list[list[int]]) -> None:
    rows = [[min(head, len(row)) for head in row] for row in rows]
    lengths = np.array([len(row) for row in rows])
    heads = np.zeros((len(rows), 5), dtype=np.int64)
    for number, row in enumerate(rows):
        heads[number, : len(row)] = row
    assert are_trees(heads, lengths).tolist() == [is_tree(row) for row in rows]
