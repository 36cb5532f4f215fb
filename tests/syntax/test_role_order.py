"""Role order on hand-made trees: what moves words without moving meaning leaves it as it is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.syntax.role_order import role_order
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import FUNCTION, lemma

DIVIDED = ["truck", "pull", "van"]


def tree(rows: str) -> Sentence:
    """The tree of words, each ``form/lemma/UPOS/head/deprel``."""
    words, lemmas, upos, heads, deprels = zip(*(row.split("/") for row in rows.split()), strict=True)
    return Sentence(" ".join(words), words, tuple(map(int, heads)), deprels, upos, (), lemmas)


def read(rows: str) -> list[str]:
    """Lemmas in role order."""
    return lemmas_in_order(tree(rows))


def lemmas_in_order(sentence: Sentence) -> list[str]:
    return [lemma(sentence, word) for word in role_order(sentence)]


ACTIVE = (
    "Ann/Ann/PROPN/2/nsubj won/win/VERB/0/root the/the/DET/4/det prize/prize/NOUN/2/obj in/in/ADP/6/case "
    "May/May/PROPN/2/obl ././PUNCT/2/punct"
)
PASSIVE = (
    "The/the/DET/2/det prize/prize/NOUN/4/nsubj:pass was/be/AUX/4/aux:pass won/win/VERB/0/root "
    "by/by/ADP/6/case Ann/Ann/PROPN/4/obl in/in/ADP/8/case May/May/PROPN/4/obl ././PUNCT/4/punct"
)
FRONTED = (
    "In/in/ADP/2/case May/May/PROPN/4/obl Ann/Ann/PROPN/4/nsubj won/win/VERB/0/root the/the/DET/6/det "
    "prize/prize/NOUN/4/obj ././PUNCT/4/punct"
)
SWAPPED = (
    "The/the/DET/2/det prize/prize/NOUN/3/nsubj won/win/VERB/0/root Ann/Ann/PROPN/3/obj in/in/ADP/6/case "
    "May/May/PROPN/3/obl ././PUNCT/3/punct"
)


def test_voice_and_fronting_leave_the_order_and_a_swap_changes_it() -> None:
    assert read(ACTIVE) == ["ann", "win", "prize", "may"]
    assert read(PASSIVE) == read(FRONTED) == read(ACTIVE)
    assert read(SWAPPED) == ["prize", "win", "ann", "may"]


def test_dative_shift_leaves_the_order() -> None:
    gave = "Ann/Ann/PROPN/2/nsubj gave/give/VERB/0/root"
    bob, books = "Bob/Bob/PROPN/2/iobj", "books/book/NOUN/2/obj"
    order = ["ann", "give", "bob", "book"]
    assert read(f"{gave} {bob} {books}") == read(f"{gave} {books} {bob}") == order


def test_negation_is_kept_other_function_words_are_not() -> None:
    rows = (
        "Dogs/dog/NOUN/4/nsubj did/do/AUX/4/aux not/not/PART/4/advmod bark/bark/VERB/0/root "
        "and/and/CCONJ/6/cc bite/bite/VERB/4/conj"
    )
    assert read(rows) == ["dog", "bark", "not", "bite"]


def test_a_negative_determiner_is_kept_as_it_reverses_the_meaning() -> None:
    rows = "dogs/dog/NOUN/3/nsubj bark/bark/VERB/0/root"
    assert read(f"The/the/DET/2/det {rows}") == ["dog", "bark"]
    assert read(f"No/no/DET/2/det {rows}") == ["no", "dog", "bark"]


def test_conjuncts_come_after_all_other_dependents() -> None:
    # ``from Rome`` is Ann's; then ``in Rome`` is of the first verb.
    names = (
        "Ann/Ann/PROPN/6/nsubj and/and/CCONJ/3/cc Bob/Bob/PROPN/1/conj from/from/ADP/5/case "
        "Rome/Rome/PROPN/1/nmod sang/sing/VERB/0/root"
    )
    assert read(names) == ["ann", "rome", "bob", "sing"]
    verbs = (
        "Ann/Ann/PROPN/2/nsubj sang/sing/VERB/0/root and/and/CCONJ/4/cc danced/dance/VERB/2/conj "
        "in/in/ADP/6/case Rome/Rome/PROPN/2/obl"
    )
    assert read(verbs) == ["ann", "sing", "rome", "dance"]


def test_what_hangs_on_a_function_word_goes_to_the_content_word_above() -> None:
    rows = (
        "Ann/Ann/PROPN/2/nsubj left/leave/VERB/0/root just/just/ADV/4/advmod before/before/SCONJ/5/mark "
        "eating/eat/VERB/2/advcl"
    )
    assert read(rows) == ["ann", "leave", "eat", "just"]


def test_a_chain_longer_than_the_stack_of_python_is_read() -> None:
    size = 3000
    chain = Sentence("a " * size, ("a",) * size, tuple(range(size)), ("nmod",) * size, ("NOUN",) * size)
    assert role_order(chain) == list(range(size))


def test_the_clause_that_is_the_subject_of_a_passive_stands_as_its_object() -> None:
    rows = (
        "lying/lie/VERB/3/csubj:pass was/be/AUX/3/aux:pass forbidden/forbid/VERB/0/root By/by/ADP/5/case "
        "Ann/Ann/PROPN/3/obl"
    )
    assert read(rows) == ["forbid", "lie", "ann"]


def test_an_agent_in_front_is_known_by_its_preposition_in_capitals() -> None:
    rows = (
        "By/by/ADP/2/case Ann/Ann/PROPN/5/obl prizes/prize/NOUN/5/nsubj:pass were/be/AUX/5/aux:pass "
        "won/win/VERB/0/root"
    )
    assert read(rows) == ["ann", "win", "prize"]


def test_a_complement_comes_before_the_rest_and_a_clause_that_is_the_subject_before_the_verb() -> None:
    hopes = "Ann/Ann/PROPN/2/nsubj hopes/hope/VERB/0/root today/today/NOUN/2/obl win/win/VERB/2/"
    assert read(f"{hopes}xcomp") == read(f"{hopes}ccomp") == ["ann", "hope", "win", "today"]
    helps = "helps/help/VERB/0/root Bob/Bob/PROPN/1/obj singing/sing/VERB/1/csubj"
    assert read(helps) == ["sing", "help", "bob"]


def test_words_stand_for_the_lemmas_that_a_tree_lacks() -> None:
    sentence = tree("Dogs/dog/NOUN/3/nsubj n't/not/PART/3/advmod bark/bark/VERB/0/root")
    assert lemmas_in_order(replace(sentence, lemmas=())) == ["dogs", "bark", "n't"]


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


def test_a_sentence_without_labels_is_an_error_and_an_empty_one_is_not() -> None:
    with pytest.raises(SynsemError, match=r"'Rain fell': carries no relations and tags"):
        role_order(Sentence("Rain fell", ("Rain", "fell"), (2, 0)))
    assert role_order(Sentence("")) == []


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
    sentence = Sentence(" ".join(words), words, heads, deprels, upos)
    found = role_order(sentence)
    named = {word for word in range(size) if upos[word] != "ADP" and not FUNCTION & {deprels[word]}}
    assert len(set(found)) == len(found)
    assert set(found) <= named
    assert all(words[word] in ("it", "what", "that") for word in named - set(found))
