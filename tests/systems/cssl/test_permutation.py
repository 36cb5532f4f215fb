"""Permutations that keep the tree, against all orders of a small one."""

from collections import Counter
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from pipeline.core.params import load_all
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree, permuted

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
LETTER = Sentence(
    "she wrote the long letter .",
    ["she", "wrote", "the", "long", "letter", "."],
    [2, 0, 5, 5, 2, 2],
    ["nsubj", "root", "det", "amod", "obj", "punct"],
    ["PRON", "VERB", "DET", "ADJ", "NOUN", "PUNCT"],
)


def arcs(side: Sentence) -> set[tuple[str, str, str]]:
    """Word, relation, head."""
    names = ["ROOT", *side.words]
    return {
        (word, relation, names[head])
        for word, relation, head in zip(side.words, side.deprels, side.heads, strict=True)
    }


def test_all_orders_with_whole_subtrees_are_drawn_and_no_other() -> None:
    """Oracle: of all 120 orders of the first five words, those in which every subtree is unbroken."""
    allowed = set()
    for order in permutations(range(5)):
        place = {old: new + 1 for new, old in enumerate((*order, 5))} | {-1: 0}
        heads = [place[LETTER.heads[old] - 1] for old in (*order, 5)]
        # The full stop at the end is the root's: without it the rest must be projective.
        if DependencyTree(heads[:5]).is_projective():
            allowed.add(" ".join(LETTER.words[old] for old in (*order, 5)))
    allowed.remove(LETTER.text)
    rng = Random(3)
    drawn = [permuted(LETTER, rng, subtrees=True) for _ in range(1500)]
    assert {side.text for side in drawn if side is not None} == allowed
    assert all(side is not None and arcs(side) == arcs(LETTER) for side in drawn)
    assert all(side is not None and sorted(side.upos) == sorted(LETTER.upos) for side in drawn)


def test_words_are_permuted_uniformly_and_keep_their_tree() -> None:
    """Gold case: the 23 other orders of four words, with their heads as worked out by hand."""
    sentence = Sentence(
        "he ate red plums", ["he", "ate", "red", "plums"], [2, 0, 4, 2], ["nsubj", "root", "amod", "obj"]
    )
    rng, again = Random(7), Random(7)
    drawn = [permuted(sentence, rng) for _ in range(2300)]
    assert drawn[:50] == [permuted(sentence, again) for _ in range(50)]
    counts = Counter(side.text for side in drawn if side is not None)
    assert counts.keys() == {" ".join(order) for order in permutations(sentence.words)} - {sentence.text}
    assert (
        sum((number - 100) ** 2 / 100 for number in counts.values()) < 48.3
    )  # chi-square of 22 at p = 0.001
    heads = {side.text: list(side.heads) for side in drawn if side is not None}
    assert heads["plums he red ate"] == [4, 4, 1, 0]
    assert heads["red ate plums he"] == [3, 0, 2, 2]
    assert heads["red he plums ate"] == [3, 4, 4, 0]  # red - plums crosses he - ate
    assert all(side is not None and arcs(side) == arcs(sentence) for side in drawn)


@pytest.mark.parametrize(
    ("words", "heads", "expected"),
    [
        ("go", [0], None),
        ("Go !", [0, 1], None),
        ("ha ha", [0, 1], None),
        ("rain fell", [2, 0], "fell rain"),
        ("Rain fell .", [2, 0, 2], "fell Rain ."),
    ],
)
def test_short_sentences_have_another_order_where_there_is_one(
    words: str, heads: list[int], expected: str | None
) -> None:
    tags = ["PUNCT" if word in ".!" else "X" for word in words.split()]
    for seed in range(20):
        found = permuted(Sentence(words, words.split(), heads, upos=tags), Random(seed), subtrees=True)
        assert (found and found.text) == expected
