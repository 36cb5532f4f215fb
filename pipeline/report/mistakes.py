"""The worst errors of every ranking task: the examples whose place in the ranking is farthest from gold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pipeline.evaluation.compare import Scores, read_scores
from pipeline.report.inputs import BACKBONE, BASELINES, CONTROLS, LATE_SUFFIX, Run, firsts, view_rank

RANKED = ("spearman", "ap")
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Mistake:
    """One example. Places count from 1, the most similar pair of the task."""

    first: str
    second: str
    gold: float
    score: float
    place: int
    backbone: int | None  # its place under the untouched backbone


@dataclass(frozen=True)
class Mistakes:
    """The worst of one task under one system's view: pairs held too near, and pairs held too far."""

    task: str
    system: str
    view: str
    graded: bool  # gold is a grade, not 1 or 0
    examples: int
    near: tuple[Mistake, ...]
    far: tuple[Mistake, ...]


def mistakes(runs: Sequence[Run], limit: int) -> dict[str, list[Mistakes]]:
    """For each task of the test data, the worst of every view of the first seed of each system."""
    models = [run for run in firsts(runs) if run.scores is not None]
    scores = {run.system: read_scores(run.scores) for run in models if run.scores is not None}
    untouched = scores.get(BACKBONE, {})
    found: dict[str, list[Mistakes]] = {}
    for system, own in sorted(scores.items(), key=lambda item: item[0] in BASELINES):  # those come last
        for key in sorted(own, key=lambda key: (key[1], view_rank(key[0]))):
            view, task, metric = key
            if metric.removesuffix(LATE_SUFFIX) in RANKED and view not in CONTROLS and ".dev" not in task:
                base = untouched.get(("semantic", task, metric.removesuffix(LATE_SUFFIX)))
                found.setdefault(task, []).append(_worst(system, key, own[key], base, limit))
    return dict(sorted(found.items()))


def _worst(system: str, key: Key, scores: Scores, base: Scores | None, limit: int) -> Mistakes:
    place = places(scores.score)
    same = base is not None and (base.a, base.b) == (scores.a, scores.b)
    before = places(base.score) if base is not None and same else None
    off = rankdata(scores.score) - rankdata(scores.gold)
    order = np.argsort(off, kind="stable")

    def shown(chosen: NDArray[np.int64]) -> tuple[Mistake, ...]:
        return tuple(
            Mistake(
                scores.a[i],
                scores.b[i] or "",
                float(scores.gold[i]),
                float(scores.score[i]),
                int(place[i]),
                None if before is None else int(before[i]),
            )
            for i in chosen
        )

    far, near = order[off[order] < 0][:limit], order[::-1][off[order[::-1]] > 0][:limit]
    graded = not set(np.unique(scores.gold)) <= {0.0, 1.0}
    return Mistakes(key[1], system, key[0], graded, len(place), shown(near), shown(far))


def places(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """1 for the highest value, 2 for the next; equal values share the better place."""
    return np.asarray(rankdata(-values, method="min"), dtype=np.int64)
