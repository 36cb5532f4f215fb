"""Hard negatives by embedding: the nearest neighbours of an anchor that are no false negatives."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.store import to_values
from pipeline.mining.examples import add_negatives, false_negative_reason
from pipeline.mining.inputs import TRAINING_SPLITS, DistinctTexts, Embed, Row
from pipeline.mining.nearest import Neighbours, Vectors, top_k
from pipeline.mining.output import replay, spooled
from pipeline.mining.paraphrases import PairOf
from pipeline.mining.vector_index import indexed_top_k
from pipeline.params import Mine, NeighbourNegatives

KIND = "neighbour"
# Why corpus row j may not be a negative of query i, or None.
Filter = Callable[[int, int], str | None]


def with_neighbours(
    examples: Iterable[Row],
    embed: Embed,
    params: Mine,
    dropped: Counter[str],
    pair_of: PairOf | None = None,
) -> Iterator[Row]:
    """Add up to ``mine.neighbours.per_example`` negatives to each example: the anchors of other examples.

    Negatives are of the example's split. Refused as possible false negatives: anchors of the same pair_id
    (``pair_of``, by sent_id), positives of this anchor in any example, and texts that
    ``examples.false_negative_reason`` names. Each distinct text is embedded once. The examples wait on disk;
    memory holds the vectors. ``dropped`` counts what was refused.
    """
    with spooled(examples) as table:
        chosen = _choose(table, embed, params, dropped, pair_of or PairOf())
        anchors = table["anchor"]
        for row, negatives in zip(replay(table), chosen, strict=True):
            found = [(anchors[int(index)].as_py(), KIND) for index in negatives if index >= 0]
            dropped["neighbour: a negative already"] += add_negatives(row, found)
            yield row


def _choose(
    table: pa.Table, embed: Embed, params: Mine, dropped: Counter[str], pair_of: PairOf
) -> NDArray[np.int64]:
    """The rows whose anchors are the negatives of each row, int64 [rows, per_example], -1 for none."""
    settings = params.neighbours
    texts = DistinctTexts(embed)
    anchor, positive = texts.numbers(table["anchor"]), texts.numbers(table["positive"])
    vectors = texts.vectors()
    score = np.einsum("nd,nd->n", vectors[anchor], vectors[positive], dtype=np.float32)
    split = np.asarray(to_values(table["split"]), dtype=object)
    false_negative = _FalseNegativeFilter(table, anchor, positive, pair_of)
    chosen = np.full((len(table), settings.per_example), -1, dtype=np.int64)

    def choose(rows: NDArray[np.int64]) -> None:
        _, first, own = np.unique(anchor[rows], return_index=True, return_inverse=True)
        candidates = rows[first]  # one row for each distinct anchor
        found = _search(vectors[anchor[rows]], vectors[anchor[candidates]], own.ravel(), params)

        def refuse(query: int, candidate: int) -> str | None:
            return false_negative(int(rows[query]), int(candidates[candidate]))

        picked, refused = select(found, score[rows], settings, refuse)
        chosen[rows] = np.where(picked >= 0, candidates[picked], -1)
        dropped.update({f"neighbour: {reason}": count for reason, count in refused.items()})

    for name in TRAINING_SPLITS:
        if len(rows := np.flatnonzero(split == name)):
            choose(rows)
    return chosen


class _FalseNegativeFilter:
    """Why the anchor of one row cannot be a negative of another row, or None."""

    def __init__(
        self,
        table: pa.Table,
        anchor: NDArray[np.int64],
        positive: NDArray[np.int64],
        pair_of: PairOf,
    ) -> None:
        self._anchor, self._pair_of = anchor, pair_of
        self._source = table["source_id"]
        self._paraphrases: dict[int, set[int]] = defaultdict(set)
        for a, b in zip(anchor.tolist(), positive.tolist(), strict=True):
            self._paraphrases[a].add(b)
            self._paraphrases[b].add(a)
        self._side = lru_cache(maxsize=10_000)(lambda name, row: table[name][row].as_py())

    def __call__(self, row: int, other: int) -> str | None:
        if self._anchor[other] in self._paraphrases[int(self._anchor[row])]:
            return "known paraphrase"
        # Without pairs no id is read.
        if self._pair_of and self._pair_of.shared(*(self._source[each].as_py() for each in (row, other))):
            return "shared pair_id"
        text = self._side("anchor", other)
        return false_negative_reason(self._side("anchor", row), text) or false_negative_reason(
            self._side("positive", row), text
        )


def _search(queries: Vectors, corpus: Vectors, own: NDArray[np.int64], params: Mine) -> Neighbours:
    settings = params.neighbours
    search = indexed_top_k if len(corpus) > settings.index_above else top_k
    # Room is made for as many neighbours as are asked for, whether or not there are so many.
    return search(queries, corpus, min(settings.rank_to, len(corpus)), own=own)


def score_ceiling(positive: NDArray[np.float32], settings: NeighbourNegatives) -> NDArray[np.float32]:
    """The score above which a neighbour may be a false negative, float32 like ``positive`` [n].

    positive score * (1 - margin), at most ``max_score`` (NV-Retriever, Moreira et al. 2024, "TopK-PercPos").
    """
    return np.minimum(positive * (1 - settings.margin), settings.max_score).astype(np.float32)


def select(
    found: Neighbours, positive: NDArray[np.float32], settings: NeighbourNegatives, refuse: Filter
) -> tuple[NDArray[np.int64], Counter[str]]:
    """Choose up to ``settings.per_example`` negatives for each query, the nearest first.

    ``positive`` [n] is the score of each query with its positive. Candidates are the neighbours of rank
    ``rank_from`` to ``rank_to`` (0-based, end exclusive) with a score from ``min_score`` to the ceiling.
    ``refuse`` is called only for candidates about to be chosen. Returns corpus rows, int64 [n, per_example],
    -1 where too few passed, and counts of why candidates were refused.
    """
    index = found.rows[:, settings.rank_from : settings.rank_to]
    score = found.scores[:, settings.rank_from : settings.rank_to]
    exists = index >= 0
    too_near = exists & (score > score_ceiling(positive, settings)[:, None])
    too_far = exists & (score < settings.min_score)
    usable = exists & ~too_near & ~too_far
    refused = Counter(
        {"too near the positive's score": int(too_near.sum()), "under min_score": int(too_far.sum())}
    )
    chosen = np.full((len(index), settings.per_example), -1, dtype=np.int64)
    for query in range(len(index)):
        taken = 0
        for column in np.flatnonzero(usable[query]):
            if taken == settings.per_example:
                break
            if reason := refuse(query, int(index[query, column])):
                refused[reason] += 1
                continue
            chosen[query, taken] = index[query, column]
            taken += 1
    refused["examples with too few neighbour negatives"] = int((chosen < 0).any(axis=1).sum())
    return chosen, refused
