"""Task ``contrast`` and the tasks ``contrast_*``: pairs that differ in their structure alone.

Each pair is of one phenomenon. The pairs of ``contrast`` were written by hand for SynSem
(``contrast_set.tsv``: phenomenon, meaning, a, b), those of the others by a generator
(docs/contrast-sets.md). Choices are made on the development set; a blind set is looked at once. Nothing is
trained. ``ap`` ranks ``same`` above ``different`` pairs by cosine. ``accuracy_crossfit_threshold`` divides
the pairs into two halves; each half is judged by the threshold that is best on the other half, over all
phenomena together.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.evaluation.embedding_cache import LATE
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.tasks.pair_similarities import STRUCTURAL, structural_scores

TASK = "contrast"
FILES = {
    task: Path(__file__).with_name(f"{name}.tsv")
    for task, name in {
        TASK: "contrast_set",
        "contrast_dev": "development_set",
        "contrast_blind": "blind_set",
        "contrast_blind_2": "blind_set_2",
        "contrast_blind_3": "blind_set_3",
        "contrast_blind_4": "blind_set_4",
        "contrast_blind_5": "blind_set_5",
        "contrast_blind_6": "blind_set_6",
        "contrast_blind_7": "blind_set_7",
        "contrast_blind_8": "blind_set_8",
    }.items()
}


class Contrast(NamedTuple):
    """A pair of a contrast set."""

    phenomenon: str
    meaning: str  # same or different
    a: str
    b: str


@cache
def contrast_set(task: str = TASK) -> tuple[Contrast, ...]:
    """The pairs of a task, which ship with the package; SynsemError where a line is damaged."""
    file = FILES[task]
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    if rows[0] != list(Contrast._fields):
        raise SynsemError(f"{file}: the first line must name the columns {', '.join(Contrast._fields)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(Contrast._fields) or row[1] not in ("same", "different"):
            raise SynsemError(f"{file}:{number}: not four columns with meaning same or different")
    return tuple(Contrast(*row) for row in rows[1:])


def contrast(context: Context, task: str = TASK) -> Outcome:
    """AP and accuracy by phenomenon and over all, for every view.

    With baselines, the agreement of the trees is a view of its own, where every text has a tree.
    """
    pairs = contrast_set(task)
    firsts, seconds = [pair.a for pair in pairs], [pair.b for pair in pairs]
    a, b = context.benchmarks.sentences(firsts), context.benchmarks.sentences(seconds)
    first, second, late = context.embeddings.pairs(a, b)
    outcome = Outcome()
    for view in first:
        put_scores(outcome, view, metrics.cosines(first[view], second[view]), context.params.seed, task=task)
    if late is not None:
        put_scores(outcome, LATE, late, context.params.seed, suffix="_late", task=task)
    if context.baselines and all(text in context.benchmarks.trees for text in (*firsts, *seconds)):
        score = structural_scores(context.benchmarks, firsts, seconds)
        put_scores(outcome, STRUCTURAL, score, context.params.seed, task=task)
    return outcome


def put_scores(
    outcome: Outcome,
    view: str,
    score: NDArray[np.floating],
    seed: int,
    suffix: str = "",
    task: str = TASK,
) -> None:
    """Record what the similarities of all pairs of the task, [n], give by phenomenon and over all."""
    pairs = contrast_set(task)
    gold = np.array([int(pair.meaning == "same") for pair in pairs])
    half = np.array([stable_hash(seed, "contrast half", pair.a) % 2 for pair in pairs])
    right = np.zeros(len(pairs), dtype=bool)
    for side in (0, 1):
        threshold = metrics.best_threshold(gold[half != side], score[half != side])
        right[half == side] = (score[half == side] >= threshold) == (gold[half == side] == 1)
    phenomena = np.array([pair.phenomenon for pair in pairs])
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
            b=[pair.b for pair in pairs],
            gold=gold if metric == "ap" else None,
            subset=phenomena,
            score=values,
        )
