"""Mending: every result is a tree, sound trees stay, sound arcs stay."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.wellformed import mend
from pipeline.sentences import Sentence
from pipeline.trees import is_tree


def sentence(heads: list[int], deprels: list[str] | None = None) -> Sentence:
    n = len(heads)
    blank = ("_",) * n
    relations = tuple(deprels or ["root" if head == 0 else "dep" for head in heads])
    return Sentence(blank, (True,) * n, blank, blank, blank, blank, tuple(heads), relations)


@given(st.lists(st.integers(-3, 14), min_size=1, max_size=12))
def test_whatever_the_heads_the_result_is_a_tree_and_sound_trees_stay(heads: list[int]) -> None:
    mended, changed = mend(sentence(heads))
    assert is_tree(mended.heads)
    assert [relation == "root" for relation in mended.deprels] == [head == 0 for head in mended.heads]
    assert changed != is_tree(heads)


def test_further_roots_hang_on_the_first() -> None:
    mended, changed = mend(sentence([2, 0, 4, 0]))
    assert changed
    assert mended.heads == (2, 0, 4, 2)
    assert mended.deprels == ("dep", "root", "dep", "parataxis")


def test_a_cycle_loses_one_arc_and_keeps_the_others() -> None:
    mended, _ = mend(sentence([0, 3, 4, 2, 4]))
    assert mended.heads == (0, 1, 4, 2, 4)
