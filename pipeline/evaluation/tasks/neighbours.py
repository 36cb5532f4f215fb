"""Task ``neighbours``: nearest neighbours of a few held-out sentences, for the report's reader to browse."""

from typing import NamedTuple

import numpy as np

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.evaluation.records import Context, Outcome
from pipeline.syntax.sentence import HasTree

QUERIES = 16
NEAREST = 5


class Candidate(NamedTuple):
    """A sentence that can be a neighbour: held-out text, or a variant of it."""

    source: str  # sent_id of the sentence it is, or was made from
    meaning: str  # of a variant: same, different or order; "" for held-out text
    transformation: str
    sentence: HasTree


def neighbours(context: Context) -> Outcome:
    """The nearest sentences by cosine, for the first held-out sentences with variants of either meaning.

    Candidates are at most ``evaluate.retrieval_sentences`` held-out sentences and all their variants. A
    sentence is no neighbour of itself, and of equal texts the first stands for all. The ``kind`` of a row
    says what the neighbour is to the query: a variant of it (``same``, ``different``, ``order``), or
    ``other``.
    """
    held = context.corpus.sentences[: context.params.retrieval_sentences]
    variants = context.corpus.variants
    found: dict[str, Candidate] = {}
    for each in held:
        found.setdefault(each.sentence.text, Candidate(each.sent_id, "", "", each.sentence))
    for each in held:
        for variant in variants.get(each.sent_id, []):
            own = Candidate(each.sent_id, variant.meaning, variant.transformation, variant.side)
            found.setdefault(variant.side.text, own)
    pool = list(found.values())
    if len(pool) <= NEAREST:
        raise SynsemError(
            f"{context.corpus.parsed}: {len(pool)} sentences of the test split are too few to have neighbours"
        )
    queries = [position for position, one in enumerate(pool) if not one.meaning]
    kinds = {each.sent_id: {v.meaning for v in variants.get(each.sent_id, [])} for each in held}
    queries.sort(key=lambda position: -len(kinds[pool[position].source] & {"same", "different"}))  # stable
    queries = queries[:QUERIES]
    outcome = Outcome()
    for view, matrix in context.embeddings([one.sentence for one in pool]).items():
        points = metrics.unit(matrix)
        similarity = points[queries] @ points.T
        similarity[np.arange(len(queries)), queries] = -np.inf
        for row, query in zip(similarity, queries, strict=True):
            for rank, near in enumerate(np.argsort(-row, kind="stable")[:NEAREST], 1):
                outcome.neighbours.append(
                    _row(view, pool[query], rank, pool[int(near)], float(row[int(near)]))
                )
    return outcome


def _row(view: str, query: Candidate, rank: int, near: Candidate, similarity: float) -> dict[str, object]:
    own = near.source == query.source
    return {
        "view": view,
        "query": query.sentence.text,
        "rank": rank,
        "text": near.sentence.text,
        "kind": near.meaning if own and near.meaning else "other",
        "transformation": near.transformation if own else "",
        "similarity": similarity,
    }
