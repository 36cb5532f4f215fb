"""Trees that are not the sentence's own: controls that tell what its tree is worth.

Each is a pure function of the text and the heads, so a sentence has the same tree in training and in
evaluation, in any batch. The words keep their places in the text.

- ``shuffled`` keeps the tree's shape and assigns the words to its nodes at random. A word's place in the text
  and its place in the tree then have nothing to do with each other, so it takes surface order away, too.
- ``random`` is drawn uniformly from all rooted labelled trees over the words (by its Prüfer sequence).
- ``other`` is the tree of another sentence of that length, from ``other_trees.tsv``: a tree as sentences have
  them, with short edges and the usual depths.

The first moves relations with their nodes (``control_labels``). With the other two each word keeps its
relation and is given another head, so that the content words stay the same and the tree alone differs. Orders
of content words (``sketch.content_words``) take only the heads of a control, those of ``shuffled`` too.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from pipeline.core.seeding import generator, seeded_random

TreeControl = Literal["shuffled", "random", "other"]
CONTROLS: tuple[TreeControl, ...] = get_args(TreeControl)
OTHER_TREES = Path(__file__).with_name("other_trees.tsv")
Label = TypeVar("Label")


def control_heads(heads: Sequence[int], text: str, control: TreeControl) -> Sequence[int]:
    """Heads (1-based, 0 at the root) of the control's tree, for a sentence with these heads and text."""
    if control == "shuffled":
        return shuffle(heads, text)
    if control == "random":
        return random_tree(len(heads), text)
    return other_tree(heads, text)


def control_labels(labels: Sequence[Label], text: str, control: TreeControl) -> Sequence[Label]:
    """The labels of each word's edge in the control's tree; see the module."""
    if control != "shuffled":
        return labels
    return [labels[word] for word in np.argsort(node_permutation(len(labels), text))]


def shuffle(heads: Sequence[int], text: str) -> Sequence[int]:
    """Heads (1-based) of the same tree with its nodes permuted by ``node_permutation``."""
    nodes = node_permutation(len(heads), text)
    permuted = np.empty(len(heads), dtype=np.int64)
    permuted[nodes] = np.concatenate(([0], nodes + 1))[np.asarray(heads, dtype=np.int64)]
    return permuted.tolist()


def node_permutation(words: int, text: str) -> NDArray[np.int64]:
    """The new number of each node of a shuffled tree, 0-based; a pure function of the text."""
    return generator(0, "shuffle", text).permutation(words)


def random_tree(words: int, text: str) -> list[int]:
    """Heads (1-based) of a tree drawn uniformly from the ``words ** (words - 1)`` rooted labelled ones."""
    if words < 2:
        return [0] * words
    draws = seeded_random(0, "random tree", text)
    sequence = [draws.randrange(words) for _ in range(words - 2)]
    return _rooted(_edges(sequence, words), draws.randrange(words), words)


def _edges(sequence: Sequence[int], words: int) -> list[tuple[int, int]]:
    """The edges of the labelled tree of a Prüfer sequence, 0-based (Prüfer 1918), in O(n)."""
    degree = [1] * words
    for node in sequence:
        degree[node] += 1
    edges = []
    lowest = leaf = degree.index(1)
    for node in sequence:
        edges.append((leaf, node))
        degree[node] -= 1
        if degree[node] == 1 and node < lowest:
            leaf = node
        else:
            lowest = leaf = degree.index(1, lowest + 1)
    return [*edges, (leaf, words - 1)]


def _rooted(edges: Sequence[tuple[int, int]], root: int, words: int) -> list[int]:
    """Heads (1-based) of a tree with these edges, hung from ``root``."""
    near: list[list[int]] = [[] for _ in range(words)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    heads = [0] * words
    waiting = [root]
    while waiting:
        head = waiting.pop()
        for word in near[head]:
            if word != heads[head] - 1:
                heads[word] = head + 1
                waiting.append(word)
    return heads


def other_tree(heads: Sequence[int], text: str) -> list[int]:
    """Heads (1-based) of a tree of the same length that is not this one, chosen by the text.

    Beyond the table's lengths it is several trees side by side: the roots of the others depend on that of the
    first, as sentences do that are joined by a semicolon. The tree is the same where there is no other: one
    word alone.
    """
    table = _table()
    words, longest = len(heads), max(table)
    if words < min(table):
        return list(heads)
    # Equal parts as near as can be, so that none is too short to have another tree.
    parts = -(-words // longest)
    ends = [words * part // parts for part in range(parts + 1)]
    found: list[int] = []
    for part, (start, end) in enumerate(pairwise(ends)):
        own = tuple(heads) if parts == 1 else ()
        trees = [tree for tree in table[end - start] if tree != own]
        tree = trees[seeded_random(0, "other tree", text, part).randrange(len(trees))]
        root = 0 if not part else found.index(0) + 1
        found += [start + head if head else root for head in tree]
    return found


@cache
def _table() -> dict[int, list[tuple[int, ...]]]:
    """The trees of ``other_trees.tsv`` by their number of words; two or more of each length."""
    table: dict[int, list[tuple[int, ...]]] = {}
    for line in OTHER_TREES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            tree = tuple(map(int, line.split()))
            table.setdefault(len(tree), []).append(tree)
    return table
