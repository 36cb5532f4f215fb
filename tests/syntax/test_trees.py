"""Tree arithmetic against walking the tree step by step."""

from collections import deque
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import MOST_WORDS, Sentence, distinct_sentences, normalised, word_starts
from pipeline.syntax.tree import DependencyTree, is_tree, projective, shuffled

# A random tree over n words: words in a random order, each attached to an earlier one.
TREES = (
    st.integers(1, 14)
    .flatmap(
        lambda n: st.tuples(
            st.permutations(range(n)), st.tuples(*(st.integers(0, max(0, i - 1)) for i in range(n)))
        )
    )
    .map(lambda drawn: _heads(*drawn))
)


def _heads(order: list[int], parents: tuple[int, ...]) -> list[int]:
    heads = [0] * len(order)
    for place in range(1, len(order)):
        heads[order[place]] = order[parents[place]] + 1
    return heads


def path_to_root(heads: list[int], word: int) -> list[int]:
    path = [word]
    while heads[path[-1]]:
        path.append(heads[path[-1]] - 1)
    return path


def bfs(heads: list[int], start: int) -> list[int]:
    near: dict[int, set[int]] = {word: set() for word in range(len(heads))}
    for word, head in enumerate(heads):
        if head:
            near[word].add(head - 1)
            near[head - 1].add(word)
    steps, queue = {start: 0}, deque([start])
    while queue:
        word = queue.popleft()
        for other in near[word] - steps.keys():
            steps[other] = steps[word] + 1
            queue.append(other)
    return [steps[word] for word in range(len(heads))]


@given(TREES)
def test_trees_are_trees_and_their_measures_are_those_of_walking(heads: list[int]) -> None:
    n = len(heads)
    paths = [path_to_root(heads, word) for word in range(n)]
    below = [[w for w in range(n) if word in paths[w]] for word in range(n)]
    assert is_tree(heads)
    tree = DependencyTree(heads)
    assert tree.depths().tolist() == [len(path) - 1 for path in paths]
    assert tree.distances().tolist() == [bfs(heads, word) for word in range(n)]
    assert tree.ancestors().tolist() == [[other in paths[word] for other in range(n)] for word in range(n)]
    first, last, size = tree.extents
    assert [*zip(first, last, size, strict=True)] == [(min(words), max(words), len(words)) for words in below]
    assert tree.is_projective() == all(max(w) - min(w) + 1 == len(w) for w in below)
    assert [tree.subtree(word) for word in range(n)] == below
    assert tree.children == [[w for w in range(n) if heads[w] == word + 1] for word in range(n)]
    assert tree.parents == [head - 1 for head in heads]
    assert tree.heads[tree.root] == 0


@given(st.lists(st.integers(-2, 9), max_size=8))
def test_heads_are_a_tree_where_every_word_reaches_the_one_root(heads: list[int]) -> None:
    def reaches(word: int) -> bool:
        for _ in heads:
            if heads[word] == 0:
                return True
            word = heads[word] - 1
        return False

    sound = heads.count(0) == 1 and all(0 <= head <= len(heads) for head in heads)
    assert is_tree(heads) == (sound and all(reaches(word) for word in range(len(heads))))
    assert is_tree(np.array(heads, dtype=np.int16)) == is_tree(heads)


def test_the_shortest_of_two_crossing_arcs_is_lifted() -> None:
    # The arc from 1 to 3 is shorter than that from 4 to 1. Lifted first, the longer one would hang on 3.
    assert projective([3, 0, 2, 1]) == [2, 0, 2, 2]


def test_a_final_mark_that_has_words_below_it_is_shuffled_with_them() -> None:
    words = DependencyTree([2, 0, 4, 2])
    orders = {tuple(shuffled(words, ["X", "X", "X", "PUNCT"], Random(seed))) for seed in range(50)}
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)
    assert any(order[-1] != 3 for order in orders)


def test_a_drawn_tree_has_the_words_below_a_head_from_left_to_right() -> None:
    drawn = DependencyTree([2, 0, 2], ["Dogs", "chase", "cats"], ["nsubj", "root", "obj"]).drawn()
    assert drawn.split("\n") == ["  2 chase  root", "    1 Dogs  nsubj", "    3 cats  obj"]


def test_a_word_that_comes_twice_begins_where_it_stands_the_second_time() -> None:
    assert word_starts("so so", ["so", "so"]) == [0, 3]
    with pytest.raises(SynsemError, match=r"'so so': word 3 \('so'\) is not in the text"):
        word_starts("so so", ["so", "so", "so"])


def test_sentences_are_the_same_only_with_the_same_text_heads_and_relations() -> None:
    first = Sentence("a b", ["a", "b"], [0, 1], ["root", "obj"])
    others = [
        replace(first, heads=[2, 0]),
        replace(first, deprels=["root", "obl"]),
        replace(first, text="ab"),
    ]
    found, places = distinct_sentences([first, *others, others[1], first])
    assert found == [first, *others]
    assert places == [0, 1, 2, 3, 2, 0]


@pytest.mark.parametrize("more", [0, 1])
def test_a_sentence_has_as_many_words_as_its_heads_can_number(more: int) -> None:
    n = MOST_WORDS + more
    words, blank = ("w",) * n, ("",) * n
    longest = Sentence(
        words=words,
        space_after=(True,) * n,
        lemmas=words,
        upos=blank,
        xpos=blank,
        feats=blank,
        heads=tuple(range(n)),
        deprels=blank,
    )
    if more:
        with pytest.raises(SynsemError, match="has 32,768 words"):
            longest.row()
    else:
        assert longest.row()["heads"][-1] == n - 1


def test_texts_are_equal_whatever_their_case_and_spacing() -> None:
    assert normalised(" STRASSE\tno ") == normalised("Straße NO")
