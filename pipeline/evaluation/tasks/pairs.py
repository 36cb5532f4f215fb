"""Task ``pairs`` (PAWS, QQP, MRPC, ...): do two sentences mean the same?

Each protocol has its own metric name:

- ``ap`` ranks pairs by cosine, with nothing trained;
- ``accuracy_dev_threshold`` cuts the cosine at the threshold that is best on development pairs;
- ``accuracy_logistic`` trains a classifier on [|u - v|; u * v];
- ``ap_late`` and ``accuracy_dev_threshold_late`` (view ``late``) are the first two by the model's
  late-interaction score.

For PAWS-Wiki, ``paws.test_unread.ap`` is the AP of the test pairs on which no choice about SynSem was made.
"""

import sys
from collections.abc import Sequence
from itertools import compress

import numpy as np

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.params import metric_key
from pipeline.evaluation import tasks
from pipeline.evaluation.classifiers import Ints, Rows, Splits, classify, split_rows
from pipeline.evaluation.data import PAIR_LABELS, Row

# The test pairs before this one were looked at while late interaction and the sketch were designed.
FIRST_UNREAD = {"paws-wiki": 3000}


class Task(tasks.Task):
    """All protocols on the test split, or on a held-out fifth of the rest.

    With only a test split, nothing can be trained or chosen, so only the ranking is scored.
    """

    shape = "pairs"

    def run(self) -> None:
        """Score every view; with baselines, also the agreement of the trees."""
        pairs, gold = labelled(self.context, self.benchmark)
        tested = np.array([each["split"] == "test" for each in pairs])
        if tested.all():
            print(f"{self.benchmark}: no train or dev split, so only the ap", file=sys.stderr)
            splits = Splits(~tested, ~tested, tested, "test")
        else:
            splits = split_rows(pairs, self.benchmark)
        section, test = f"{metric_key(self.benchmark)}.{splits.tested}", splits.test
        a, b = ([each[side] for each in compress(pairs, test)] for side in "ab")
        choose = choosing(pairs, gold, test)
        self.project_pairs(list(compress(pairs, test)), gold[test])
        unread = np.flatnonzero(test)[FIRST_UNREAD.get(self.benchmark, len(pairs)) :]
        first, second, _ = self.context.embeddings.pairs(*self.context.benchmarks.sides(pairs))
        for view, suffix, score in self.similarities(pairs, agreement=True):
            self.put(view, f"{section}.ap{suffix}", metrics.average_precision(gold[test], score[test]))
            self.keep(view, section, f"ap{suffix}", a=a, b=b, gold=gold[test], score=score[test])
            if len(set(gold[unread])) == 2:
                ap = metrics.average_precision(gold[unread], score[unread])
                self.put(view, f"{section}_unread.ap{suffix}", ap)
            right = {}
            if choose.any():
                threshold = metrics.best_threshold(gold[choose], score[choose])
                right[f"accuracy_dev_threshold{suffix}"] = (score >= threshold) == (gold == 1)
            if view in first and len(set(gold[splits.train])) == 2:
                u, v = metrics.unit(first[view]), metrics.unit(second[view])
                features = np.concatenate([np.abs(u - v), u * v], axis=1)
                right["accuracy_logistic"] = classify(features, gold, splits) == gold
            for metric, correct in right.items():
                self.put(view, f"{section}.{metric}", 100 * correct[test].mean())
                self.keep(view, section, metric, a=a, b=b, score=correct[test])


def labelled(context: tasks.Context, benchmark: str) -> tuple[list[Row], Ints]:
    """Return the pairs of a benchmark with label 0 or 1, and these labels; SynsemError if there are none."""
    everything = context.benchmarks.by_task[benchmark]
    pairs = [each for each in everything if each["label"] in PAIR_LABELS]
    if not pairs:
        raise SynsemError(f"{benchmark}: no pair with label 0 or 1")
    if left_out := len(everything) - len(pairs):
        print(f"{benchmark}: {left_out:,} pairs left out, whose label is neither 0 nor 1", file=sys.stderr)
    return pairs, np.array([int(each["label"] == "1") for each in pairs])


def choosing(pairs: Sequence[Row], gold: Ints, tested: Rows) -> Rows:
    """Return the pairs that choose a threshold, bool [n]: dev, else train, without those ``tested``.

    No pair if their ``gold`` [n] is of one class, as the best threshold would then call all pairs the same.
    """
    split = np.array([each["split"] for each in pairs])
    rows: Rows = (split == ("dev" if (split == "dev").any() else "train")) & ~tested
    return rows & (len(set(gold[rows])) == 2)
