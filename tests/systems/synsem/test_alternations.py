"""Alternations: what is made of frames means what it says, and teaches the order that all its ways share."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice, takewhile
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pipeline.augment.morphology import inflections
from pipeline.mining.filter import Example
from pipeline.mining.inputs import Row
from pipeline.syntax.frames.drawing import sentence
from pipeline.syntax.frames.frames import ways
from pipeline.syntax.frames.words import Noun, Text, Verb, plural, verb
from pipeline.syntax.role_order import role_order
from pipeline.syntax.sentence import Side, normalised
from pipeline.systems.synsem import alternations as alternations_folder
from pipeline.systems.synsem.alternations.drawn import KIND, Alternation, alternations, lexicon
from pipeline.systems.synsem.alternations.links import (
    OWN,
    Marking,
    chain,
    is_content,
    marked,
    order_of,
    read_marks,
    side,
)
from pipeline.systems.synsem.mining import template_examples, with_templates
from tests.contrast import SETS, contrast_set

# Here a role may be no slot's, but a word of one way.
WORDED = {
    f"{KIND}:{name}"
    for name in (
        "agent_nouns", "authorship", "converse", "creation", "firm_converse", "relational_converse",
        "transfer_converse", "work_converse",
    )
}  # fmt: skip


def drawn_examples(seed: int) -> Iterator[Row]:
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
    """Six thousand examples, which several tests read."""
    return list(islice(drawn_examples(13), 6000))


def in_order(row: Row) -> list[str]:
    """The content words of a side, as its links order them."""
    return [row["words"][place] for place in role_order(Side.from_row(row))] if row["heads"] else []


@cache
def people() -> dict[str, str]:
    """Names and roles, each form with its singular, but for those of more than one part of speech."""
    verbs = {each.base for found in lexicon().fillers.values() for each in found if isinstance(each, Verb)}
    found = (each for name in ("name", "role") for each in lexicon().fillers[name])
    known = {each.noun for each in found if isinstance(each, Noun)} - verbs - {"patient"}
    return {form: noun for noun in known for form in (noun, plural(noun))}


def nouns(words: list[str]) -> list[str]:
    """Its names and roles in the singular, each once: a way may repeat one."""
    bare = (word.removesuffix("'s") for word in words)
    cased = (word if word in people() else word[:1].lower() + word[1:] for word in bare)  # of a first word
    return list(dict.fromkeys(people()[word] for word in cased if word in people()))


def names(words: list[str]) -> list[str]:
    """Its names alone, which are always a slot's."""
    known = {each.noun for each in lexicon().fillers["name"] if isinstance(each, Noun)}
    return [word for word in nouns(words) if word in known]


def test_a_way_has_the_words_of_its_slots_where_the_first_way_has_them() -> None:
    fillers = [Noun("pilot", before="old"), Noun("Rita", name=True), verb("send sent sent"), Noun("letter")]
    named = dict(zip("xygz", marked([*fillers, Text("last year")]), strict=False))
    order = [*order_of("{x} {g:past} {y} {z:a}", list("xygz")), 4]
    assert order == [0, 2, 1, 3, 4]
    read = read_marks("last year, it was {y} to whom {z:a} was {g:part} by {x}".format(**named))
    assert read.text == "last year, it was Rita to whom a letter was sent by the old pilot"
    assert [read.words[place] for place in chain(read, order, fillers)] == [
        "pilot", "old", "sent", "Rita", "letter", "last", "year",
    ]  # fmt: skip


def test_own_words_stand_where_the_first_way_has_its_own_or_where_they_are_named() -> None:
    words = ["Rita", "died", "in", "Lima", "and", "was", "born", "in", "Prague"]
    read = Marking(" ".join(words), words, [0, OWN, OWN, 1, OWN, OWN, OWN, OWN, 2])
    names = [Noun(each, name=True) for each in ("Rita", "Lima", "Prague")]
    assert [words[place] for place in chain(read, [0, "born", 2, "died", 1], names)] == [
        "Rita", "born", "Prague", "died", "Lima",
    ]  # fmt: skip
    assert [words[place] for place in chain(read, [0, OWN, 1], names)] == ["Rita", "died", "Lima", "born"]


def test_a_named_own_word_is_found_with_its_capital_too() -> None:
    marking = Marking("Moved by Ann", ["Moved", "by", "Ann"], [OWN, OWN, 0])
    assert chain(marking, ["moved", 0], [Text("Ann")]) == [0, 2]


def test_a_slot_of_any_word_has_its_article() -> None:
    town, metal, size = marked([Text("emptier"), Text("iron"), Text("big")])
    text = sentence(f"this is a {town} town with a {metal} gate and a {size} hall", "", False)
    assert read_marks(text).text == "This is an emptier town with an iron gate and a big hall."


@given(st.permutations(range(6)), st.integers(1, 6))
def test_role_order_reads_the_links_as_they_stand(places: list[int], count: int) -> None:
    words = ["one", "two", "three", "four", "five", "six"]
    row = side(Marking(" ".join(words), words, [0] * 6), places[:count])
    assert role_order(Side.from_row(row)) == places[:count]


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
    row = side(Marking(text, words, [0] * len(words)), [words.index(word) for word in order])
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


def test_the_contrast_has_the_nouns_of_the_paraphrase_elsewhere() -> None:
    for row in drawn():
        same, different = row["positive"]["words"], row["negatives"][0]["words"]
        assert sorted(nouns(same)) == sorted(nouns(different))
        assert same != different


