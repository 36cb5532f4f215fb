"""Test sentences to read: the worst errors of each ranking task, and nearest neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pipeline.evaluation.compare import Key, Scores
from pipeline.report.figures.dependency_tree import is_right_to_left
from pipeline.report.inputs import BACKBONE, BASELINES, CONTROLS, LATE_SUFFIX, Run, first_seeds, view_order

RANKED = ("spearman", "ap")


@dataclass(frozen=True)
class RankedPair:
    """A test pair with its gold and its score. Rank 1 is the most similar pair of the task."""

    first: str
    second: str
    gold: float
    score: float
    rank: int
    backbone: int | None  # its rank under the untouched backbone


@dataclass(frozen=True)
class WorstErrors:
    """The worst of one task under one system's view: pairs ranked too similar, or too different."""

    task: str
    system: str
    view: str
    graded: bool  # gold is a grade, not 1 or 0
    examples: int
    too_similar: tuple[RankedPair, ...]
    too_different: tuple[RankedPair, ...]


def worst_errors(runs: Sequence[Run], limit: int) -> dict[str, list[WorstErrors]]:
    """The worst errors by test task: of every view of each system's first seed, baselines last.

    Worst are the examples whose rank by similarity is farthest from their rank by gold.
    """
    scores = {run.system: run.samples for run in first_seeds(runs)}
    untouched = scores.get(BACKBONE, {})
    found: dict[str, list[WorstErrors]] = {}
    for system, own in sorted(scores.items(), key=lambda item: item[0] in BASELINES):
        for key in sorted(own, key=lambda key: (key[1], view_order(key[0]))):
            view, task, metric = key
            if metric.removesuffix(LATE_SUFFIX) in RANKED and view not in CONTROLS and ".dev" not in task:
                base = untouched.get(("semantic", task, metric.removesuffix(LATE_SUFFIX)))
                found.setdefault(task, []).append(_worst(system, key, own[key], base, limit))
    return dict(sorted(found.items()))


def _worst(system: str, key: Key, scores: Scores, base: Scores | None, limit: int) -> WorstErrors:
    rank = ranks(scores.score)
    same = base is not None and (base.a, base.b) == (scores.a, scores.b)
    before = ranks(base.score) if base is not None and same else None
    # How many ranks a pair is nearer to the top by score than by gold.
    off = rankdata(scores.score) - rankdata(scores.gold)
    order = np.argsort(off, kind="stable")

    def shown(chosen: NDArray[np.int64]) -> tuple[RankedPair, ...]:
        return tuple(
            RankedPair(
                scores.a[i],
                scores.b[i] or "",
                float(scores.gold[i]),
                float(scores.score[i]),
                int(rank[i]),
                None if before is None else int(before[i]),
            )
            for i in chosen
        )

    downwards = order[::-1]
    too_similar, too_different = downwards[off[downwards] > 0][:limit], order[off[order] < 0][:limit]
    graded = not set(np.unique(scores.gold)) <= {0.0, 1.0}
    return WorstErrors(key[1], system, key[0], graded, len(rank), shown(too_similar), shown(too_different))


def ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """1 for the highest value, 2 for the next; equal values share the better rank."""
    return np.asarray(rankdata(-values, method="min"), dtype=np.int64)


@dataclass(frozen=True)
class Neighbour:
    """One neighbour; ``kind`` is what it is to the query: same, different, order (variants) or other."""

    text: str
    similarity: float
    kind: str
    transformation: str


@dataclass(frozen=True)
class Query:
    """A sentence with its nearest under each (system, view), nearest first."""

    text: str
    direction: str  # rtl or ltr
    lists: tuple[tuple[str, str, tuple[Neighbour, ...]], ...]


def queries(runs: Sequence[Run]) -> list[Query]:
    """Every query of the first seed of each system, in the order in which evaluation drew them."""
    found: dict[str, dict[tuple[str, str], list[tuple[int, Neighbour]]]] = {}
    for run in first_seeds(runs):
        for row in run.evaluation.get("neighbours", []):
            near = Neighbour(row["text"], row["similarity"], row["kind"], row["transformation"])
            lists = found.setdefault(row["query"], {})
            lists.setdefault((run.system, row["view"]), []).append((row["rank"], near))
    systems = [run.system for run in first_seeds(runs)]
    return [
        Query(
            text,
            "rtl" if is_right_to_left(text) else "ltr",
            tuple(
                (*group, tuple(near for _, near in sorted(lists[group], key=lambda entry: entry[0])))
                for group in sorted(lists, key=lambda group: (systems.index(group[0]), view_order(group[1])))
            ),
        )
        for text, lists in found.items()
    ]
