"""Task ``sts``: correlation of cosine with human scores of similarity (SemEval STS, STS-B, SICK).

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
from pipeline.evaluation.data import Example
from pipeline.evaluation.embed import LATE

# A SemEval year is several sets: "all" pools them (SimCSE's protocol), "mean" averages their correlations.
_SEVERAL_SETS = re.compile(r"sts1[2-6]$")


class Task(tasks.Task):
    """Spearman and Pearson correlation, for each split that is not for training."""

    shape = "sts"

    def run(self) -> None:
        """Score every view; one without a correlation is left out, as of sentences of one word."""
        examples = [
            each for each in self.context.benchmarks.examples(self.benchmark) if each.score is not None
        ]
        for split in sorted({each.split for each in examples} - {"train"}):
            pairs = [each for each in examples if each.split == split]
            first, second, late = self.context.embeddings.pairs(*self.context.benchmarks.sides(pairs))
            for view in first:
                self._correlate(view, split, pairs, metrics.cosines(first[view], second[view]))
            if late is not None:
                self._correlate(LATE, split, pairs, late, "_late")
        if not self.outcome.metrics:
            raise SynsemError(f"{self.benchmark}: no scored pairs outside the training split that correlate")

    def _correlate(
        self, view: str, split: str, pairs: list[Example], score: NDArray[np.floating], suffix: str = ""
    ) -> None:
        gold = np.array([each.score for each in pairs], dtype=np.float64)
        subsets = np.array([each.subset for each in pairs])
        section, found = f"{metric_key(self.benchmark)}.{split}", {}
        try:
            for name, correlate in (("spearman", metrics.spearman), ("pearson", metrics.pearson)):
                if _SEVERAL_SETS.match(self.benchmark):
                    parts = [subsets == part for part in np.unique(subsets)]
                    found[f"{name}_all"] = correlate(gold, score)
                    found[f"{name}_mean"] = float(
                        np.mean([correlate(gold[rows], score[rows]) for rows in parts])
                    )
                else:
                    found[name] = correlate(gold, score)
        except SynsemError as error:
            print(f"{self.benchmark}: {split}, view {view}: {error}", file=sys.stderr)
            return
        for name, value in found.items():
            self.put(view, f"{section}.{name}{suffix}", value)
        self.keep(
            view,
            section,
            f"spearman{suffix}",
            a=[each.a for each in pairs],
            b=[each.b or "" for each in pairs],
            gold=gold,
            subset=subsets,
            score=score,
        )
