"""Structural similarity, worked out by hand."""

import pytest

from pipeline.syntax.sentence import Sentence
from pipeline.syntax.similarity import ROOT, structural_similarity, triples


def sentence(words: str, upos: str, heads: str, deprels: str) -> Sentence:
    """A parsed sentence from space-separated columns; its lemmas are its words."""
    forms = tuple(words.split())
    blank = ("",) * len(forms)
    tree = tuple(map(int, heads.split()))
    return Sentence(
        words=forms,
        space_after=(True,) * len(forms),
        lemmas=forms,
        upos=tuple(upos.split()),
        xpos=blank,
        feats=blank,
        heads=tree,
        deprels=tuple(deprels.split()),
    )


ACTIVE = sentence("dogs chase the cat", "NOUN VERB DET NOUN", "2 0 4 2", "nsubj root det obj")
PASSIVE = sentence(
    "the cat was chase by dogs",
    "DET NOUN AUX VERB ADP NOUN",
    "2 4 4 0 6 4",
    "det nsubj:pass aux:pass root case obl:agent",
)
REVERSED = sentence("cat chase the dogs", "NOUN VERB DET NOUN", "2 0 4 2", "nsubj root det obj")


def test_the_passive_has_the_triples_of_the_active() -> None:
    assert triples(ACTIVE) == {("dogs", "chase", "nsubj"), ("chase", ROOT, "root"), ("cat", "chase", "obj")}
    assert triples(PASSIVE) == triples(ACTIVE)


def test_an_agent_is_known_by_its_preposition_too() -> None:
    plain = sentence(
        "the cat was chase by dogs",
        "DET NOUN AUX VERB ADP NOUN",
        "2 4 4 0 6 4",
        "det nsubj:pass aux:pass root case obl",
    )
    assert triples(plain) == triples(ACTIVE)


def test_a_conjunct_takes_the_role_of_the_first() -> None:
    both = sentence("dogs and cats sleep", "NOUN CCONJ NOUN VERB", "4 3 1 0", "nsubj cc conj root")
    assert triples(both) == {("dogs", "sleep", "nsubj"), ("cats", "sleep", "nsubj"), ("sleep", ROOT, "root")}


def test_a_chain_of_conjuncts_takes_the_role_of_the_first() -> None:
    chain = sentence("dogs cats birds sleep", "NOUN NOUN NOUN VERB", "4 1 2 0", "nsubj conj conj root")
    assert ("birds", "sleep", "nsubj") in triples(chain)


def test_similarity_by_hand() -> None:
    # Both triples of two words shared, labelled and not: (2 + 0.5) / (2 + 1); the root's has but one word.
    assert structural_similarity(triples(ACTIVE), triples(PASSIVE)) == pytest.approx(2.5 / 3)
    # Labelled none of four shared, unlabelled both.
    expected = (0.5 / 5 + 2.5 / 3) / 2
    assert structural_similarity(triples(ACTIVE), triples(REVERSED)) == pytest.approx(expected)
    other = sentence("birds sing", "NOUN VERB", "2 0", "nsubj root")
    assert structural_similarity(triples(ACTIVE), triples(other)) == pytest.approx(0.5)  # no word in common
