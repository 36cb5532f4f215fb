"""Task ``sts``: correlation of cosine with human scores of similarity (SemEval STS, STS-B).

Nothing is trained. Metrics of a model's late-interaction score, such as ``spearman_late``, are of the view
``late``.
"""

import re
import sys

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.params import metric_key
from pipeline.evaluation import tasks

# A SemEval year is several sets: "all" pools them (SimCSE's protocol), "mean" averages their correlations.
_SEVERAL_SETS = re.compile(r"sts1[2-6]$")


class Task(tasks.Task):
    """Spearman and Pearson correlation, for each split that is not for training."""

    shape = "sts"

    def run(self) -> None:
        """Score every view; one without a correlation is left out, as of sentences of one word."""
        rows = self.context.benchmarks.by_task[self.benchmark]
        scored = [each for each in rows if each["score"] is not None]
        for split in sorted({each["split"] for each in scored} - {"train"}):
            pairs = [each for each in scored if each["split"] == split]
            section = f"{metric_key(self.benchmark)}.{split}"
            gold = np.array([each["score"] for each in pairs])
            subsets = np.array([each["subset"] for each in pairs])
            if split == "test":
                self.project_pairs(pairs, gold)
            for view, suffix, score in self.similarities(pairs):
                try:
                    found = self._correlations(gold, score, subsets)
                except SynsemError as error:
                    print(f"{self.benchmark}: {split}, view {view}: {error}", file=sys.stderr)
                    continue
                for name, value in found.items():
                    self.put(view, f"{section}.{name}{suffix}", value)
                a, b = [each["a"] for each in pairs], [each["b"] for each in pairs]
                metric = f"spearman{suffix}"
                self.keep(view, section, metric, a=a, b=b, gold=gold, subset=subsets, score=score)
        if not self.outcome.values:
            raise SynsemError(f"{self.benchmark}: no scored pairs outside the training split that correlate")

    def _correlations(
        self, gold: NDArray[np.float64], score: NDArray[np.floating], subsets: NDArray[np.str_]
    ) -> dict[str, float]:
        found = {}
        for name, correlate in (("spearman", metrics.spearman), ("pearson", metrics.pearson)):
            if _SEVERAL_SETS.match(self.benchmark):
                parts = [subsets == part for part in np.unique(subsets)]
                found[f"{name}_all"] = correlate(gold, score)
                found[f"{name}_mean"] = float(np.mean([correlate(gold[rows], score[rows]) for rows in parts]))
            else:
                found[name] = correlate(gold, score)
        return found
