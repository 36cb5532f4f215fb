"""Near neighbours of an example's anchor as further negatives: embed once, search, select, attach."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.mining.examples import TRAINING_SPLITS, Row, normalised
from pipeline.mining.hard_negatives import lookalike, select
from pipeline.mining.neighbours import Neighbours, indexed_top_k, top_k
from pipeline.params import Mine
from pipeline.sentences import Side
from pipeline.store import TRIPLET, ShardWriter, read

# Unit vectors of n texts, float32 [n, d].
Embed = Callable[[Sequence[Side]], NDArray[np.float32]]
KIND = "neighbour"


def with_neighbours(
    examples: Iterable[Row], embed: Embed, params: Mine, dropped: Counter[str]
) -> Iterator[Row]:
    """Give every example up to ``neighbours.per_example`` more negatives, the anchors of other examples.

    Training examples get training sentences and development examples development sentences. Each distinct
    text is embedded once. The examples wait on disk meanwhile: memory holds the vectors and the texts alone.
    What was refused is counted in ``dropped``.
    """
    with tempfile.TemporaryDirectory() as folder:
        with ShardWriter(Path(folder), TRIPLET) as spool:
            for example in examples:
                spool.add(example)
        table = read(Path(folder))
        chosen = _choose(table, embed, params, dropped)
        anchors = table["anchor"]
        start = 0
        for batch in table.to_batches(max_chunksize=1024):
            for row, negatives in zip(batch.to_pylist(), chosen[start:], strict=False):
                found = [anchors[int(index)].as_py() for index in negatives if index >= 0]
                row["negatives"] += found
                row["negative_kinds"] += [KIND] * len(found)
                yield row
            start += batch.num_rows


def _choose(table: pa.Table, embed: Embed, params: Mine, dropped: Counter[str]) -> NDArray[np.int64]:
    """The rows whose anchors are the negatives of each row, int64 [rows, per_example], -1 for none."""
    rule = params.neighbours
    known: dict[str, int] = {}
    sides: list[Side] = []
    texts: list[str] = []
    anchor, positive = (_numbered(table[name], known, sides, texts) for name in ("anchor", "positive"))
    vectors = embed(sides)
    score = np.einsum("nd,nd->n", vectors[anchor], vectors[positive], dtype=np.float32)
    split = np.asarray(table["split"].to_pylist())
    chosen = np.full((len(table), rule.per_example), -1, dtype=np.int64)
    for name in TRAINING_SPLITS:
        rows = np.flatnonzero(split == name)
        _, first, own = np.unique(anchor[rows], return_index=True, return_inverse=True)
        candidates = rows[first]  # one row for each distinct anchor
        found = _search(vectors[anchor[rows]], vectors[anchor[candidates]], own.ravel(), params)

        def veto(
            query: int, candidate: int, rows: NDArray = rows, candidates: NDArray = candidates
        ) -> str | None:
            text, row = texts[anchor[candidates[candidate]]], rows[query]
            return lookalike(texts[anchor[row]], text) or lookalike(texts[positive[row]], text)

        picked, refused = select(found, score[rows], rule, veto, params.seed)
        chosen[rows] = np.where(picked >= 0, candidates[picked], -1) if len(rows) else picked
        dropped.update({f"neighbour: {reason}": count for reason, count in refused.items()})
    return chosen


def _numbered(
    column: pa.ChunkedArray, known: dict[str, int], sides: list[Side], texts: list[str]
) -> NDArray[np.int64]:
    """The number of each row's text among all distinct texts, which are appended as they come."""
    numbers = np.empty(len(column), dtype=np.int64)
    for row, value in enumerate(column.to_pylist()):
        text = normalised(value["text"])
        if text not in known:
            known[text] = len(sides)
            sides.append(Side.from_row(value))
            texts.append(text)
        numbers[row] = known[text]
    return numbers


def _search(queries: NDArray, corpus: NDArray, own: NDArray[np.int64], params: Mine) -> Neighbours:
    rule = params.neighbours
    search = indexed_top_k if len(corpus) > rule.index_above else top_k
    return search(queries, corpus, rule.rank_to, own=own)
