"""Task ``pairs`` (PAWS, QQP, MRPC, ...): do two sentences mean the same?

Each protocol has its own metric name:

- ``ap`` ranks pairs by cosine, with nothing trained;
- ``accuracy_dev_threshold`` cuts the cosine at the threshold that is best on development pairs;
- ``accuracy_logistic`` trains a classifier on [|u - v|; u * v];
- ``ap_late`` and ``accuracy_dev_threshold_late`` (view ``late``) are the first two by the model's
  late-interaction score.

For PAWS-Wiki, ``paws.test_unread.ap`` is the AP of the test pairs on which no choice about SynSem was made.
PAWS makes several pairs of a sentence, so ``paws.test_apart.ap`` is that of those among them that share no
sentence, in any order of its words, with a pair on which choices were made.
"""

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.params import metric_key
from pipeline.core.seeding import SEED, word_key
from pipeline.evaluation import tasks
from pipeline.evaluation.classifiers import Splits, classify, split_rows
from pipeline.evaluation.data import PAIR_LABELS, Example
from pipeline.evaluation.embed import LATE

STRUCTURAL = "structural_agreement"  # the view of the agreement of trees, a baseline without a model
# The test pairs before this one were looked at while late interaction and the sketch were designed.
FIRST_UNREAD = {"paws-wiki": 3000}


class Task(tasks.Task):
    """All protocols on the test split, or on a held-out fifth of the rest.

    With only a test split, nothing can be trained or chosen, and the ranking is all there is.
    """

    shape = "pairs"

    def run(self) -> None:
        """Score every view; with baselines, also the agreement of the trees."""
        context = self.context
        self.examples, self.gold = labelled(context, self.benchmark)
        self.splits = self._split()
        self.section = f"{metric_key(self.benchmark)}.{self.splits.tested}"
        trainable = len(set(self.gold[self.splits.train])) == 2
        first, second, late = context.embeddings.pairs(*context.benchmarks.sides(self.examples))
        for view in first:
            self._rank(view, metrics.cosines(first[view], second[view]))
            if trainable:
                u, v = metrics.unit(first[view]), metrics.unit(second[view])
                features = np.concatenate([np.abs(u - v), u * v], axis=1)
                right = classify(features, self.gold, self.splits) == self.gold
                self._put_right(view, "accuracy_logistic", right)
        if late is not None:
            self._rank(LATE, late, "_late")
        if context.baselines:
            agreement = context.benchmarks.structural_agreement(self.examples)
            if agreement is not None:
                self._rank(STRUCTURAL, agreement)

    def _split(self) -> Splits:
        tested = np.array([each.split == "test" for each in self.examples])
        if tested.all():
            print(f"{self.benchmark}: no train or dev split, so only the ap", file=sys.stderr)
            return Splits(~tested, ~tested, tested, "test")
        return split_rows(self.examples, SEED, self.benchmark)

    def _rank(self, view: str, score: NDArray[np.floating], suffix: str = "") -> None:
        """Record what a similarity [n] gives: AP, and accuracy with a threshold of the development split."""
        gold, test = self.gold, self.splits.test
        self.put(view, f"{self.section}.ap{suffix}", metrics.average_precision(gold[test], score[test]))
        for part, rows in unread_parts(self.benchmark, self.examples, np.flatnonzero(test)).items():
            if len(set(gold[rows])) == 2:
                ap = metrics.average_precision(gold[rows], score[rows])
                self.put(view, f"{self.section}_{part}.ap{suffix}", ap)
        self._keep(view, f"ap{suffix}", score, gold)
        choose = choosing(self.examples, gold, test)
        if choose.any():
            right = (score >= metrics.best_threshold(gold[choose], score[choose])) == (gold == 1)
            self._put_right(view, f"accuracy_dev_threshold{suffix}", right)

    def _put_right(self, view: str, metric: str, right: NDArray[np.bool_]) -> None:
        self.put(view, f"{self.section}.{metric}", 100 * right[self.splits.test].mean())
        self._keep(view, metric, right)

    def _keep(self, view: str, metric: str, score: NDArray, gold: NDArray | None = None) -> None:
        test = self.splits.test
        tested = [each for each, use in zip(self.examples, test, strict=True) if use]
        self.keep(
            view,
            self.section,
            metric,
            a=[each.a for each in tested],
            b=[each.b or "" for each in tested],
            gold=None if gold is None else gold[test],
            score=score[test],
        )


def labelled(context: tasks.Context, benchmark: str) -> tuple[list[Example], NDArray[np.int64]]:
    """Return the pairs of a benchmark with label 0 or 1, and these labels; SynsemError if there are none."""
    everything = context.benchmarks.examples(benchmark)
    examples = [each for each in everything if each.label in PAIR_LABELS]
    if not examples:
        raise SynsemError(f"{benchmark}: no pair with label 0 or 1")
    if len(examples) < len(everything):
        left_out = len(everything) - len(examples)
        print(f"{benchmark}: {left_out:,} pairs left out, whose label is neither 0 nor 1", file=sys.stderr)
    return examples, np.array([int(each.label == "1") for each in examples])


def choosing(
    examples: Sequence[Example], gold: NDArray[np.int64], tested: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the pairs that choose a threshold, bool [n]: dev, else train, without those ``tested``.

    No pair if they are of one class: the best threshold would call all pairs the same. ``gold`` is 0 or 1,
    [n].
    """
    split = np.array([each.split for each in examples])
    rows: NDArray[np.bool_] = (split == ("dev" if (split == "dev").any() else "train")) & ~tested
    return rows & (len(set(gold[rows])) == 2)


def unread_parts(
    benchmark: str, examples: Sequence[Example], tested: NDArray[np.int64]
) -> dict[str, NDArray[np.int64]]:
    """Return the ``tested`` rows on which no choice was made: ``unread``, and ``apart`` among them.

    Of a pair apart, no text has the words of a text that was seen. Empty if no test pair was seen.
    """
    if benchmark not in FIRST_UNREAD:
        return {}
    keys = [{word_key(each.a), word_key(each.b or "")} for each in examples]
    seen, unread = np.split(tested, [FIRST_UNREAD[benchmark]])
    known = set[str]().union(*(keys[row] for row in seen))
    apart = [row for row in unread if known.isdisjoint(keys[row])]
    return {"unread": unread, "apart": np.array(apart, dtype=np.int64)}