def test_the_same_seed_draws_the_same_and_no_pair_comes_twice() -> None:
    assert list(islice(drawn_examples(13), 50)) == drawn()[:50]
    assert list(islice(drawn_examples(14), 50)) != drawn()[:50]
    pairs = {(row["anchor"]["text"], row["positive"]["text"]) for row in drawn()}
    assert len(pairs) == len(drawn())
    assert all(row["anchor"]["text"] != row["positive"]["text"] for row in drawn())


def test_every_frame_comes_and_no_contrast_set_has_a_sentence_of_them() -> None:
    assert {row["source_id"] for row in drawn()} == {f"{KIND}:{each.name}" for each in alternations()}
    known = {normalised(text) for task in SETS for pair in contrast_set(task) for text in (pair.a, pair.b)}
    texts = {normalised(row[name]["text"]) for row in drawn() for name in ("anchor", "positive")}
    assert not known & texts


def test_verbs_are_spelt_as_the_inflection_library_spells_them() -> None:
    """But for what it spells as Americans do, and for regular forms that it does not know."""
    verbs = {each for fillers in lexicon().fillers.values() for each in fillers if isinstance(each, Verb)}
    wrong = [
        form
        for each in verbs
        for tag, form in (
            ("VBZ", each.third),
            ("VBD", each.past),
            ("VBN", each.participle),
            ("VBG", each.gerund),
        )
        if inflections(each.base, tag) and form != inflections(each.base, tag)[0]
    ]
    assert set(wrong) == {
        "cancelled", "cancelling", "travelled", "travelling", "chiselled", "knitted", "skied",
        "mowed", "stinging", "smelt", "appalled", "appalling", "signalled", "signalling", "smelled",
        "lied", "wove",
    }  # fmt: skip


def test_where_pairs_of_words_decide_a_frame_is_drawn_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = len(lexicon().fillers["transfer_pair"])
    assert 16 <= pairs < 64  # three digits to base 4
    made = [
        Alternation(
            "plain",
            ways("x y:fullname", "{x} left {y}", "{y} was left by {x}", adverbial=""),
            [0, OWN, 1],
            "xy",
        ),
        Alternation(
            "pairs",
            ways(
                "x y:fullname z:implement g:transfer_pair",
                "{x} {g:1} {z} to {y}",
                "{y} {g:2} {z} from {x}",
                adverbial="",
            ),
            [0, 3, 2, 1],
            "xy",
        ),
    ]
    monkeypatch.setattr("pipeline.systems.synsem.alternations.drawn.alternations", lambda: made)
    found = Counter(row["source_id"] for row in islice(drawn_examples(13), 1000))
    assert 3.4 < found[f"{KIND}:pairs"] / found[f"{KIND}:plain"] < 4.6


def with_form(form: str) -> Iterator[tuple[Alternation, re.Match[str], list[int | str]]]:
    """Alternations with an order and a form that begins so, the match, and what follows its slot there."""
    for each in alternations():
        found = re.search(rf"'{form}", str(each.frame.triples))
        if each.order is not None and found:
            slot = list(each.frame.categories()).index(found["slot"])
            yield each, found, each.order[each.order.index(slot) + 1 :]


def test_what_says_where_a_person_is_from_follows_that_person() -> None:
    """As in a tree: *the judge from Vienna woke the student* is judge, Vienna, woke, student."""
    told = list(with_form(r"\{(?P<slot>x)\} from \{c\} \{g"))
    assert len(told) >= 3
    for each, _, after in told:
        town = list(each.frame.categories()).index("c")
        assert next(slot for slot in after if isinstance(slot, int)) == town, each.frame.slots


def test_a_verb_of_a_ways_own_follows_who_does_it() -> None:
    """As in a tree: *Ann noticed that he left* has *noticed* after Ann, and not at the end."""
    told = [
        (each.frame.slots, found["verb"], list(takewhile(lambda it: it == OWN or isinstance(it, str), after)))
        for each, found, after in with_form(r"\{(?P<slot>p)\} (?P<verb>\w+) that \{")
        if is_content(found["verb"])
    ]
    assert len(told) >= 20
    wrong = [each for each in told if not {OWN, each[1]} & set(each[2])]
    assert not wrong


def test_he_is_a_man_and_herself_a_woman_where_the_name_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a frame takes any person, *he* is whoever it is."""
    told = tuple(
        each for each in alternations() if re.search("; he was born|herself", str(each.frame.triples))
    )
    monkeypatch.setattr("pipeline.systems.synsem.alternations.drawn.alternations", lambda: told)
    women, men = (set(words.replace(",", " ").split()) for words in (lexicon().women, lexicon().men))
    texts = [(row["anchor"]["text"], row["positive"]["text"]) for row in islice(drawn_examples(13), 300)]
    born = [pair for pair in texts if any("; he was born" in text for text in pair)]
    alone = [pair for pair in texts if any("herself" in text for text in pair)]
    assert born
    assert alone
    assert not any(women & set(re.findall(r"\w+", " ".join(pair))) for pair in born)
    assert not any(men & set(re.findall(r"\w+", " ".join(pair))) for pair in alone)


def test_a_category_stands_in_one_file_of_the_lexicon_alone() -> None:
    found = [
        category
        for file in (Path(alternations_folder.__file__).parent / "lexicon").glob("*.yaml")
        for section in yaml.safe_load(file.read_text(encoding="utf-8")).values()
        if isinstance(section, dict)
        for category in section
    ]
    assert len(found) == len(set(found))
    assert set(found) <= set(lexicon().fillers)


def test_every_category_of_the_lexicon_fills_a_slot() -> None:
    used = {category for each in alternations() for category in each.frame.categories().values()}
    by_person = {"role", "name", "woman", "man", "looks", "origin", "when"}
    assert used <= set(lexicon().fillers) | {"person", "someone"}
    assert set(lexicon().fillers) <= used | by_person


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
