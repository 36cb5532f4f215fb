"""``synsem like``: sentences of a corpus that are nearest to a query, by a view of a system.

The vectors of a corpus are computed once and kept as Arrow files in a scratch folder whose name is a digest
of the corpus, the model and the code (``pipeline.core.scratch``); after a kill only the missing ones are
computed. Up to ``EXACT_UP_TO`` sentences all are compared with the query. Of more, an index beside the
vectors gives the candidates (``pipeline.export.vector_index``), which is built once, too.
"""

import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core import schemas, scratch, store
from pipeline.core.errors import SynsemError
from pipeline.core.progress import track
from pipeline.core.store import to_rows
from pipeline.export.sentence_transformers import views
from pipeline.export.text_encoder import demand_direction
from pipeline.export.vector_index import Rows, VectorIndex
from pipeline.nn.inference import best_device
from pipeline.syntax.sentence import HasTree, Sentence, normalised
from pipeline.syntax.tag_sequences import normalised_distances
from pipeline.systems import registry
from pipeline.systems.base import Embedder, saved_paths, usual_view, weights_of

EXACT_UP_TO = 1_000_000  # sentences
_PART = 16_384  # sentences of a file of vectors; a run that is killed loses those of one file at most
_BLOCK = 4096  # sentences in memory at once
_CANDIDATES = 20  # nearest rows read at first for each result: a text may occur again


class SearchResult(NamedTuple):
    """A sentence of the corpus."""

    score: float  # cosine with the query
    # 1 - normalised edit distance of its UPOS sequence and the query's; None for a query without tags
    tag_similarity: float | None
    sentence: Sentence
    sent_id: str


class _Part(NamedTuple):
    """Some rows of a file of the corpus; their vectors are one file."""

    shard: Path
    start: int
    rows: int

    def read(self) -> pa.Table:
        """The sentences."""
        return store.read_file(self.shard).slice(self.start, self.rows)


class Searcher:
    """A system's view over a folder of ``schemas.SENTENCE``; SynsemError where the system lacks the view.

    The view for None is ``syntactic`` where the system has it, else its usual one. ``structural``
    vectors of sentences without common words are nearly orthogonal, whatever their structure.
    """

    def __init__(self, model: Path, corpus: Path, view: str | None) -> None:
        store.require_rows(corpus, schemas.SENTENCE)
        system = registry.load(model).to(best_device())
        self.embedder: Embedder = system
        self.parses = not system.reads_text_alone  # whether a query has to be parsed
        if view is None:
            there = views(system)
            view = "syntactic" if "syntactic" in there else usual_view(there)
        self.view, self.shards = view, store.shards(corpus)
        self.parts = [part for shard in self.shards for part in _parts(shard)]
        _, config, tokenizer = saved_paths(model)
        saved = [weights_of(model), config, *sorted(path for path in tokenizer.rglob("*") if path.is_file())]
        self.home = scratch.folder("search", scratch.key([*self.shards, *saved], view))

    def __call__(self, query: HasTree, count: int) -> list[SearchResult]:
        """The ``count`` nearest sentences, nearest first; of equal texts the first, and never the query's.

        Raises SynsemError where the query's vector is zero, as a ``structural`` one may be.
        """
        own = self._vectors([query])[0]
        demand_direction(query.text, self.view, own)
        rows, most = self._rows(), _CANDIDATES * count
        chosen = self._distinct(query, own, count, most)
        while len(chosen) < count and most < rows:  # a text may occur more often than that
            most = min(4 * most, rows)
            chosen = self._distinct(query, own, count, most)
        if not chosen:
            return []
        sentences = [Sentence.from_row(row) for _, row in chosen.values()]
        alike: list[float] | list[None] = [None] * len(sentences)
        if query.upos:
            edits = normalised_distances([query.upos, *(each.upos for each in sentences)])[0, 1:]
            alike = [float(1 - edit) for edit in edits]
        return [
            SearchResult(min(1.0, max(-1.0, score)), tags, sentence, str(row["sent_id"]))
            for (score, row), tags, sentence in zip(chosen.values(), alike, sentences, strict=True)
        ]

    def _distinct(
        self, query: HasTree, own: NDArray[np.float32], count: int, most: int
    ) -> dict[str, tuple[float, dict[str, object]]]:
        """Score and row of up to ``count`` texts among the ``most`` nearest rows, by text, nearest first."""
        chosen: dict[str, tuple[float, dict[str, object]]] = {}
        for score, number, row in self._nearest(own, most):
            found = self.parts[number].read().slice(row, 1).to_pylist()[0]
            text = normalised(found["text"])
            if text != normalised(query.text):
                chosen.setdefault(text, (score, found))
            if len(chosen) == count:
                break
        return chosen

    def _nearest(self, own: NDArray[np.float32], most: int) -> list[tuple[float, int, int]]:
        """Score, part and row of the nearest sentences, nearest first; ties in the corpus's order."""
        if self._rows() <= EXACT_UP_TO:
            return self._exactly_nearest(own, most)
        index = VectorIndex(self.home / "index", Rows(list(self._index())))
        (rows,), (scores,) = index.search(own[None], most)
        starts = np.cumsum([0, *(part.rows for part in self.parts)])
        parts = np.searchsorted(starts, rows, side="right") - 1
        return [
            (float(score), int(part), int(row - starts[part]))
            for score, part, row in zip(scores, parts, rows, strict=True)
            if row >= 0
        ]

    def _exactly_nearest(self, own: NDArray[np.float32], most: int) -> list[tuple[float, int, int]]:
        """``_nearest`` by comparing all."""
        nearest: list[tuple[float, int, int]] = []  # parts and rows negated, so that the largest come first
        for number, vectors in enumerate(self._index()):
            scores = vectors @ own
            rows = np.argsort(-scores, kind="stable")[:most]
            nearest += [(float(scores[row]), -number, -int(row)) for row in rows]
            nearest = heapq.nlargest(most, nearest)
        return [(score, -number, -row) for score, number, row in nearest]

    def languages(self) -> list[str]:
        """The languages of the corpus's sentences, sorted."""
        columns = (store.read_file(shard)["lang"] for shard in self.shards)
        return sorted({lang for column in columns for lang in column.unique().to_pylist()})

    def _rows(self) -> int:
        return sum(part.rows for part in self.parts)

    def _index(self) -> Iterator[NDArray[np.float32]]:
        """Unit vectors [n, D] of every part, read from the index or added to it."""
        for number, part in enumerate(track(self.parts, "index", unit="parts")):
            path = store.shard_path(self.home, number)
            if not path.exists():
                blocks = part.read().to_batches(max_chunksize=_BLOCK)
                matrix = np.concatenate(
                    [self._vectors(list(map(Sentence.from_row, to_rows(block)))) for block in blocks]
                )
                column = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])
                store.write_table(path, pa.table({"vector": column}))
            column = store.read_file(path)["vector"].combine_chunks()
            yield column.flatten().to_numpy().reshape(len(column), -1)

    def _vectors(self, sentences: list[Sentence] | list[HasTree]) -> NDArray[np.float32]:
        views = self.embedder.embed(sentences)
        if self.view not in views:
            raise SynsemError(f"--view: the model has no view {self.view!r}; choose from {', '.join(views)}")
        return views[self.view]


def _parts(shard: Path) -> list[_Part]:
    rows = store.read_file(shard).num_rows
    return [_Part(shard, start, min(_PART, rows - start)) for start in range(0, rows, _PART)]
