"""Repair: every result is a tree; good trees and good arcs stay."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.base import repair
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree


def sentence(heads: list[int], deprels: list[str] | None = None) -> Sentence:
    n = len(heads)
    blank = ("_",) * n
    relations = tuple(deprels or ["root" if head == 0 else "dep" for head in heads])
    return Sentence(
        words=blank,
        space_after=(True,) * n,
        lemmas=blank,
        upos=blank,
        xpos=blank,
        feats=blank,
        heads=tuple(heads),
        deprels=relations,
    )


@given(st.lists(st.integers(-3, 14), min_size=1, max_size=12))
def test_whatever_the_heads_the_result_is_a_tree_and_good_trees_stay(heads: list[int]) -> None:
    repaired, changed = repair(sentence(heads))
    assert is_tree(repaired.heads)
    assert [relation == "root" for relation in repaired.deprels] == [head == 0 for head in repaired.heads]
    assert changed != is_tree(heads)


def test_further_roots_are_attached_to_the_first() -> None:
    repaired, changed = repair(sentence([2, 0, 4, 0]))
    assert changed
    assert repaired.heads == (2, 0, 4, 2)
    assert repaired.deprels == ("dep", "root", "dep", "parataxis")


def test_a_cycle_loses_one_arc_and_keeps_the_others() -> None:
    repaired, _ = repair(sentence([0, 3, 4, 2, 4]))
    assert repaired.heads == (0, 1, 4, 2, 4)
