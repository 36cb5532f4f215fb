"""Task ``pairs`` (PAWS, QQP, MRPC, ...): do two sentences mean the same?

Each protocol has its own metric name:

- ``ap`` ranks pairs by cosine, with nothing trained;
- ``accuracy_dev_threshold`` cuts the cosine at the threshold that is best on development pairs;
- ``accuracy_logistic`` trains a classifier on [|u - v|; u * v];
- ``ap_late`` and ``accuracy_dev_threshold_late`` (view ``late``) are the first two with the model's
  late-interaction score in place of the cosine.

For PAWS-Wiki, ``paws.test_unread.ap`` is the AP of the test pairs that no choice about SynSem was made on.
PAWS makes several pairs of a sentence, so ``paws.test_apart.ap`` is that of those among them that share no
sentence, in any order of its words, with a pair that choices were made on.

The view ``combined`` is no vector: its classifier weighs all similarities of a pair
(``pair_similarities.py``). Its ``accuracy_logistic_words`` uses only those that need no tree.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.linked import word_key
from pipeline.evaluation.data import Example
from pipeline.evaluation.embedding_cache import LATE
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.tasks.pair_similarities import (
    COMBINED,
    STRUCTURAL,
    ordered_pairs,
    structural_scores,
    tree_similarities,
    with_products,
    word_similarities,
)
from pipeline.evaluation.transfer import Splits, classify, split_rows
from pipeline.params import metric_key
from pipeline.syntax.sentence import HasTree

PAIR_LABELS = ("0", "1")
# The test pairs before this one were looked at while late interaction and the sketch were designed.
FIRST_UNREAD = {"paws-wiki": 3000}


class Judged(NamedTuple):
    """The labelled pairs of a task: gold 1 or 0, int64 [n], and which rows are trained and tested on.

    Of the rows of each of ``parts`` (``unread_parts``) there is an AP besides.
    """

    task: str
    examples: list[Example]
    gold: NDArray[np.int64]
    splits: Splits
    parts: dict[str, NDArray[np.int64]]

    @property
    def section(self) -> str:
        """What the names of the metrics begin with, such as ``paws.test``."""
        return f"{metric_key(self.task)}.{self.splits.tested}"

    def keep(
        self, outcome: Outcome, view: str, metric: str, score: NDArray, gold: NDArray | None = None
    ) -> None:
        """Keep the ``score`` [n] of the tested pairs, and ``gold`` [n] where that is no right or wrong."""
        test = self.splits.test
        tested = [each for each, use in zip(self.examples, test, strict=True) if use]
        outcome.keep(
            view,
            self.section,
            metric,
            a=[each.a for each in tested],
            b=[each.b or "" for each in tested],
            gold=None if gold is None else gold[test],
            score=score[test],
        )


def pairs(context: Context, task: str) -> Outcome:
    """All protocols on the test split, or on a fifth of the rest, called ``held_out``, where there is none.

    Where there is a test split alone, nothing can be trained or chosen: the ranking is all there is then.
    With baselines, agreement of the trees is ranked too, as a view of its own, where every text has a tree.
    """
    examples, gold = labelled(context, task)
    if left_out := len(context.benchmarks.examples(task)) - len(examples):
        print(f"{task}: {left_out:,} pairs left out, whose label is neither 0 nor 1", file=sys.stderr)
    tested = np.array([each.split == "test" for each in examples])
    if tested.all():
        splits = Splits(~tested, ~tested, tested, "test")
        print(f"{task}: no train or dev split, so no accuracy beside the ap", file=sys.stderr)
    else:
        splits = split_rows(examples, context.params.seed, task)
        if not choosing(examples, gold, splits.test).any():
            print(
                f"{task}: the development pairs are of one class, so no threshold is chosen", file=sys.stderr
            )
    trainable = len(set(gold[splits.train])) == 2
    if splits.train.any() and not trainable:
        print(f"{task}: the training pairs are of one class, so no classifier is trained", file=sys.stderr)
    a, b = sides(context, examples)
    first, second, late = context.embeddings.pairs(a, b)
    outcome = Outcome()
    texts = [(each.a, each.b or "") for each in examples]
    judged = Judged(task, examples, gold, splits, unread_parts(task, texts, np.flatnonzero(splits.test)))

    def put_trained(view: str, metric: str, features: NDArray[np.float32]) -> None:
        if not trainable:
            return
        predicted = classify(features, gold, splits)
        accuracy = metrics.accuracy(gold[splits.test], predicted[splits.test])
        outcome.put(view, f"{judged.section}.{metric}", accuracy)
        judged.keep(outcome, view, metric, gold == predicted)

    for view in first:
        cosines = metrics.cosines(first[view], second[view])
        put_ranking(outcome, view, judged, cosines)
        put_trained(view, "accuracy_logistic", vector_features(first[view], second[view]))
    if late is not None:
        put_ranking(outcome, LATE, judged, late, "_late")
    parsed = "semantic" in first and all(each.deprels for each in (*a, *b))
    baseline = context.baselines and all(text in context.benchmarks.trees for pair in texts for text in pair)
    if not (parsed or baseline):
        return outcome
    structural = structural_scores(context.benchmarks, *map(list, zip(*texts, strict=True)))
    if parsed and trainable:
        ordered = ordered_pairs((a, b))
        words = word_similarities((a, b), (first, second), ordered["surface"])
        trees = tree_similarities((first, second), late, structural, ordered["tree"])
        put_trained(
            COMBINED, "accuracy_logistic", with_products(np.column_stack([words, trees]), splits.train)
        )
        put_trained(COMBINED, "accuracy_logistic_words", with_products(words, splits.train))
    if baseline:
        put_ranking(outcome, STRUCTURAL, judged, structural)
    return outcome


def labelled(context: Context, task: str) -> tuple[list[Example], NDArray[np.int64]]:
    """The pairs of a task that have label 0 or 1, and these labels; SynsemError where there are none."""
    examples = [each for each in context.benchmarks.examples(task) if each.label in PAIR_LABELS]
    if not examples:
        raise SynsemError(f"{task}: no pair with label 0 or 1")
    return examples, np.array([int(each.label == "1") for each in examples])


def sides(context: Context, examples: list[Example]) -> tuple[list[HasTree], list[HasTree]]:
    """The first and the second sentences of pairs, with their trees."""
    firsts, seconds = [each.a for each in examples], [each.b or "" for each in examples]
    return context.benchmarks.sentences(firsts), context.benchmarks.sentences(seconds)


def vector_features(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    """[|u - v|; u * v] of unit vectors, float32 [n, 2d]."""
    u, v = metrics.unit(first), metrics.unit(second)
    return np.concatenate([np.abs(u - v), u * v], axis=1)


def put_ranking(outcome: Outcome, view: str, judged: Judged, score: NDArray, suffix: str = "") -> None:
    """Record what a similarity [n] alone gives: AP, and accuracy with a threshold from the development split.

    Both are of the rows that the classifier is tested on, too. ``suffix`` ends the metrics' names where the
    similarity is no cosine.
    """
    gold, test, name = judged.gold, judged.splits.test, judged.section
    outcome.put(view, f"{name}.ap{suffix}", metrics.average_precision(gold[test], score[test]))
    for part, rows in judged.parts.items():
        if len(set(gold[rows])) == 2:
            outcome.put(view, f"{name}_{part}.ap{suffix}", metrics.average_precision(gold[rows], score[rows]))
    judged.keep(outcome, view, f"ap{suffix}", score, gold)
    choose = choosing(judged.examples, gold, test)
    if not choose.any():
        return
    right = (score >= metrics.best_threshold(gold[choose], score[choose])) == (gold == 1)
    outcome.put(view, f"{name}.accuracy_dev_threshold{suffix}", 100 * right[test].mean())
    judged.keep(outcome, view, f"accuracy_dev_threshold{suffix}", right)


def choosing(
    examples: list[Example], gold: NDArray[np.int64], tested: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The pairs that choose a threshold, bool [n]: dev, or train where there is none, but no ``tested`` one.

    No pair where they are of one class: the best threshold would call all pairs the same. ``gold`` is 0 or 1,
    [n].
    """
    split = np.array([each.split for each in examples])
    rows: NDArray[np.bool_] = (split == ("dev" if (split == "dev").any() else "train")) & ~tested
    return rows & (len(set(gold[rows])) == 2)


def unread_parts(
    task: str, texts: Sequence[tuple[str, str]], tested: NDArray[np.int64]
) -> dict[str, NDArray[np.int64]]:
    """Rows of the ``tested`` ones that no choice was made on: ``unread``, and ``apart`` among them.

    ``texts`` are those of every pair. Of a pair apart, no text has the words of a text that was seen. Empty
    for a task none of whose test pairs was seen.
    """
    if task not in FIRST_UNREAD:
        return {}
    seen, unread = np.split(tested, [FIRST_UNREAD[task]])
    known = {word_key(text) for row in seen for text in texts[row]}
    apart = [row for row in unread if known.isdisjoint(map(word_key, texts[row]))]
    return {"unread": unread, "apart": np.array(apart, dtype=np.int64)}
