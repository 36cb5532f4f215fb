"""Alternations: what is made of frames means what it says, and teaches the order that all its ways share."""

from functools import cache
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.mining.filter import Example
from pipeline.mining.inputs import Row
from pipeline.syntax.role_order import role_order
from pipeline.syntax.sentence import Sentence, normalised
from pipeline.systems.synsem.mining import template_examples, with_templates
from pipeline.systems.synsem.templates import (
    _chain,
    _filler,
    _noun,
    _read_marks,
    _side,
    lexicon,
)
from tests.contrast import SETS, contrast_set


@cache
def drawn() -> list[Example]:
    """Two thousand examples, which several tests read."""
    return list(islice(template_examples(13), 2000))


def in_order(row: Row) -> list[str]:
    """The content words of a side, as its links order them."""
    return [row["words"][place] for place in role_order(Sentence.from_row(row))] if row["heads"] else []


def names(words: list[str]) -> list[str]:
    """Its names, each once: a way may repeat one."""
    known = {each.forms["n"] for each in lexicon()["name"]}
    return [word for word in dict.fromkeys(each.removesuffix("'s") for each in words) if word in known]


def test_words_of_a_slot_stand_at_its_place_in_the_order() -> None:
    fillers = {
        "x": _noun("pilot", "pilots", "old"),
        "y": _filler("name", ["Rita"]),
        "g": _filler("verb", ["send", "sends", "sent", "sent", "sending"]),
        "z": _noun("letter", "letters"),
    }
    named = {slot: each._replace(slot=slot) for slot, each in fillers.items()}
    text, words = _read_marks("last year, it was {y} to whom {z:a} was {g:part} by {x}".format(**named))
    assert text == "last year, it was Rita to whom a letter was sent by the old pilot"
    assert [words[place][0] for place in _chain(words, ["x", "g", "y", "z"], fillers)] == [
        "pilot", "old", "sent", "Rita", "letter", "last", "year",
    ]  # fmt: skip


@given(st.permutations(range(6)), st.integers(1, 6))
def test_role_order_reads_the_links_as_they_stand(places: list[int], count: int) -> None:
    words = ["one", "two", "three", "four", "five", "six"]
    assert role_order(_side(" ".join(words), words, places[:count])) == places[:count]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Frank has never lent Rita a book", ["Frank", "lent", "Rita", "book"]),
        ("Rita was never lent a book by Frank", ["Frank", "lent", "Rita", "book"]),
        ("it was Frank who never lent Rita a book", ["Frank", "lent", "Rita", "book"]),
    ],
)
def test_a_negation_stands_before_the_word_that_it_precedes(text: str, order: list[str]) -> None:
    words = text.split()
    side = _side(text, words, [words.index(word) for word in order])
    assert in_order(side.row()) == ["Frank", "never", "lent", "Rita", "book"]


def test_all_ways_share_their_order_and_the_contrast_has_another() -> None:
    linked = [each for each in drawn() if each.anchor["heads"]]
    assert 0.6 < len(linked) / len(drawn()) < 0.95
    for each in linked:
        [(negative, _)] = each.negatives
        anchor, same, different = (in_order(side) for side in (each.anchor, each.positive, negative))
        assert names(anchor) == names(same), each
        assert [word.lower() for word in different] != [word.lower() for word in same], each


def test_the_same_seed_draws_the_same_and_no_pair_comes_twice() -> None:
    assert list(islice(template_examples(13), 50)) == drawn()[:50]
    assert list(islice(template_examples(14), 50)) != drawn()[:50]
    pairs = {(each.anchor["text"], each.positive["text"]) for each in drawn()}
    assert len(pairs) == len(drawn())
    assert all(one != other for one, other in pairs)


def test_no_contrast_set_has_a_sentence_of_a_template() -> None:
    known = {normalised(text) for task in SETS for pair in contrast_set(task) for text in (pair.a, pair.b)}
    sides = (side for each in drawn() for side in (each.anchor, each.positive))
    assert not known & {normalised(side["text"]) for side in sides}


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.75])
def test_a_share_of_each_split_is_mixed_in_among_the_others(share: float) -> None:
    given = [Example({"split": "dev" if number % 10 == 0 else "train"}, {}, "own") for number in range(400)]
    found = list(with_templates(given, share, 13))
    assert [each for each in found if each.kind == "own"] == given
    for split in ("train", "dev"):
        some = [each for each in found if each.anchor["split"] == split]
        mixed = [each for each in some if each.kind != "own"]
        assert abs(len(mixed) - share * len(some)) <= 1
    half = found[: len(found) // 2]
    assert abs(sum(each.kind != "own" for each in half) - share * len(half)) <= 2
    assert not list(with_templates([], share, 13))
