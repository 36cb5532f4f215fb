"""Task ``contrast``: pairs that differ only in their structure, each of one phenomenon (data/contrast).

It runs on every downloaded benchmark of pairs whose name begins with ``contrast``. Nothing is trained. ``ap``
ranks ``same`` above ``different`` pairs by cosine. ``accuracy_crossfit_threshold`` divides the pairs into two
halves; each half is judged by the threshold that is best on the other half, over all phenomena together.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.seeding import SEED, stable_hash
from pipeline.evaluation import tasks
from pipeline.evaluation.data import Example
from pipeline.evaluation.embed import LATE
from pipeline.evaluation.tasks.pairs import STRUCTURAL


class Task(tasks.Task):
    """AP and accuracy by phenomenon and over all, for every view."""

    shape = "contrast"

    def run(self) -> None:
        """Score every view; with baselines, also the agreement of the trees."""
        pairs = self.context.benchmarks.examples(self.benchmark)
        first, second, late = self.context.embeddings.pairs(*self.context.benchmarks.sides(pairs))
        for view in first:
            self.score(view, pairs, metrics.cosines(first[view], second[view]))
        if late is not None:
            self.score(LATE, pairs, late, "_late")
        if self.context.baselines:
            agreement = self.context.benchmarks.structural_agreement(pairs)
            if agreement is not None:
                self.score(STRUCTURAL, pairs, agreement)

    def score(
        self, view: str, pairs: Sequence[Example], score: NDArray[np.floating], suffix: str = ""
    ) -> None:
        """Record what the similarities of all pairs, [n], give by phenomenon and over all."""
        gold = np.array([int(pair.label == "1") for pair in pairs])
        half = np.array([stable_hash(SEED, "contrast half", pair.a) % 2 for pair in pairs])
        right = np.zeros(len(pairs), dtype=bool)
        for side in (0, 1):
            threshold = metrics.best_threshold(gold[half != side], score[half != side])
            right[half == side] = (score[half == side] >= threshold) == (gold[half == side] == 1)
        phenomena = np.array([pair.subset for pair in pairs])
        for name in ("all", *sorted(set(phenomena))):
            rows = np.ones(len(pairs), dtype=bool) if name == "all" else phenomena == name
            section = f"{self.benchmark}.{name}"
            self.put(view, f"{section}.ap{suffix}", metrics.average_precision(gold[rows], score[rows]))
            self.put(view, f"{section}.accuracy_crossfit_threshold{suffix}", 100 * right[rows].mean())
        a, b = [pair.a for pair in pairs], [pair.b or "" for pair in pairs]
        self.keep(view, self.benchmark, f"ap{suffix}", a=a, b=b, gold=gold, subset=phenomena, score=score)
        self.keep(
            view,
            self.benchmark,
            f"accuracy_crossfit_threshold{suffix}",
            a=a,
            b=b,
            subset=phenomena,
            score=right,
        )
