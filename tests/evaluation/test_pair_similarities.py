"""Similarities of pairs for the combined classifier equal their definitions."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_world import sentence

from pipeline.evaluation.tasks import pair_similarities
from pipeline.evaluation.tasks.pairs import vector_features
from pipeline.syntax.role_order import role_order
from pipeline.syntax.sentence import HasTree, Side

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)

ACTIVE = sentence("The dog chased the boy", "DET NOUN VERB DET NOUN", "2 3 0 5 3", "det nsubj root det obj")
PASSIVE = sentence(
    "The boy was chased by the dog",
    "DET NOUN AUX VERB ADP DET NOUN",
    "2 4 4 0 7 7 4",
    "det nsubj:pass aux:pass root case det obl:agent",
)
SWAPPED = sentence("The boy chased the dog", "DET NOUN VERB DET NOUN", "2 3 0 5 3", "det nsubj root det obj")
LONE = sentence("Run !", "VERB PUNCT", "0 1", "root punct")


def test_features_of_a_pair_are_the_same_whichever_comes_first() -> None:
    """[|u - v|; u * v] of unit vectors."""
    first, second = np.array([[3.0, 4.0]], dtype=np.float32), np.array([[0.0, 2.0]], dtype=np.float32)
    found = vector_features(first, second)
    np.testing.assert_allclose(found, [[0.6, 0.2, 0.0, 0.8]], atol=1e-6)
    np.testing.assert_array_equal(vector_features(second, first), found)


def test_the_same_words_in_another_role_are_told_apart_by_order() -> None:
    pairs = ([ACTIVE, ACTIVE, ACTIVE], [PASSIVE, SWAPPED, ACTIVE])
    found = pair_similarities.ordered_pairs(pairs)
    by_tree, surface = found["tree"], found["surface"]
    assert by_tree.shape == (3, len(pair_similarities.REACHES))
    assert by_tree[2] == pytest.approx(np.ones(5))
    assert by_tree[0, 0] > by_tree[1, 0]
    assert surface[0] == pytest.approx(surface[1])  # as they stand, both turn the words round


def flat(words: list[str]) -> Side:
    """Nouns in a chain, so that their role order is the order given."""
    n = len(words)
    return Side(" ".join(words), words, list(range(n)), ["nmod"] * n, ["NOUN"] * n)


@given(WORDS, WORDS)
def test_a_cosine_is_that_of_the_counts(a: list[str], b: list[str]) -> None:
    found = pair_similarities.ordered_pairs(([flat(a)], [flat(b)]))
    np.testing.assert_array_equal(found["tree"], found["surface"])
    for column, reach in enumerate(pair_similarities.REACHES):
        x, y = (
            Counter(
                (side[i], side[j])
                for i in range(len(side))
                for j in range(i + 1, len(side))
                if reach is None or j - i <= reach
            )
            for side in (a, b)
        )
        dot = sum(x[key] * y[key] for key in x)
        norms = sum(v * v for v in x.values()) * sum(v * v for v in y.values())
        assert found["tree"][0, column] == pytest.approx(dot / norms**0.5 if norms else 0.0)


def test_a_pair_of_long_texts_takes_no_cell_for_words_that_never_meet() -> None:
    sides = [flat([f"{side}{place}" for place in range(600)]) for side in "ab"]
    tracemalloc.start()
    try:
        pair_similarities.ordered_pairs((sides[:1], sides[1:]))
        assert tracemalloc.get_traced_memory()[1] < 70e6  # with all 1200 x 1200 cells 200e6
    finally:
        tracemalloc.stop()


def test_without_two_content_words_nothing_is_shared() -> None:
    assert not pair_similarities.ordered_pairs(([LONE, LONE], [LONE, ACTIVE]))["surface"].any()


def test_a_tree_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(tree: HasTree) -> list[int]:
        read.append(tree.text)
        return role_order(tree)

    monkeypatch.setattr(pair_similarities, "role_order", counted)
    pair_similarities.ordered_pairs(([ACTIVE, ACTIVE], [SWAPPED, LONE]))
    assert sorted(read) == sorted(each.text for each in (ACTIVE, SWAPPED, LONE))


def test_columns_are_the_similarities_that_their_names_say() -> None:
    rng = np.random.default_rng(0)
    views = tuple({"semantic": rng.normal(size=(2, 4)), "joint": rng.normal(size=(2, 6))} for _ in range(2))
    pairs = ([ACTIVE, ACTIVE], [SWAPPED, LONE])
    ordered = rng.random((2, len(pair_similarities.REACHES)))
    words = pair_similarities.word_similarities(pairs, views, ordered)
    assert words.shape == (2, 2 + len(pair_similarities.REACHES))
    assert words[:, 1].tolist() == [1.0, 0.0]
    assert words[:, 2:].tolist() == ordered.tolist()
    late = np.array([0.25, 0.5], dtype=np.float32)
    agreed = np.array([0.75, 0.125])
    trees = pair_similarities.tree_similarities(views, late, agreed, ordered)
    assert trees.shape == (2, 3 + len(pair_similarities.REACHES))
    assert trees[:, 1].tolist() == [0.25, 0.5]
    assert trees[:, 2].tolist() == [0.75, 0.125]
    assert trees[:, 3:].tolist() == ordered.tolist()
    assert pair_similarities.tree_similarities(views, None, agreed, ordered).shape == (
        2,
        2 + len(pair_similarities.REACHES),
    )


def test_products_are_of_standardised_columns() -> None:
    columns = np.array([[1.0, 10.0], [3.0, 10.0], [9.0, 14.0]])
    found = pair_similarities.with_products(columns, np.array([True, True, False]))
    assert found.shape == (3, 5)
    assert found[:, 0].tolist() == [-1.0, 1.0, 7.0]
    assert found[:2, 1].tolist() == [0.0, 0.0]  # a column that does not vary is no division by zero
    assert found[:, 2].tolist() == [1.0, 1.0, 49.0]
