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
from pipeline.evaluation.data import Row


class Task(tasks.Task):
    """AP and accuracy by phenomenon and over all, for every view; with baselines, also of the trees."""

    shape = "contrast"

    def run(self) -> None:
        """Score every view."""
        pairs = self.context.benchmarks.by_task[self.benchmark]
        for view, suffix, score in self.similarities(pairs, agreement=True):
            self.score(view, pairs, score, suffix)

    def score(self, view: str, pairs: Sequence[Row], score: NDArray[np.floating], suffix: str = "") -> None:
        """Record what the similarities of all pairs, [n], give by phenomenon and over all."""
        gold = np.array([int(pair["label"] == "1") for pair in pairs])
        half = np.array([stable_hash(SEED, "contrast half", pair["a"]) % 2 for pair in pairs])
        right = np.zeros(len(pairs), dtype=bool)
        for side in (0, 1):
            threshold = metrics.best_threshold(gold[half != side], score[half != side])
            right[half == side] = (score[half == side] >= threshold) == (gold[half == side] == 1)
        ap, accuracy = f"ap{suffix}", f"accuracy_crossfit_threshold{suffix}"
        phenomena = np.array([pair["subset"] for pair in pairs])
        both = [name for name in sorted(set(phenomena)) if len(set(gold[phenomena == name])) == 2]
        for name in ("all", *both):
            rows = (phenomena == name) | (name == "all")
            section = f"{self.benchmark}.{name}"
            self.put(view, f"{section}.{ap}", metrics.average_precision(gold[rows], score[rows]))
            self.put(view, f"{section}.{accuracy}", 100 * right[rows].mean())
        a, b = ([pair[side] for pair in pairs] for side in "ab")
        self.keep(view, self.benchmark, ap, a=a, b=b, subset=phenomena, gold=gold, score=score)
        self.keep(view, self.benchmark, accuracy, a=a, b=b, subset=phenomena, score=right)
