"""Near neighbours that may serve as negatives: the hardness window and the guard against false negatives."""

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pipeline.mining.neighbours import Neighbours
from pipeline.params import NeighbourNegatives
from pipeline.seeding import generator

# Whether corpus row j may not be a negative of query i, whatever its score; the string is the reason.
Veto = Callable[[int, int], str | None]


def ceiling(
    positive: NDArray[np.float32], rule: NeighbourNegatives, scores: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The score at which a neighbour stops being a safe negative, float32 like ``positive`` [n].

    ``absolute``: positive score - margin; ``relative`` (NV-Retriever, Moreira et al. 2024, "TopK-PercPos"):
    positive score * (1 - margin); ``percentile``: the score that the share ``margin`` of the query's own
    neighbours ``scores`` [n, k] exceeds, and never more than the positive's. All capped by ``max_score``.
    """
    if rule.margin_kind == "absolute":
        below = positive - rule.margin
    elif rule.margin_kind == "relative":
        below = positive * (1 - rule.margin)
    else:
        # Ranks rather than interpolation: of k neighbours the nearest ceil(margin * k) are left out.
        found = np.isfinite(scores).sum(axis=1)
        first = np.ceil(min(1.0, rule.margin) * found - 1e-9).astype(np.int64)
        padded = np.column_stack([scores, np.full(len(scores), -np.inf, dtype=scores.dtype)])
        below = np.minimum(positive, padded[np.arange(len(scores)), first])
    return np.minimum(below, rule.max_score).astype(np.float32)


def select(
    found: Neighbours,
    positive: NDArray[np.float32],
    rule: NeighbourNegatives,
    veto: Veto,
    seed: int,
) -> tuple[NDArray[np.int64], Counter[str]]:
    """Choose up to ``rule.per_example`` negatives for each query.

    ``positive`` [n] is the score of each query with its positive. Candidates are the neighbours of rank
    ``rank_from`` to ``rank_to`` (0-based, end exclusive) whose score lies under the ceiling and at or above
    ``min_score``; ``rule.sampling`` takes the nearest of them or draws by chance. ``veto`` is asked only for
    candidates about to be chosen. Returns corpus rows, int64 [n, per_example], -1 where too few passed, and
    why candidates were refused.
    """
    index = found.rows[:, rule.rank_from : rule.rank_to]
    score = found.scores[:, rule.rank_from : rule.rank_to]
    exists = index >= 0
    too_near = exists & (score > ceiling(positive, rule, found.scores)[:, None])
    too_far = exists & (score < rule.min_score)
    usable = exists & ~too_near & ~too_far
    refused = Counter(
        {"too near the positive's score": int(too_near.sum()), "under min_score": int(too_far.sum())}
    )
    order = np.broadcast_to(np.arange(index.shape[1]), index.shape)
    if rule.sampling == "random":
        order = generator(seed, "neighbour negatives").random(index.shape).argsort(axis=1)
    chosen = np.full((len(index), rule.per_example), -1, dtype=np.int64)
    for query in range(len(index)):
        taken = 0
        for column in order[query]:
            if taken == rule.per_example:
                break
            if not usable[query, column]:
                continue
            reason = veto(query, int(index[query, column]))
            if reason:
                refused[reason] += 1
                continue
            chosen[query, taken] = index[query, column]
            taken += 1
    refused["examples with too few neighbour negatives"] = int((chosen < 0).any(axis=1).sum())
    return chosen, refused
