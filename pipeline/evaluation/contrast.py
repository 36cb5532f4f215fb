"""The curated contrast set: pairs of one phenomenon each, told apart only by what the structure says.

Written by hand for SynSem (``contrast_set.tsv``: phenomenon, meaning, a, b). Nothing is trained: AP of
``same`` against ``different`` by cosine, and accuracy with a cross-fitted threshold - pairs are dealt into
two halves, and each half is judged by the threshold that is best on the other half of all phenomena
together.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.agreement import agreement, triples
from pipeline.errors import SynsemError
from pipeline.evaluation import metrics
from pipeline.evaluation.bank import LATE
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.structure import VIEW
from pipeline.evaluation.task import Context
from pipeline.seeding import rank

TASK = "contrast"
FILE = Path(__file__).with_name("contrast_set.tsv")


class Contrast(NamedTuple):
    """A pair of the contrast set."""

    phenomenon: str
    meaning: str  # same or different
    a: str
    b: str


@cache
def contrast_set() -> tuple[Contrast, ...]:
    """The pairs that ship with the package; SynsemError where a line is damaged."""
    with FILE.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    if rows[0] != list(Contrast._fields):
        raise SynsemError(f"{FILE}: the first line must name the columns {', '.join(Contrast._fields)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(Contrast._fields) or row[1] not in ("same", "different"):
            raise SynsemError(f"{FILE}:{number}: not four columns with meaning same or different")
    return tuple(Contrast(*row) for row in rows[1:])


def contrast(context: Context) -> Outcome:
    """AP and accuracy by phenomenon and over all, for every view."""
    pairs = contrast_set()
    a, b = (context.benchmarks.sentences(side) for side in zip(*((p.a, p.b) for p in pairs), strict=True))
    first, second = context.bank(a), context.bank(b)
    outcome = Outcome()
    for view in first:
        put(outcome, view, metrics.cosines(first[view], second[view]), context.params.seed)
    late = context.bank.late(a, b)
    if late is not None:
        put(outcome, LATE, late, context.params.seed, suffix="_late")
    known = context.benchmarks.trees
    if context.baselines and all(text in known for pair in pairs for text in (pair.a, pair.b)):
        score = np.array([agreement(triples(known[p.a]), triples(known[p.b])) for p in pairs])
        put(outcome, VIEW, score, context.params.seed)
    return outcome


def put(outcome: Outcome, view: str, score: NDArray[np.floating], seed: int, suffix: str = "") -> None:
    """Record what the similarities of all pairs give, by phenomenon."""
    pairs = contrast_set()
    gold = np.array([int(pair.meaning == "same") for pair in pairs])
    half = np.array([rank(seed, "contrast half", pair.a) % 2 for pair in pairs])
    right = np.zeros(len(pairs), dtype=bool)
    for side in (0, 1):
        threshold = metrics.best_threshold(gold[half != side], score[half != side])
        right[half == side] = (score[half == side] >= threshold) == (gold[half == side] == 1)
    phenomena = np.array([pair.phenomenon for pair in pairs])
    for name in ("all", *sorted(set(phenomena))):
        rows = np.ones(len(pairs), dtype=bool) if name == "all" else phenomena == name
        outcome.put(view, f"{TASK}.{name}.ap{suffix}", metrics.average_precision(gold[rows], score[rows]))
        outcome.put(view, f"{TASK}.{name}.accuracy_crossfit_threshold{suffix}", 100 * right[rows].mean())
    for metric, values in (("ap", score), ("accuracy_crossfit_threshold", right)):
        outcome.keep(
            view,
            TASK,
            metric + suffix,
            a=[pair.a for pair in pairs],
            b=[pair.b for pair in pairs],
            gold=gold if metric == "ap" else None,
            subset=phenomena,
            score=values,
        )
