"""Heads -> depth, distance, span, projectivity: the vectorised tree arithmetic, in one place.

A tree over n words is its head vector: ``heads[i]`` is the 1-based position of word i's head, 0 for the
root. Let A[i, j] = 1 where word j is word i or one of its ancestors. Then depth = A·1, C = A·Aᵀ counts shared
ancestors, and the path between two words has depth(i) + depth(j) - 2·C(i, j) edges.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Heads = Sequence[int] | NDArray[np.integer]


def is_tree(heads: Heads) -> bool:
    """Whether ``heads`` is one well-formed tree: exactly one root, heads in range, no cycle."""
    array = np.asarray(heads, dtype=np.int64)
    n = len(array)
    if n == 0 or (array < 0).any() or (array > n).any() or np.count_nonzero(array == 0) != 1:
        return False
    # Pointer jumping: after k rounds every word points 2**k steps up; in a tree all reach the root's 0.
    pointer = np.concatenate(([0], array))
    for _ in range(max(1, n.bit_length())):
        pointer = pointer[pointer]
    return not pointer.any()


def ancestors(heads: Heads) -> NDArray[np.bool_]:
    """Ancestor-or-self matrix A, bool [n, n]: ``A[i, j]`` where word j is word i or above it."""
    array = np.asarray(heads, dtype=np.int64)
    n = len(array)
    closure = np.eye(n, dtype=bool)
    dependents = np.flatnonzero(array)
    closure[dependents, array[dependents] - 1] = True
    for _ in range(max(1, (n - 1).bit_length())):  # each squaring doubles the length of the paths covered
        counts = closure.astype(np.float32)
        closure = counts @ counts > 0
    return closure


def depths(heads: Heads) -> NDArray[np.int64]:
    """Depth of each word, int64 [n]; the root has depth 0."""
    return ancestors(heads).sum(axis=1) - 1


def distances(heads: Heads) -> NDArray[np.int64]:
    """Edges on the path between every two words, int64 [n, n]."""
    closure = ancestors(heads).astype(np.float32)
    shared = (closure @ closure.T).astype(np.int64)
    depth = np.diagonal(shared)
    return depth[:, None] + depth[None, :] - 2 * shared


def subtree(heads: Heads, word: int) -> NDArray[np.int64]:
    """Positions (0-based, ascending) of ``word`` (0-based) and everything below it."""
    return np.flatnonzero(ancestors(heads)[:, word])


def spans(heads: Heads) -> NDArray[np.int64]:
    """First and last position (0-based, inclusive) of each word's subtree, int64 [n, 2]."""
    below = ancestors(heads).T
    n = below.shape[0]
    return np.stack([below.argmax(axis=1), n - 1 - below[:, ::-1].argmax(axis=1)], axis=1)


def is_projective(heads: Heads) -> bool:
    """Whether every subtree is one unbroken stretch of words."""
    span = spans(heads)
    sizes = ancestors(heads).sum(axis=0)
    return bool((span[:, 1] - span[:, 0] + 1 == sizes).all())


def children(heads: Heads) -> list[list[int]]:
    """Dependents (0-based, left to right) of every word (0-based)."""
    below: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head:
            below[head - 1].append(word)
    return below
