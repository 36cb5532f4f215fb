"""Trees that are not the sentence's own: controls that show what its tree is worth.

Each is a pure function of the text and the heads, so a sentence has the same tree in training and in
evaluation, in any batch. The words keep their places in the text.

- ``shuffled`` keeps the tree's shape and assigns the words to its nodes at random. A word's place in the text
  and its place in the tree then have nothing to do with each other, so it takes surface order away as well.
- ``mismatched`` is the tree of another sentence of that length, from ``mismatched_trees.tsv``: a tree as
  sentences have them, with short edges and the usual depths.

The first moves relations with their nodes (``control_labels``). With the second each word keeps its relation
and gets another head, so that the content words stay the same and only the tree differs. Orders of content
words (``sketch.content_words``) take only the heads of a control.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from pipeline.core.seeding import generator, seeded_random

TreeControl = Literal["shuffled", "mismatched"]
CONTROLS: tuple[TreeControl, ...] = get_args(TreeControl)
_MISMATCHED = Path(__file__).with_name("mismatched_trees.tsv")
Label = TypeVar("Label")


def control_heads(heads: Sequence[int], text: str, control: TreeControl) -> Sequence[int]:
    """Return heads (1-based, 0 at the root) of the control's tree for a sentence with these heads."""
    return shuffled_tree(heads, text) if control == "shuffled" else mismatched_tree(heads, text)


def control_labels(labels: Sequence[Label], text: str, control: TreeControl) -> Sequence[Label]:
    """Return the labels of each word's edge in the control's tree; see the module."""
    if control != "shuffled":
        return labels
    return [labels[word] for word in np.argsort(_permutation(len(labels), text))]


def shuffled_tree(heads: Sequence[int], text: str) -> Sequence[int]:
    """Return heads (1-based) of the same tree with its nodes permuted at random, by the text."""
    nodes = _permutation(len(heads), text)
    permuted = np.empty(len(heads), dtype=np.int64)
    permuted[nodes] = np.concatenate(([0], nodes + 1))[np.asarray(heads, dtype=np.int64)]
    return permuted.tolist()


def _permutation(words: int, text: str) -> NDArray[np.int64]:
    """The new number of each node, 0-based."""
    return generator(0, "shuffle", text).permutation(words)


def mismatched_tree(heads: Sequence[int], text: str) -> list[int]:
    """Return heads (1-based) of a tree of the same length that is not this one, chosen by the text.

    Beyond the table's lengths it is several trees side by side: the roots of the others depend on that of the
    first, as in sentences joined by a semicolon. A single word keeps its tree: there is no other.
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
    """The trees of ``mismatched_trees.tsv`` by their number of words; two or more of each length."""
    table: dict[int, list[tuple[int, ...]]] = {}
    for line in _MISMATCHED.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            tree = tuple(map(int, line.split()))
            table.setdefault(len(tree), []).append(tree)
    return table
