"""Tree arithmetic against walking the tree step by step."""

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.syntax.tree import DependencyTree, is_tree

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
