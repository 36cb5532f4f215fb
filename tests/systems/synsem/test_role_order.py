"""Role order on hand-made trees: each pair of sentences says the same, or the same words otherwise."""

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.syntax.canonical import canonical_order, lemma
from pipeline.syntax.sentence import Side
from pipeline.systems.synsem.role_order import role_order

DIVIDED = ["truck", "pull", "van"]


def read(rows: str) -> list[str]:
    """Lemmas in role order; a word is ``form/lemma/UPOS/head/deprel``."""
    words, lemmas, upos, heads, deprels = zip(*(row.split("/") for row in rows.split()), strict=True)
    sentence = Side(" ".join(words), words, tuple(map(int, heads)), deprels, upos, (), lemmas)
    return [lemma(sentence, word) for word in role_order(sentence)]


def test_a_noun_comes_before_its_modifiers() -> None:
    assert (
        read(
            "the/the/DET/2/det dentist/dentist/NOUN/4/nmod:poss 's/'s/PART/2/case "
            "neighbour/neighbour/NOUN/0/root"
        )
        == read(
            "the/the/DET/2/det neighbour/neighbour/NOUN/0/root of/of/ADP/5/case the/the/DET/5/det "
            "dentist/dentist/NOUN/2/nmod"
        )
        == ["neighbour", "dentist"]
    )
    assert read("six/six/NUM/3/nummod white/white/ADJ/3/amod hats/hat/NOUN/0/root") == ["hat", "six", "white"]


def test_a_noun_stands_in_its_relative_clause_where_the_pronoun_would() -> None:
    subject = (
        "the/the/DET/2/det truck/truck/NOUN/0/root that/that/PRON/4/nsubj pulls/pull/VERB/2/acl:relcl "
        "the/the/DET/6/det van/van/NOUN/4/obj"
    )
    object_ = (
        "the/the/DET/2/det van/van/NOUN/0/root that/that/PRON/6/obj the/the/DET/5/det "
        "truck/truck/NOUN/6/nsubj pulls/pull/VERB/2/acl:relcl"
    )
    without = (
        "the/the/DET/2/det van/van/NOUN/0/root the/the/DET/4/det truck/truck/NOUN/5/nsubj "
        "pulls/pull/VERB/2/acl:relcl"
    )
    passive = (
        "the/the/DET/2/det van/van/NOUN/0/root that/that/PRON/5/nsubj:pass is/be/AUX/5/aux:pass "
        "pulled/pull/VERB/2/acl:relcl by/by/ADP/8/case the/the/DET/8/det truck/truck/NOUN/5/obl:agent"
    )
    assert [read(rows) for rows in (subject, object_, without, passive)] == [DIVIDED] * 4
    reversed_ = (
        "the/the/DET/2/det truck/truck/NOUN/0/root that/that/PRON/6/obj the/the/DET/5/det "
        "van/van/NOUN/6/nsubj pulls/pull/VERB/2/acl:relcl"
    )
    assert read(reversed_) == DIVIDED[::-1]


def test_a_noun_that_is_the_recipient_in_its_relative_clause_follows_the_verb() -> None:
    relative = (
        "the/the/DET/2/det child/child/NOUN/0/root whom/whom/PRON/5/iobj Ann/Ann/PROPN/5/nsubj "
        "told/tell/VERB/2/acl:relcl"
    )
    assert read(relative) == ["ann", "tell", "child"]


def test_what_a_cleft_divides_is_one_clause() -> None:
    by_subject = (
        "it/it/PRON/4/nsubj is/be/AUX/4/cop the/the/DET/4/det truck/truck/NOUN/0/root "
        "that/that/PRON/6/nsubj pulls/pull/VERB/4/acl:relcl the/the/DET/8/det van/van/NOUN/6/obj"
    )
    by_object = (
        "it/it/PRON/4/expl is/be/AUX/4/cop the/the/DET/4/det van/van/NOUN/0/root "
        "that/that/SCONJ/8/obj the/the/DET/7/det truck/truck/NOUN/8/nsubj pulls/pull/VERB/4/csubj"
    )
    pseudo = (
        "what/what/PRON/4/obj the/the/DET/3/det truck/truck/NOUN/4/nsubj pulls/pull/VERB/7/csubj "
        "is/be/AUX/7/cop the/the/DET/7/det van/van/NOUN/0/root"
    )
    outer = (
        "the/the/DET/2/det van/van/NOUN/7/nsubj:outer is/be/AUX/7/cop what/what/PRON/7/obj "
        "the/the/DET/6/det truck/truck/NOUN/7/nsubj pulls/pull/VERB/0/root"
    )
    assert [read(rows) for rows in (by_subject, by_object, pseudo)] == [DIVIDED] * 3
    assert read(outer) == DIVIDED


def test_a_clause_as_subject_that_no_cleft_divides_stays_before() -> None:
    rows = (
        "that/that/SCONJ/3/mark trucks/truck/NOUN/3/nsubj pull/pull/VERB/5/csubj is/be/AUX/5/cop "
        "news/news/NOUN/0/root"
    )
    assert read(rows) == ["truck", "pull", "news"]


