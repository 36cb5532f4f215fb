"""PARSEVAL against a brute-force count on nltk's trees and cases worked out by hand."""

from collections import Counter

import nltk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.syntax.constituency import Tree, derive
from pipeline.syntax.constituency.tree import TAGS
from pipeline.syntax.sentence import Sentence
from tests.syntax.constituency import parseval
from tests.syntax.constituency.parseval import read

GOLD = (
    "(S (NP (DT the) (NN dog)) (, ,) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN in) (NP (NN town)))) (. .))"
)
FOUND = (
    "(S (NP (DT the) (NN dog) (, ,)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN in) (NP (NN town)))))"
    " (. .))"
)


def test_a_case_by_hand() -> None:
    # The comma inside the noun phrase does not count; the noun phrase around man and town is one too many.
    scores = parseval.score(read(GOLD), read(FOUND))
    assert (scores.gold, scores.predicted, scores.matched, scores.matched_unlabelled) == (6, 7, 6, 6)
    assert (scores.exact, scores.tops) == (0, 0)
    assert scores.precision == pytest.approx(600 / 7)
    assert scores.recall == 100
    assert scores.labelled_f1 == pytest.approx(1200 / 13)


def test_labels_particles_and_chains() -> None:
    gold, found = read("(S (VP (VB go) (PRT (RP up))))"), read("(S (NP (VB go) (ADVP (RP up))))")
    scores = parseval.score(gold, found)
    assert (scores.gold, scores.matched, scores.matched_unlabelled) == (3, 2, 3)  # PRT equals ADVP
    chain = parseval.score(read("(S (S (VP (VB go) (RB on))))"), read("(S (VP (VP (VB go) (RB on))))"))
    assert (chain.matched, chain.matched_unlabelled) == (2, 3)  # a chain counts once a bracket


def test_punctuation_is_what_the_gold_tags_say() -> None:
    gold, found = (
        read("(S (NP (NNS dogs) ('' ')) (VP (VBP bark)))"),
        read("(S (NP (NNS dogs) (POS ')) (VP (VBP bark)))"),
    )
    assert parseval.score(gold, found).exact == 1


def test_other_words_are_an_error_and_escapes_are_not() -> None:
    with pytest.raises(ValueError, match="not the same words"):
        parseval.score(read("(NN a)"), read("(NN b)"))
    parseval.score(read("(NP (-LRB- -LRB-) (CD 1\\/2))"), read("(NP (-LRB- -LRB-) (CD 1/2))"))


@st.composite
def two_trees(draw: st.DrawFn) -> tuple[Tree, Tree]:
    size = draw(st.integers(1, 8))
    tags = [draw(st.sampled_from([*TAGS, ",", ".", ":", "``"])) for _ in range(size)]
    made = []
    for _ in range(2):
        heads = [0] * size
        order = draw(st.permutations(range(size)))
        for place, word in enumerate(order[1:], 1):
            heads[word] = order[draw(st.integers(0, place - 1))] + 1
        made.append(derive(Sentence("", [f"w{word}" for word in range(size)], heads, (), (), tags)))
    return made[0], made[1]


@settings(max_examples=150, deadline=None)
@given(two_trees())
def test_counts_are_those_of_a_brute_force_on_nltk_trees(trees: tuple[Tree, Tree]) -> None:
    gold, found = trees
    keep = [tag not in (",", ":", "``", "''", ".") for _, tag in nltk.Tree.fromstring(str(gold)).pos()]
    right, guess = (brute(nltk.Tree.fromstring(str(tree)), keep) for tree in trees)
    scores = parseval.score(gold, found)
    assert (scores.gold, scores.predicted) == (sum(right.values()), sum(guess.values()))
    assert scores.matched == sum(min(count, guess[bracket]) for bracket, count in right.items())
    for spans in (right, guess):
        for bracket in list(spans):
            spans[bracket[0], ""] += spans.pop(bracket)
    assert scores.matched_unlabelled == sum(min(count, guess[bracket]) for bracket, count in right.items())
    same = parseval.score(gold, gold)
    assert same.labelled_f1 == (100 if same.gold else 0)


def brute(tree: nltk.Tree, keep: list[bool]) -> Counter[tuple[frozenset[int], str]]:
    """Every phrase as the set of the positions of its counted words."""
    places = {position: number for number, position in enumerate(tree.treepositions("leaves"))}
    found: Counter[tuple[frozenset[int], str]] = Counter()
    for position in tree.treepositions():
        node = tree[position]
        if isinstance(node, nltk.Tree) and node.height() > 2:
            inside = frozenset(
                number
                for place, number in places.items()
                if place[: len(position)] == position and keep[number]
            )
            if inside:
                found[inside, node.label().replace("PRT", "ADVP")] += 1
    return found
