"""Task ``classification``: a classifier on frozen embeddings of single sentences.

Question types (TREC) are scored by accuracy and macro F1. Files of SentEval's and X-Probe's probing tasks are
scored by accuracy, next to the controls of a probe (``probes``).
"""

from collections import Counter
from itertools import compress

import numpy as np

from pipeline.core import metrics
from pipeline.core.params import metric_key
from pipeline.core.seeding import SEED, generator, stable_hash
from pipeline.evaluation import tasks
from pipeline.evaluation.classifiers import PENALTIES, PROBE_SETTINGS, classify, scaled, split_rows
from pipeline.evaluation.data import Row
from pipeline.evaluation.tasks.probes import most_frequent

_PROBING = ("xprobe-", "senteval-", "probe-")
_CLASSES = 20  # SentEval's: nineteen sequences of constituents, and all others


class Task(tasks.Task):
    """Accuracy on the test split, or on a held-out fifth of the rest."""

    shape = "classification"

    def run(self) -> None:
        """Train, choose and test a classifier for every view."""
        context, params = self.context, self.context.params
        rows = context.benchmarks.by_task[self.benchmark]
        examples = [each for each in rows if each["label"] is not None]
        probing = self.benchmark.startswith(_PROBING)
        if probing:
            examples = self._few(examples)
        splits = split_rows(examples, self.benchmark, divide_test=probing)
        _, gold = np.unique([each["label"] for each in examples], return_inverse=True)
        texts, test = [each["a"] for each in examples], splits.test
        sentences = context.benchmarks.sentences(texts)
        section = f"{metric_key(self.benchmark)}.{splits.tested}"
        classifier = params.probe_classifier if probing else "logistic"
        settings = PENALTIES if classifier == "logistic" else PROBE_SETTINGS[classifier]
        metric = "accuracy" if classifier == "logistic" else f"accuracy_{classifier}"
        for view, vectors in (self.views(sentences) if probing else context.embeddings(sentences)).items():
            features = scaled(vectors)
            predicted = classify(features, gold, splits, classifier, settings)
            self.put(view, f"{section}.{metric}", metrics.accuracy(gold[test], predicted[test]))
            self.keep(view, section, metric, a=compress(texts, test), score=(gold == predicted)[test])
            if not probing:
                self.put(view, f"{section}.f1_macro", metrics.macro_f1(gold[test], predicted[test]))
                continue
            most = np.bincount(gold[splits.train]).argmax()
            self.put(view, f"{section}.majority", metrics.accuracy(gold[test], most))
            shuffled = generator(SEED, "random labels", self.benchmark).permutation(gold)
            predicted = classify(features, shuffled, splits, classifier, settings)
            self.put(view, f"{section}.random_labels", metrics.accuracy(shuffled[test], predicted[test]))

    def _few(self, examples: list[Row]) -> list[Row]:
        """Return at most ``probe_sentences`` of each split, in an order of the seed.

        Of labels without a fixed number, such as the constituents below S, the most frequent are kept as in
        SentEval, and a class has at most a tenth of the rows: otherwise nearly all are ``NP VP .``.
        """
        limit = self.context.params.probe_sentences
        labels = [str(each["label"]) for each in examples]
        merged = len(set(labels)) > _CLASSES
        if merged:
            names = most_frequent(labels, _CLASSES - 1)
            examples = [each | {"label": name} for each, name in zip(examples, names, strict=True)]
        kept: dict[str, list[Row]] = {}
        counts: Counter[tuple[str, str | None]] = Counter()
        for each in sorted(examples, key=lambda row: stable_hash(SEED, self.benchmark, row["a"])):
            counts[each["split"], each["label"]] += 1
            if not merged or counts[each["split"], each["label"]] <= max(1, limit // 10):
                kept.setdefault(each["split"], []).append(each)
        return [row for rows in kept.values() for row in rows[:limit]]
