"""Tree decoding: the best single-root tree where the best head of every word makes no tree.

A trained parser's argmax is a tree for nine sentences in ten, which a vectorised check finds. The others are
searched by Chu-Liu/Edmonds in its path-growing form (Gabow et al. 1986), without recursion. ufal's C++ search
takes a fifth of the time (0.07 for 0.38 ms of 25 words), but this runs where torch alone is installed, and of
equal trees it always finds the same one; the tests compare the two.
"""

import numpy as np
from numpy.typing import NDArray

_LOWEST = -1e9  # stands in for minus infinity, so that bad scores can still be compared


def decode(scores: NDArray[np.floating], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Heads of the best trees of a batch, int64 [B, W]: 1-based, 0 for the root and at padding.

    ``scores[b, d, h]`` [B, W, W + 1] is the score of head ``h`` (0 the root, else word h) for word d + 1;
    ``lengths`` [B] are the words of each sentence.
    """
    batch, width, _ = scores.shape
    real = np.arange(width) < np.asarray(lengths)[:, None]
    columns = np.concatenate([np.ones((batch, 1), dtype=bool), real], axis=1)
    masked = np.where(columns[:, None, :], scores, -np.inf)
    masked[:, np.arange(width), np.arange(1, width + 1)] = -np.inf  # no word is its own head
    heads: NDArray[np.int64] = np.where(real, masked.argmax(axis=2), 0)
    for row in np.flatnonzero(~are_trees(heads, lengths)):
        n = int(lengths[row])
        heads[row, :n] = best_tree(scores[row, :n, : n + 1])
    return heads


def are_trees(heads: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which rows of heads [B, W] are trees with one root over their first ``lengths`` words, bool [B]."""
    batch, width = heads.shape
    real = np.arange(width) < np.asarray(lengths)[:, None]
    ancestor = np.concatenate([np.zeros((batch, 1), dtype=np.int64), np.where(real, heads, 0)], axis=1)
    for _ in range(width.bit_length()):  # after k rounds: the ancestor 2**k steps up
        ancestor = np.take_along_axis(ancestor, ancestor, axis=1)
    single = ((heads == 0) & real).sum(axis=1) == 1
    return single & ~ancestor.any(axis=1)


def best_tree(scores: NDArray[np.floating]) -> NDArray[np.int64]:
    """Heads of the highest-scoring tree with exactly one root, int64 [n], 1-based, 0 for the root.

    ``scores[d, h]`` [n, n + 1] as in ``decode``; those of a word as its own head are not read. Of equal trees
    the same one is always found. Each arc from the root is penalised by more than all other arcs can gain, so
    the best tree has just one of them.
    """
    score = np.nan_to_num(np.asarray(scores, dtype=np.float64), nan=_LOWEST, neginf=_LOWEST, posinf=-_LOWEST)
    n = len(score)
    # Scorers give a word as its own head the lowest float, beside which a penalty would lose all digits.
    score[np.arange(n), np.arange(1, n + 1)] = 0.0
    into = np.full((2 * n + 1, n + 1), -np.inf)  # best adjusted score of an arc from u into (super)node v
    into[1 : n + 1] = score
    into[np.arange(1, n + 1), np.arange(1, n + 1)] = -np.inf
    spread = score.max(initial=0.0) - score.min(initial=0.0)
    into[1 : n + 1, 0] -= (n + 1) * (spread + 1.0)
    return _contract_and_expand(into, n)


def _contract_and_expand(into: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Best heads of n words from the scores ``into`` [2n + 1, n + 1], rows past n being supernodes."""
    target = np.repeat(np.arange(2 * n + 1)[:, None], n + 1, axis=1)  # the word that such an arc enters
    top = np.arange(n + 1)  # the outermost (super)node that holds each word
    parent = np.zeros(2 * n + 1, dtype=np.int64)  # the supernode that contains a node; 0 for none
    enters: dict[int, tuple[int, int]] = {}  # node -> its best arc (from, to), both words
    finished = {0}
    fresh = n + 1
    for start in range(1, n + 1):
        if top[start] in finished:
            continue
        path = [int(top[start])]
        while True:
            node = path[-1]
            source = int(into[node].argmax())
            enters[node] = (source, int(target[node, source]))
            above = int(top[source])
            if above in finished:
                finished.update(path)
                break
            if above not in path:
                path.append(above)
                continue
            cycle = path[path.index(above) :]
            del path[-len(cycle) :]
            gains = into[cycle] - into[cycle, [enters[member][0] for member in cycle]][:, None]
            chosen = gains.argmax(axis=0)
            into[fresh] = gains[chosen, np.arange(n + 1)]
            target[fresh] = target[np.array(cycle)[chosen], np.arange(n + 1)]
            within = np.zeros(2 * n + 1, dtype=bool)
            within[cycle] = True
            inside = within[top]
            into[fresh, inside] = -np.inf
            top[inside] = fresh
            parent[cycle] = fresh
            path.append(fresh)
            fresh += 1
    for node in range(fresh - 1, n, -1):  # the arc into a supernode breaks its cycle at the word it enters
        source, word = enters[node]
        member = word
        while parent[member] != node:
            member = int(parent[member])
        enters[member] = (source, word)
    return np.array([enters[word][0] for word in range(1, n + 1)], dtype=np.int64)
