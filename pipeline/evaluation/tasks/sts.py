"""Task ``sts``: correlation of cosine with human scores of similarity (SemEval STS, STS-B, SICK).

Nothing is trained. The view ``late`` has the same correlations of a model's late-interaction score of a pair,
such as ``spearman_late``.
"""

import re
import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.evaluation.data import Example
from pipeline.evaluation.embedding_cache import LATE
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.tasks.pairs import sides
from pipeline.params import metric_key

_TRAINING = "train"
# A SemEval year is several sets: "all" pools them (SimCSE's protocol), "mean" averages their correlations.
_SEVERAL_SETS = re.compile(r"sts1[2-6]$")


def sts(context: Context, task: str) -> Outcome:
    """Spearman and Pearson correlation of a graded task, for each split that is not for training.

    A view without a correlation in a split, such as a structural one of single words, is told and left out.
    """
    rows = context.benchmarks.examples(task)
    examples = [each for each in rows if each.score is not None]
    if left_out := len(rows) - len(examples):
        print(f"{task}: {left_out:,} pairs left out, which have no score", file=sys.stderr)
    splits = sorted({each.split for each in examples} - {_TRAINING})
    if not splits:
        raise SynsemError(f"{task}: no scored pair outside the training split")
    outcome = Outcome()
    failed: dict[str, SynsemError] = {}
    for split in splits:
        pairs = [each for each in examples if each.split == split]
        for view, score, suffix in _scores(context, pairs):
            own = Outcome()  # all of its metrics or none
            try:
                _put(own, view, task, split, pairs, score, suffix)
            except SynsemError as error:
                failed[f"{split}, view {view}"] = error
            else:
                outcome.merge(own)
    if not outcome.metrics:
        raise next(iter(failed.values()))
    for name, reason in failed.items():
        print(f"{task}: {name}: {reason}", file=sys.stderr)
    return outcome


def _scores(context: Context, pairs: list[Example]) -> Iterator[tuple[str, NDArray[np.floating], str]]:
    """Each view with its similarity of n pairs, [n], and what the names of its metrics end in."""
    a, b = sides(context, pairs)
    first, second, late = context.embeddings.pairs(a, b)
    for view in first:
        yield view, metrics.cosines(first[view], second[view]), ""
    if late is not None:
        yield LATE, late, "_late"


def _put(
    outcome: Outcome,
    view: str,
    task: str,
    split: str,
    pairs: list[Example],
    score: NDArray[np.floating],
    suffix: str,
) -> None:
    gold = np.array([each.score for each in pairs], dtype=np.float64)
    subsets = np.array([each.subset for each in pairs])
    section = f"{metric_key(task)}.{split}"
    for name, correlate in (("spearman", metrics.spearman), ("pearson", metrics.pearson)):
        if _SEVERAL_SETS.match(task):
            parts = [subsets == part for part in np.unique(subsets)]
            mean = np.mean([correlate(gold[rows], score[rows]) for rows in parts])
            outcome.put(view, f"{section}.{name}_all{suffix}", correlate(gold, score))
            outcome.put(view, f"{section}.{name}_mean{suffix}", float(mean))
        else:
            outcome.put(view, f"{section}.{name}{suffix}", correlate(gold, score))
    outcome.keep(
        view,
        section,
        f"spearman{suffix}",
        a=[each.a for each in pairs],
        b=[each.b or "" for each in pairs],
        gold=gold,
        subset=subsets,
        score=score,
    )
