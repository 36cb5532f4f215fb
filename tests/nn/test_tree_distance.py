"""Depths, paths and first edges of a batch of trees against walks along each tree."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from pipeline.nn.tree_attention import first_edge, tree_distance


@st.composite
def forests(draw: st.DrawFn, longest: int = 25) -> list[int]:
    """Heads of a random forest over randomly named words."""
    n = draw(st.integers(1, longest))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place in range(1, n):
        heads[order[place] - 1] = draw(st.sampled_from([0, *order[:place]]))
    return heads


def pad(batch: list[list[int]]) -> torch.Tensor:
    width = max(map(len, batch))
    return torch.tensor([heads + [-1] * (width - len(heads)) for heads in batch])


def distances(heads: list[int]) -> np.ndarray:
    """Edges between all words, infinite where there is no path."""
    edges = np.zeros((len(heads), len(heads)))
    for word, head in enumerate(heads):
        if head:
            edges[word, head - 1] = 1
    return shortest_path(edges, directed=False)


def chain(heads: list[int], word: int) -> list[int]:
    """The word and all above it, 0-based."""
    found = [word]
    while heads[found[-1]]:
        found.append(heads[found[-1]] - 1)
    return found


@settings(max_examples=25, deadline=None)
@given(st.lists(forests(), min_size=1, max_size=5))
def test_paths_in_padded_forests_are_the_shortest(batch: list[list[int]]) -> None:
    found = tree_distance(pad(batch))
    for row, heads in enumerate(batch):
        n, expected = len(heads), distances(heads)
        connected = found.connected[row, :n, :n].numpy()
        np.testing.assert_array_equal(connected, np.isfinite(expected))
        np.testing.assert_array_equal(found.path[row, :n, :n].numpy()[connected], expected[connected])
        assert not found.connected[row, :n, n:].any()
        assert found.depth[row, :n].tolist() == [len(chain(heads, word)) - 1 for word in range(n)]


def test_a_chain_of_500_words_is_exact_even_under_autocast() -> None:
    heads = torch.arange(500)[None]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = tree_distance(heads)
    count = torch.arange(500)
    assert torch.equal(found.path[0], (count[:, None] - count[None]).abs())
    assert torch.equal(found.depth[0], count)


@settings(max_examples=25, deadline=None)
@given(forests(longest=9), st.data())
def test_first_edges_are_those_of_a_walk(heads: list[int], data: st.DataObject) -> None:
    relations = data.draw(st.lists(st.integers(1, 37), min_size=len(heads), max_size=len(heads)))
    trees = tree_distance(torch.tensor([heads]))
    edge = first_edge(torch.tensor([heads]), torch.tensor([relations]), trees, 38)[0]
    for i in range(len(heads)):
        for j in range(len(heads)):
            rise, fall = chain(heads, i), chain(heads, j)
            if rise[-1] != fall[-1]:
                continue
            meeting = next(word for word in rise if word in fall)
            if i == j:
                assert edge[i, j] == 0
            elif meeting != i:
                assert edge[i, j] == relations[i]
            else:
                assert edge[i, j] == 38 + relations[fall[fall.index(i) - 1]]