def test_a_source_comes_before_its_goal() -> None:
    train = (
        "trains/train/NOUN/2/nsubj ran/run/VERB/0/root {}/x/ADP/4/case {}/{}/PROPN/2/obl "
        "{}/x/ADP/6/case {}/{}/PROPN/2/obl"
    )
    there = read(train.format("from", "Oslo", "oslo", "to", "Rome", "rome"))
    assert there == ["train", "run", "oslo", "rome"]
    assert read(train.format("to", "Rome", "rome", "from", "Oslo", "oslo")) == there
    assert read(train.format("from", "Rome", "rome", "to", "Oslo", "oslo")) == [
        "train",
        "run",
        "rome",
        "oslo",
    ]
    # Two phrases of other kinds stay as they stand.
    assert read(train.format("to", "Rome", "rome", "in", "May", "may")) == ["train", "run", "rome", "may"]


def test_what_is_earlier_comes_before_what_is_later() -> None:
    after = (
        "she/she/PRON/2/nsubj left/leave/VERB/0/root after/after/SCONJ/5/mark he/he/PRON/5/nsubj "
        "spoke/speak/VERB/2/advcl"
    )
    before = (
        "he/he/PRON/2/nsubj spoke/speak/VERB/0/root before/before/SCONJ/5/mark she/she/PRON/5/nsubj "
        "left/leave/VERB/2/advcl"
    )
    fronted = (
        "after/after/SCONJ/3/mark he/he/PRON/3/nsubj spoke/speak/VERB/5/advcl she/she/PRON/5/nsubj "
        "left/leave/VERB/0/root"
    )
    assert [read(rows) for rows in (after, before, fronted)] == [["he", "speak", "she", "leave"]] * 3
    assert read(after.replace("after/after", "although/although")) == ["she", "leave", "he", "speak"]


def test_a_condition_or_reason_comes_first_and_so_does_what_a_thing_happened_after() -> None:
    clause = (
        "she/she/PRON/2/nsubj left/leave/VERB/0/root {}/x/SCONJ/5/mark he/he/PRON/5/nsubj "
        "spoke/speak/VERB/2/advcl"
    )
    assert read(clause.format("because")) == read(clause.format("If")) == ["he", "speak", "she", "leave"]
    phrase = "she/she/PRON/2/nsubj left/leave/VERB/0/root {}/x/ADP/4/case lunch/lunch/NOUN/2/obl"
    assert read(phrase.format("after")) == ["lunch", "she", "leave"]
    assert read(phrase.format("before")) == read(phrase.format("because")) == ["she", "leave", "lunch"]


def test_without_labels_it_raises_as_canonical_order_does() -> None:
    with pytest.raises(SynsemError, match="carries no relations and tags"):
        role_order(Side("Rain fell", ("Rain", "fell"), (2, 0)))
    assert role_order(Side("", (), ())) == []


RELATIONS = [
    "nsubj",
    "obj",
    "acl:relcl",
    "csubj",
    "nmod",
    "amod",
    "conj",
    "case",
    "cop",
    "expl",
    "nsubj:outer",
]
WORDS = ["it", "what", "that", "from", "to", "Oslo", "van"]


@given(st.data())
def test_of_any_tree_it_names_each_content_word_once_but_for_pronouns(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 9))
    heads = [data.draw(st.integers(0, word)) for word in range(size)]  # of an earlier word: no cycles
    heads[0] = 0
    words = data.draw(st.lists(st.sampled_from([*WORDS, "after", "if"]), min_size=size, max_size=size))
    relations = st.sampled_from([*RELATIONS, "advcl", "obl", "mark", "list"])
    deprels = data.draw(st.lists(relations, min_size=size, max_size=size))
    upos = data.draw(st.lists(st.sampled_from(["NOUN", "VERB", "PRON", "ADP"]), min_size=size, max_size=size))
    sentence = Side(" ".join(words), words, heads, deprels, upos)
    found, known = role_order(sentence), canonical_order(sentence)
    assert len(set(found)) == len(found)
    assert set(found) <= set(known)
    assert all(words[word] in ("it", "what", "that") for word in set(known) - set(found))


def test_the_orders_of_many_random_trees_are_those_of_the_first_slower_form() -> None:
    draw = random.Random(0)
    digest = hashlib.sha256()
    for _ in range(2_000):
        size = draw.randrange(1, 14)
        heads = [0, *(draw.randrange(word + 1) for word in range(1, size))]
        renamed = draw.sample(range(size), size)  # so that heads stand on either side
        mixed = [0] * size
        for word, head in enumerate(heads):
            mixed[renamed[word]] = renamed[head - 1] + 1 if head else 0
        words, deprels, upos, lemmas = (
            draw.choices(values, k=size)
            for values in (
                [*WORDS, "who", "by", "until"],
                [*RELATIONS, "nsubj:pass", "obl", "xcomp", "det", "advmod"],
                ["NOUN", "VERB", "PRON", "ADP", "ADJ", "PART"],
                ["", "not", "go"],
            )
        )
        sentence = Side(" ".join(words), words, mixed, deprels, upos, (), lemmas)
        digest.update(repr((role_order(sentence), canonical_order(sentence))).encode())
    assert digest.hexdigest()[:16] == "30a400acdc1e7bd6"
