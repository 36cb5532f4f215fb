"""Tasks ``classification`` and ``probing_files``: a classifier on frozen embeddings of single sentences.

The first is for question types (TREC). The second is for files of SentEval and X-Probe, with the controls of
a probe.
"""

from collections import Counter

import numpy as np

from pipeline.core import metrics
from pipeline.core.seeding import generator, stable_hash
from pipeline.evaluation.data import Example
from pipeline.evaluation.families import FAMILIES, scaled
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.tasks.probe_labels import most_frequent
from pipeline.evaluation.tasks.probes import bag_of_words
from pipeline.evaluation.transfer import classify, split_rows
from pipeline.params import metric_key

_CLASSES = 20  # SentEval's: nineteen sequences of constituents, and all others


def classification(context: Context, task: str) -> Outcome:
    """Accuracy and macro F1 on the test split; of TREC's labels, such as ``HUM:ind``, the coarse part."""
    return _classify(context, task, context.benchmarks.examples(task))


def probing_file(context: Context, task: str) -> Outcome:
    """A SentEval or X-Probe file, on at most ``probe_sentences`` of each split.

    Accuracy by each classifier of ``evaluate.probe_classifiers``, beside ``majority`` and ``random_labels``
    (see ``probes``). Of labels without a fixed number, such as the constituents below S, the most frequent
    are kept as in SentEval. A class then has at most a tenth of the rows: else nearly all are ``NP VP .``.
    """
    kept: dict[str, list[Example]] = {}
    limit = context.params.probe_sentences
    most = max(1, limit // 10)
    counts: Counter[tuple[str, str | None]] = Counter()
    examples, merged = _merge_rare_labels(
        [each for each in context.benchmarks.examples(task) if each.label is not None]
    )
    for each in sorted(examples, key=lambda row: stable_hash(context.params.seed, task, row.a)):
        counts[each.split, each.label] += 1
        if not merged or counts[each.split, each.label] <= most:
            kept.setdefault(each.split, []).append(each)
    return _classify(context, task, [row for rows in kept.values() for row in rows[:limit]], controls=True)


def _merge_rare_labels(examples: list[Example]) -> tuple[list[Example], bool]:
    """The examples with all but the most frequent labels made one class; whether there were too many."""
    labels = [str(each.label) for each in examples]
    if len(set(labels)) <= _CLASSES:
        return examples, False
    names = most_frequent(labels, _CLASSES - 1)
    return [each._replace(label=name) for each, name in zip(examples, names, strict=True)], True


def _classify(context: Context, task: str, examples: list[Example], controls: bool = False) -> Outcome:
    examples = [each for each in examples if each.label is not None]
    splits = split_rows(examples, context.params.seed, task, divide_test=controls)
    names = [str(each.label).split(":")[0] if task == "trec" else str(each.label) for each in examples]
    classes = sorted(set(names))
    gold = np.array([classes.index(name) for name in names])
    texts = [each.a for each in examples]
    views = context.embeddings(context.benchmarks.sentences(texts))
    if controls and context.baselines:
        views = views | {"bag_of_words": bag_of_words(texts)}
    outcome, test, name = Outcome(), splits.test, f"{metric_key(task)}.{splits.tested}"
    tested = [text for text, use in zip(texts, test, strict=True) if use]
    classifiers = context.params.probe_classifiers if controls else ["logistic"]
    for view, vectors in views.items():
        features = scaled(vectors)
        for classifier in classifiers:
            family = None if classifier == "logistic" else FAMILIES[classifier](context.params.seed)
            predicted = classify(features, gold, splits, family)
            metric = "accuracy" if family is None else f"accuracy_{classifier}"
            outcome.put(view, f"{name}.{metric}", metrics.accuracy(gold[test], predicted[test]))
            outcome.keep(view, name, metric, a=tested, score=(gold == predicted)[test])
            if not controls:
                outcome.put(view, f"{name}.f1_macro", metrics.macro_f1(gold[test], predicted[test]))
        if controls:
            most = np.bincount(gold[splits.train]).argmax()
            outcome.put(view, f"{name}.majority", metrics.accuracy(gold[test], most))
            shuffled = generator(context.params.seed, "random labels", task).permutation(gold)
            predicted = classify(features, shuffled, splits)
            outcome.put(view, f"{name}.random_labels", metrics.accuracy(shuffled[test], predicted[test]))
    return outcome
