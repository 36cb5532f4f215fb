"""Alternations: what is made of frames means what it says, and teaches the order that all its ways share."""

from collections.abc import Iterator
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
    KIND,
    _chain,
    _filler,
    _mark,
    _noun,
    _read_marks,
    _side,
    lexicon,
    templates,
)
from tests.contrast import SETS, contrast_set

# Here a role may be no slot's, but a word of one way.
WORDED = {
    f"{KIND}:{name}"
    for name in (
        "agent_nouns", "authorship", "converse", "creation", "firm_converse", "relational_converse",
        "transfer_converse", "work_converse",
    )
}  # fmt: skip


def rows(seed: int) -> Iterator[Row]:
    """Examples as rows of ``schemas.TRIPLET``."""
    for example in template_examples(seed):
        yield {
            "source_id": example.anchor["sent_id"],
            "anchor": example.anchor,
            "positive": example.positive,
            "negatives": [negative for negative, _ in example.negatives],
        }


@cache
def drawn() -> list[Row]:
    """Two thousand examples, which several tests read."""
    return list(islice(rows(13), 2000))


def in_order(row: Row) -> list[str]:
    """The content words of a side, as its links order them."""
    return [row["words"][place] for place in role_order(Sentence.from_row(row))] if row["heads"] else []


@cache
def people() -> dict[str, str]:
    """Names and roles, each form with its singular, but for those of more than one part of speech."""
    verbs = {each.forms[""] for found in lexicon().values() for each in found if "ing" in each.forms}
    known = (each.forms for name in ("name", "role") for each in lexicon()[name])
    return {
        form[name]: form["n"]
        for form in known
        if form["n"] not in verbs | {"patient"}
        for name in ("n", "pl")
    }


def nouns(words: list[str]) -> list[str]:
    """Its names and roles in the singular, each once: a way may repeat one."""
    bare = (word.removesuffix("'s") for word in words)
    cased = (word if word in people() else word[:1].lower() + word[1:] for word in bare)  # of a first word
    return list(dict.fromkeys(people()[word] for word in cased if word in people()))


def names(words: list[str]) -> list[str]:
    """Its names alone, which are always a slot's."""
    known = {each.forms["n"] for each in lexicon()["name"]}
    return [word for word in nouns(words) if word in known]


def test_words_of_a_slot_stand_at_its_place_in_the_order() -> None:
    fillers = {
        "x": _noun("pilot", "pilots", "old"),
        "y": _filler("name", ["Rita"]),
        "g": _filler("verb", ["send", "sends", "sent", "sent", "sending"]),
        "z": _noun("letter", "letters"),
    }
    named = {slot: each._replace(mark=_mark(slot)) for slot, each in fillers.items()}
    text, words = _read_marks("last year, it was {y} to whom {z:a} was {g:part} by {x}".format(**named))
    assert text == "last year, it was Rita to whom a letter was sent by the old pilot"
    assert [words[place][0] for place in _chain(words, ["x", "g", "y", "z"], fillers)] == [
        "pilot", "old", "sent", "Rita", "letter", "last", "year",
    ]  # fmt: skip


@given(st.permutations(range(6)), st.integers(1, 6))
def test_role_order_reads_the_links_as_they_stand(places: list[int], count: int) -> None:
    words = ["one", "two", "three", "four", "five", "six"]
    row = _side(" ".join(words), words, places[:count])
    assert role_order(Sentence.from_row(row)) == places[:count]


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
    row = _side(text, words, [words.index(word) for word in order])
    assert in_order(row) == ["Frank", "never", "lent", "Rita", "book"]


def test_all_ways_share_their_order_and_the_contrast_has_another() -> None:
    linked = [row for row in drawn() if row["anchor"]["heads"]]
    assert 0.6 < len(linked) / len(drawn()) < 0.95
    for row in linked:
        anchor, same, different = (
            in_order(each) for each in (row["anchor"], row["positive"], *row["negatives"])
        )
        # *The editor of the opera* is *who edited the opera*, *her lodger* is *who rents a room from her*.
        every = nouns if row["source_id"] not in WORDED else names
        assert every(anchor) == every(same), row
        assert [word.lower() for word in different] != [word.lower() for word in same], row


def test_the_same_seed_draws_the_same_and_no_pair_comes_twice() -> None:
    assert list(islice(rows(13), 50)) == drawn()[:50]
    assert list(islice(rows(14), 50)) != drawn()[:50]
    pairs = {(row["anchor"]["text"], row["positive"]["text"]) for row in drawn()}
    assert len(pairs) == len(drawn())
    assert all(row["anchor"]["text"] != row["positive"]["text"] for row in drawn())


def test_no_contrast_set_has_a_sentence_of_a_template() -> None:
    assert {row["source_id"] for row in drawn()} <= {f"{KIND}:{each.name}" for each in templates()}
    known = {normalised(text) for task in SETS for pair in contrast_set(task) for text in (pair.a, pair.b)}
    texts = {normalised(row[name]["text"]) for row in drawn() for name in ("anchor", "positive")}
    assert not known & texts


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
