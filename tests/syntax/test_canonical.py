"""Canonical order on hand-made trees: what moves words without moving meaning leaves it as it is."""

import pytest

from pipeline.core.errors import SynsemError
from pipeline.syntax.canonical import canonical_order, lemma
from pipeline.syntax.sentence import Side


def tree(*rows: str) -> Side:
    """One word a row: ``form lemma UPOS head deprel``."""
    words, lemmas, upos, heads, deprels = zip(*(row.split() for row in rows), strict=True)
    return Side(" ".join(words), words, tuple(map(int, heads)), deprels, upos, (), lemmas)


def read(sentence: Side) -> list[str]:
    return [lemma(sentence, word) for word in canonical_order(sentence)]


ACTIVE = tree(
    "Ann Ann PROPN 2 nsubj", "won win VERB 0 root", "the the DET 4 det", "prize prize NOUN 2 obj",
    "in in ADP 6 case", "May May PROPN 2 obl", ". . PUNCT 2 punct",
)  # fmt: skip
PASSIVE = tree(
    "The the DET 2 det", "prize prize NOUN 4 nsubj:pass", "was be AUX 4 aux:pass", "won win VERB 0 root",
    "by by ADP 6 case", "Ann Ann PROPN 4 obl", "in in ADP 8 case", "May May PROPN 4 obl", ". . PUNCT 4 punct",
)  # fmt: skip
FRONTED = tree(
    "In in ADP 2 case", "May May PROPN 4 obl", "Ann Ann PROPN 4 nsubj", "won win VERB 0 root",
    "the the DET 6 det", "prize prize NOUN 4 obj", ". . PUNCT 4 punct",
)  # fmt: skip
SWAPPED = tree(
    "The the DET 2 det", "prize prize NOUN 3 nsubj", "won win VERB 0 root", "Ann Ann PROPN 3 obj",
    "in in ADP 6 case", "May May PROPN 3 obl", ". . PUNCT 3 punct",
)  # fmt: skip


def test_voice_and_fronting_leave_the_order_and_a_swap_changes_it() -> None:
    assert read(ACTIVE) == ["ann", "win", "prize", "may"]
    assert read(PASSIVE) == read(FRONTED) == read(ACTIVE)
    assert read(SWAPPED) == ["prize", "win", "ann", "may"]


def test_dative_shift_leaves_the_order() -> None:
    rows = ("Ann Ann PROPN 2 nsubj", "gave give VERB 0 root", "Bob Bob PROPN 2 iobj", "books book NOUN 2 obj")
    shifted = (
        "Ann Ann PROPN 2 nsubj",
        "gave give VERB 0 root",
        "books book NOUN 2 obj",
        "Bob Bob PROPN 2 iobj",
    )
    assert read(tree(*rows)) == read(tree(*shifted)) == ["ann", "give", "bob", "book"]


def test_negation_is_kept_other_function_words_are_not() -> None:
    sentence = tree(
        "Dogs dog NOUN 4 nsubj", "did do AUX 4 aux", "not not PART 4 advmod", "bark bark VERB 0 root",
        "and and CCONJ 6 cc", "bite bite VERB 4 conj",
    )  # fmt: skip
    assert read(sentence) == ["dog", "bark", "not", "bite"]


def test_a_negative_determiner_is_kept_as_it_reverses_the_meaning() -> None:
    rows = ("dogs dog NOUN 3 nsubj", "bark bark VERB 0 root")
    assert read(tree("No no DET 2 det", *rows)) == ["no", "dog", "bark"]
    assert read(tree("The the DET 2 det", *rows)) == ["dog", "bark"]


def test_conjuncts_come_after_all_other_dependents() -> None:
    # ``from Rome`` is Ann's; then ``in Rome`` is of the first verb.
    names = tree(
        "Ann Ann PROPN 6 nsubj", "and and CCONJ 3 cc", "Bob Bob PROPN 1 conj", "from from ADP 5 case",
        "Rome Rome PROPN 1 nmod", "sang sing VERB 0 root",
    )  # fmt: skip
    assert read(names) == ["ann", "rome", "bob", "sing"]
    verbs = tree(
        "Ann Ann PROPN 2 nsubj", "sang sing VERB 0 root", "and and CCONJ 4 cc", "danced dance VERB 2 conj",
        "in in ADP 6 case", "Rome Rome PROPN 2 obl",
    )  # fmt: skip
    assert read(verbs) == ["ann", "sing", "rome", "dance"]


def test_what_hangs_on_a_function_word_goes_to_the_content_word_above() -> None:
    sentence = tree(
        "Ann Ann PROPN 2 nsubj", "left leave VERB 0 root", "just just ADV 4 advmod",
        "after after SCONJ 5 mark", "eating eat VERB 2 advcl",
    )  # fmt: skip
    assert read(sentence) == ["ann", "leave", "eat", "just"]


def test_a_chain_longer_than_the_stack_of_python_is_read() -> None:
    size = 3000
    heads = tuple(range(size))
    chain = Side("a " * size, ("a",) * size, heads, ("nmod",) * size, ("NOUN",) * size)
    assert canonical_order(chain) == list(range(size))


def test_a_sentence_without_labels_is_an_error_and_an_empty_one_is_not() -> None:
    with pytest.raises(SynsemError, match=r"'Rain fell': carries no relations and tags"):
        canonical_order(Side("Rain fell", ("Rain", "fell"), (2, 0)))
    assert canonical_order(Side("", (), ())) == []


def test_the_clause_that_is_the_subject_of_a_passive_stands_as_its_object() -> None:
    sentence = tree(
        "lying lie VERB 3 csubj:pass", "was be AUX 3 aux:pass", "forbidden forbid VERB 0 root",
        "By by ADP 5 case", "Ann Ann PROPN 3 obl",
    )  # fmt: skip
    assert read(sentence) == ["forbid", "lie", "ann"]


def test_an_agent_in_front_is_known_by_its_preposition_in_capitals() -> None:
    sentence = tree(
        "By by ADP 2 case", "Ann Ann PROPN 5 obl", "prizes prize NOUN 5 nsubj:pass", "were be AUX 5 aux:pass",
        "won win VERB 0 root",
    )  # fmt: skip
    assert read(sentence) == ["ann", "win", "prize"]


def test_a_complement_comes_before_the_rest_and_a_clause_that_is_the_subject_before_the_verb() -> None:
    hopes = ("Ann Ann PROPN 2 nsubj", "hopes hope VERB 0 root", "today today NOUN 2 obl")
    assert read(tree(*hopes, "win win VERB 2 xcomp")) == ["ann", "hope", "win", "today"]
    assert read(tree(*hopes, "win win VERB 2 ccomp")) == ["ann", "hope", "win", "today"]
    helps = tree("helps help VERB 0 root", "Bob Bob PROPN 1 obj", "singing sing VERB 1 csubj")
    assert read(helps) == ["sing", "help", "bob"]


def test_words_stand_for_the_lemmas_that_a_tree_lacks() -> None:
    sentence = tree("Dogs dog NOUN 3 nsubj", "n't not PART 3 advmod", "bark bark VERB 0 root")
    assert read(sentence._replace(lemmas=())) == ["dogs", "bark", "n't"]
