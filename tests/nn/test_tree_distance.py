from collections import deque

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import trees
from pipeline.nn.tree_distance import tree_distance


@st.composite
def forests(draw: st.DrawFn, roots: int | None = None) -> list[int]:
    """Heads of a random tree, or of a forest, over randomly named words."""
    n = draw(st.integers(1, 25))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place in range(1, n):
        options = order[:place] if roots == 1 else [0, *order[:place]]
        heads[order[place] - 1] = draw(st.sampled_from(options))
    return heads


def pad(batch: list[list[int]]) -> torch.Tensor:
    width = max(map(len, batch))
    return torch.tensor([heads + [-1] * (width - len(heads)) for heads in batch])


def breadth_first(heads: list[int]) -> np.ndarray:
    """Edges between all words, -1 where there is no path."""
    n = len(heads)
    neighbours = [set[int]() for _ in heads]
    for word, head in enumerate(heads):
        if head:
            neighbours[word].add(head - 1)
            neighbours[head - 1].add(word)
    distance = np.full((n, n), -1)
    for start in range(n):
        distance[start, start] = 0
        queue = deque([start])
        while queue:
            word = queue.popleft()
            for other in neighbours[word]:
                if distance[start, other] < 0:
                    distance[start, other] = distance[start, word] + 1
                    queue.append(other)
    return distance


@settings(max_examples=60, deadline=None)
@given(st.lists(forests(), min_size=1, max_size=5))
def test_paths_in_padded_forests_equal_breadth_first_search(batch: list[list[int]]) -> None:
    found = tree_distance(pad(batch))
    for row, heads in enumerate(batch):
        n, expected = len(heads), breadth_first(heads)
        connected = found.connected[row, :n, :n].numpy()
        np.testing.assert_array_equal(connected, expected >= 0)
        np.testing.assert_array_equal(found.path[row, :n, :n].numpy()[connected], expected[connected])
        assert not found.connected[row, :n, n:].any()


@settings(max_examples=60, deadline=None)
@given(st.lists(forests(roots=1), min_size=1, max_size=5))
def test_it_agrees_with_the_numpy_trees(batch: list[list[int]]) -> None:
    found = tree_distance(pad(batch))
    for row, heads in enumerate(batch):
        n = len(heads)
        np.testing.assert_array_equal(found.path[row, :n, :n].numpy(), trees.distances(heads))
        np.testing.assert_array_equal(found.depth[row, :n].numpy(), trees.depths(heads))


def test_a_chain_of_500_words_is_exact_even_under_autocast() -> None:
    heads = torch.arange(500)[None]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = tree_distance(heads)
    count = torch.arange(500)
    assert torch.equal(found.path[0], (count[:, None] - count[None]).abs())
    assert torch.equal(found.depth[0], count)
