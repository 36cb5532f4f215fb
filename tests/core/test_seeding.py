"""Draws depend on content only, and rows that share a text have one name."""

import itertools

import numpy as np

from pipeline.core.seeding import linked, sample, stable_hash


def test_a_sample_is_the_same_in_any_order_and_all_of_few_items() -> None:
    texts = [f"sentence {number}" for number in range(500)]
    shuffled = [texts[number] for number in np.random.default_rng(0).permutation(500)]
    found = sample(iter(texts), 60, str)
    assert found == sample(iter(shuffled), 60, str)
    assert len(set(found)) == 60
    assert set(found) != set(sample(texts, 60, str, "another purpose"))
    assert found[:20] == sample(texts, 20, str)  # a larger sample contains the smaller one
    assert sorted(sample(shuffled, 1000, str)) == sorted(texts)


def test_the_seed_and_the_keys_do_not_run_together() -> None:
    """Else the draws of one seed, or of one purpose, would be those of another."""
    facts = [(1, "2", "3"), (12, "3"), (1, "23"), (123,), (1, "2", "3", ""), (1, "", "2", "3")]
    assert len({stable_hash(*each) for each in facts}) == len(facts)


def test_rows_hang_together_by_any_text_in_any_order_of_its_words() -> None:
    rows = [
        ("the dog bit the man", "the man bit the dog"),
        ("nothing shared", "at all"),
        ("A cat sat", "The Dog bit the man"),
        ("alone", None),
        ("sat a cat", "the end"),
        ("at all", None),
        ("another one", None),
    ]
    first, shared, second, alone, third, single, _ = linked(rows)
    assert first == second == third == "A cat sat"
    assert shared == single == "at all"
    assert alone == "alone"


def test_a_row_alone_is_called_by_its_first_text_and_none_are_none() -> None:
    assert linked([("b", "c"), ("a", None)]) == ["b", "a"]
    assert linked([]) == []


def test_the_names_do_not_depend_on_the_order_of_the_rows() -> None:
    rows = [("a b", "c"), ("h", "d"), ("e", "f"), ("g", "b a")]
    expected = dict(zip(rows, linked(rows), strict=True))
    for order in itertools.permutations(rows):
        assert dict(zip(order, linked(order), strict=True)) == expected
