"""Rows that share a text have one name."""

import itertools

from pipeline.core.seeding import linked, word_key


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


def test_one_text_beside_all_others_does_not_join_them() -> None:
    """Else nothing could be held out of a file that pairs many texts with one."""
    assert linked([(str(number), "the same") for number in range(5)]) == ["0", "1", "2", "3", "4"]


def test_half_of_the_rows_may_be_linked() -> None:
    rows = [("b", "the same"), ("a", "the same"), ("c", None), ("d", None)]
    assert linked(rows) == ["a", "a", "c", "d"]


def test_words_are_compared_without_case() -> None:
    assert word_key("The  dog") == word_key("dog the") != word_key("dog the the")
