"""Pair tasks (PAWS, QQP, MRPC, ...): do two sentences mean the same?

Three protocols, one name each: ``ap`` ranks by cosine, nothing trained; ``accuracy_dev_threshold`` cuts the
cosine at the threshold that is best on development pairs; ``accuracy_logistic`` trains a classifier on [|u
- v|; u * v]. ``ap_late`` and ``accuracy_dev_threshold_late`` (view ``late``) are the first two with the
model's late-interaction score in place of a cosine. The view ``combined`` is no vector: its classifier weighs
all similarities of a pair (``combined.py``), and ``accuracy_logistic_words`` those that need no tree.
"""

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.evaluation import combined, metrics
from pipeline.evaluation.bank import LATE
from pipeline.evaluation.data import Example
from pipeline.evaluation.records import Outcome, key
from pipeline.evaluation.structure import VIEW, structural_scores
from pipeline.evaluation.task import Context
from pipeline.evaluation.transfer import Roles, classify, roles
from pipeline.sentences import HasTree


def pairs(context: Context, task: str) -> Outcome:
    """AP, accuracy with a development threshold and accuracy of a classifier, on the test split; where there
    is none (PAWS-X as it can be verified), on a fifth of the rest, called ``held_out``.

    With baselines, agreement of the trees is ranked too, as a view of its own, where every text has a tree.
    """
    examples, gold = labelled(context, task)
    role = roles(examples, context.params.seed, task)
    a, b = sides(context, examples)
    first, second = context.bank(a), context.bank(b)
    outcome = Outcome()

    def put_trained(view: str, metric: str, features: NDArray[np.float32]) -> None:
        predicted = classify(features, gold, role)[0]
        accuracy = metrics.accuracy(gold[role.test], predicted[role.test])
        outcome.put(view, f"{key(task)}.{role.tested}.{metric}", accuracy)
        _keep_right(outcome, view, task, metric, examples, gold == predicted, role)

    for view in first:
        put_ranking(outcome, view, task, examples, gold, metrics.cosines(first[view], second[view]), role)
        put_trained(view, "accuracy_logistic", pair_features(first[view], second[view]))
    late = context.bank.late(a, b)
    if late is not None:
        put_ranking(outcome, LATE, task, examples, gold, late, role, suffix="_late")
    parsed = "semantic" in first and all(each.deprels for each in (*a, *b))
    baseline = context.baselines and bool(context.benchmarks.trees)
    if not (parsed or baseline):
        return outcome
    agreed = structural_scores(context.benchmarks, examples)
    if parsed:
        words = combined.of_words((a, b), (first, second))
        all_of_it = np.column_stack([words, combined.of_trees((a, b), (first, second), late, agreed)])
        for metric, columns in (("accuracy_logistic", all_of_it), ("accuracy_logistic_words", words)):
            put_trained(combined.VIEW, metric, combined.with_products(columns, role.train))
    if baseline:
        put_ranking(outcome, VIEW, task, examples, gold, agreed, role)
    return outcome


def labelled(context: Context, task: str) -> tuple[list[Example], NDArray[np.int64]]:
    """The pairs of a task that have label 0 or 1, and these labels; SynsemError where there are none."""
    examples = [each for each in context.benchmarks.examples(task) if each.label in ("0", "1")]
    if not examples:
        raise SynsemError(f"{task}: no pair with label 0 or 1")
    return examples, np.array([int(each.label == "1") for each in examples])


def sides(context: Context, examples: list[Example]) -> tuple[list[HasTree], list[HasTree]]:
    """The first and the second sentences of pairs, with their trees."""
    firsts, seconds = [each.a for each in examples], [each.b or "" for each in examples]
    return context.benchmarks.sentences(firsts), context.benchmarks.sentences(seconds)


def pair_features(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    """[|u - v|; u * v] of unit vectors, float32 [n, 2d]."""
    u, v = metrics.unit(first), metrics.unit(second)
    return np.concatenate([np.abs(u - v), u * v], axis=1)


def put_ranking(
    outcome: Outcome,
    view: str,
    task: str,
    examples: list[Example],
    gold: np.ndarray,
    score: np.ndarray,
    role: Roles,
    suffix: str = "",
) -> None:
    """Record what a similarity alone gives: AP, and accuracy with a threshold from the development split.

    Both of the rows that ``role`` tests, as the classifier's is. ``suffix`` ends the metrics' names where the
    similarity is no cosine.
    """
    split = np.array([each.split for each in examples])
    test = role.test
    choose = (split == ("dev" if (split == "dev").any() else "train")) & ~test
    name = f"{key(task)}.{role.tested}"
    outcome.put(view, f"{name}.ap{suffix}", metrics.average_precision(gold[test], score[test]))
    tested = [each for each, use in zip(examples, test, strict=True) if use]
    outcome.keep(
        view,
        name,
        f"ap{suffix}",
        a=[each.a for each in tested],
        b=[each.b or "" for each in tested],
        gold=gold[test],
        score=score[test],
    )
    if not choose.any():
        return
    right = (score >= metrics.best_threshold(gold[choose], score[choose])) == (gold == 1)
    outcome.put(view, f"{name}.accuracy_dev_threshold{suffix}", 100 * right[test].mean())
    _keep_right(outcome, view, task, f"accuracy_dev_threshold{suffix}", examples, right, role)


def _keep_right(
    outcome: Outcome,
    view: str,
    task: str,
    metric: str,
    examples: list[Example],
    right: np.ndarray,
    role: Roles,
) -> None:
    tested = [each for each, use in zip(examples, role.test, strict=True) if use]
    outcome.keep(
        view,
        f"{key(task)}.{role.tested}",
        metric,
        a=[each.a for each in tested],
        b=[each.b or "" for each in tested],
        score=right[role.test],
    )
