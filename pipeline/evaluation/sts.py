"""Semantic textual similarity: correlation of cosine with human scores, nothing trained (SemEval STS,
STS-B, SICK)."""

import re

import numpy as np

from pipeline.errors import SynsemError
from pipeline.evaluation import metrics
from pipeline.evaluation.data import Example
from pipeline.evaluation.records import Outcome, key
from pipeline.evaluation.task import Context

_TRAINING = "train"
# The SemEval years are several sets: "all" pools them (SimCSE's protocol), "mean" averages the sets'
# correlations.
_SEVERAL_SETS = re.compile(r"sts1[2-6]$")


def sts(context: Context, task: str) -> Outcome:
    """Spearman and Pearson correlation of a graded task, for each split that is not for training."""
    examples = [each for each in context.benchmarks.examples(task) if each.score is not None]
    splits = sorted({each.split for each in examples} - {_TRAINING})
    if not splits:
        raise SynsemError(f"{task}: no scored pair outside the training split")
    outcome = Outcome()
    for split in splits:
        outcome.merge(_split(context, task, split, [each for each in examples if each.split == split]))
    return outcome


def _split(context: Context, task: str, split: str, pairs: list[Example]) -> Outcome:
    gold = np.array([each.score for each in pairs], dtype=np.float64)
    subsets = np.array([each.subset for each in pairs])
    texts = [(each.a, each.b or "") for each in pairs]
    first, second = (context.bank(context.benchmarks.sentences(side)) for side in zip(*texts, strict=True))
    several = bool(_SEVERAL_SETS.match(task))
    outcome = Outcome()
    for view in first:
        score = metrics.cosines(first[view], second[view])
        for name, correlate in (("spearman", metrics.spearman), ("pearson", metrics.pearson)):
            pooled = correlate(gold, score)
            outcome.put(
                view, f"{key(task)}.{split}.{name}_all" if several else f"{key(task)}.{split}.{name}", pooled
            )
            if several:
                mean = np.mean(
                    [correlate(gold[subsets == part], score[subsets == part]) for part in np.unique(subsets)]
                )
                outcome.put(view, f"{key(task)}.{split}.{name}_mean", float(mean))
        outcome.keep(
            view,
            f"{key(task)}.{split}",
            "spearman",
            a=[a for a, _ in texts],
            b=[b for _, b in texts],
            gold=gold,
            subset=subsets,
            score=score,
        )
    return outcome
