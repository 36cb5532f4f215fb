"""Near neighbours of an example's anchor as further negatives: embed once, search, select, attach."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.mining.examples import attach
from pipeline.mining.false_negatives import lookalike
from pipeline.mining.hard_negatives import select
from pipeline.mining.inputs import TRAINING_SPLITS, Row
from pipeline.mining.neighbours import Neighbours, indexed_top_k, top_k
from pipeline.mining.spool import replay, spooled
from pipeline.mining.texts import Embed, Texts
from pipeline.params import Mine

KIND = "neighbour"


def with_neighbours(
    examples: Iterable[Row],
    embed: Embed,
    params: Mine,
    dropped: Counter[str],
    pair_of: Mapping[str, int] | None = None,
) -> Iterator[Row]:
    """Give every example up to ``neighbours.per_example`` more negatives, the anchors of other examples.

    Training examples get training sentences and development examples development sentences; never one that
    shares the anchor's number in ``pair_of`` (by sent_id), is a positive of it in any example, or looks like
    it. Each distinct text is embedded once. The examples wait on disk meanwhile: memory holds the vectors.
    What was refused is counted in ``dropped``.
    """
    with spooled(examples) as table:
        chosen = _choose(table, embed, params, dropped, pair_of or {})
        anchors = table["anchor"]
        for row, negatives in zip(replay(table), chosen, strict=True):
            found = [(anchors[int(index)].as_py(), KIND) for index in negatives if index >= 0]
            dropped["neighbour: a negative already"] += attach(row, found)
            yield row


def _choose(
    table: pa.Table, embed: Embed, params: Mine, dropped: Counter[str], pair_of: Mapping[str, int]
) -> NDArray[np.int64]:
    """The rows whose anchors are the negatives of each row, int64 [rows, per_example], -1 for none."""
    rule = params.neighbours
    texts = Texts(embed)
    anchor, positive = texts.numbers(table["anchor"]), texts.numbers(table["positive"])
    vectors = texts.vectors()
    score = np.einsum("nd,nd->n", vectors[anchor], vectors[positive], dtype=np.float32)
    split = np.asarray(table["split"].to_pylist(), dtype=object)
    refusal = _Refusal(table, anchor, positive, pair_of)
    chosen = np.full((len(table), rule.per_example), -1, dtype=np.int64)
    for name in TRAINING_SPLITS:
        rows = np.flatnonzero(split == name)
        if not len(rows):
            continue
        _, first, own = np.unique(anchor[rows], return_index=True, return_inverse=True)
        candidates = rows[first]  # one row for each distinct anchor
        found = _search(vectors[anchor[rows]], vectors[anchor[candidates]], own.ravel(), params)

        def veto(
            query: int, candidate: int, rows: NDArray = rows, candidates: NDArray = candidates
        ) -> str | None:
            return refusal(int(rows[query]), int(candidates[candidate]))

        picked, refused = select(found, score[rows], rule, veto, params.seed)
        chosen[rows] = np.where(picked >= 0, candidates[picked], -1)
        dropped.update({f"neighbour: {reason}": count for reason, count in refused.items()})
    return chosen


class _Refusal:
    """Why the anchor of one row may be no negative of another row, or None."""

    def __init__(
        self,
        table: pa.Table,
        anchor: NDArray[np.int64],
        positive: NDArray[np.int64],
        pair_of: Mapping[str, int],
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
        if self._pair_of:
            pair = self._pair_of.get(self._source[row].as_py())
            if pair is not None and pair == self._pair_of.get(self._source[other].as_py()):
                return "shared pair_id"
        text = self._side("anchor", other)
        return lookalike(self._side("anchor", row), text) or lookalike(self._side("positive", row), text)


def _search(queries: NDArray, corpus: NDArray, own: NDArray[np.int64], params: Mine) -> Neighbours:
    rule = params.neighbours
    search = indexed_top_k if len(corpus) > rule.index_above else top_k
    return search(queries, corpus, rule.rank_to, own=own)
