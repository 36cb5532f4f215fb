"""Task ``contrast`` and the tasks ``contrast_*``: pairs that differ in their structure alone.

The pairs ship with the project, each of one phenomenon (data/contrast/README.md). Nothing is trained. ``ap``
ranks ``same`` above ``different`` pairs by cosine. ``accuracy_crossfit_threshold`` divides the pairs into two
halves; each half is judged by the threshold that is best on the other half, over all phenomena together.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.seeding import stable_hash
from pipeline.evaluation.data import Example
from pipeline.evaluation.embedding_cache import LATE
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.tasks.pair_similarities import STRUCTURAL, structural_scores

TASK = "contrast"
SETS = {
    TASK: "handwritten",
    "contrast_dev": "development",
    **{f"{TASK}_{number}": f"blind_{number}" for number in range(1, 9)},
}
FILE = Path(__file__).parents[3] / "data" / "contrast" / "contrast.tsv"


class Contrast(NamedTuple):
    """A pair of a contrast set."""

    phenomenon: str
    meaning: str  # same or different
    a: str
    b: str


def contrast_set(task: str = TASK) -> tuple[Contrast, ...]:
    """The pairs of a task, which ship with the project."""
    with FILE.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(Contrast(*row) for name, *row in rows if name == SETS[task])


def contrast(context: Context, task: str = TASK) -> Outcome:
    """AP and accuracy by phenomenon and over all, for every view.

    With baselines, the agreement of the trees is a view of its own, where every text has a tree.
    """
    pairs = context.benchmarks.examples(task)
    firsts, seconds = [pair.a for pair in pairs], [pair.b or "" for pair in pairs]
    a, b = context.benchmarks.sentences(firsts), context.benchmarks.sentences(seconds)
    first, second, late = context.embeddings.pairs(a, b)
    outcome = Outcome()
    for view in first:
        put_scores(outcome, view, metrics.cosines(first[view], second[view]), pairs, context.params.seed)
    if late is not None:
        put_scores(outcome, LATE, late, pairs, context.params.seed, suffix="_late")
    if context.baselines and all(text in context.benchmarks.trees for text in (*firsts, *seconds)):
        score = structural_scores(context.benchmarks, firsts, seconds)
        put_scores(outcome, STRUCTURAL, score, pairs, context.params.seed)
    return outcome


def put_scores(
    outcome: Outcome,
    view: str,
    score: NDArray[np.floating],
    pairs: Sequence[Example],
    seed: int,
    suffix: str = "",
) -> None:
    """Record what the similarities of all pairs of a set, [n], give by phenomenon and over all."""
    task = pairs[0].task
    gold = np.array([int(pair.label == "1") for pair in pairs])
    half = np.array([stable_hash(seed, "contrast half", pair.a) % 2 for pair in pairs])
    right = np.zeros(len(pairs), dtype=bool)
    for side in (0, 1):
        threshold = metrics.best_threshold(gold[half != side], score[half != side])
        right[half == side] = (score[half == side] >= threshold) == (gold[half == side] == 1)
    phenomena = np.array([pair.subset for pair in pairs])
    for name in ("all", *sorted(set(phenomena))):
        rows = np.ones(len(pairs), dtype=bool) if name == "all" else phenomena == name
        outcome.put(view, f"{task}.{name}.ap{suffix}", metrics.average_precision(gold[rows], score[rows]))
        outcome.put(view, f"{task}.{name}.accuracy_crossfit_threshold{suffix}", 100 * right[rows].mean())
    for metric, values in (("ap", score), ("accuracy_crossfit_threshold", right)):
        outcome.keep(
            view,
            task,
            metric + suffix,
            a=[pair.a for pair in pairs],
            b=[pair.b or "" for pair in pairs],
            gold=gold if metric == "ap" else None,
            subset=phenomena,
            score=values,
        )
