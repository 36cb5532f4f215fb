"""Task ``probes``: what a small classifier reads from frozen embeddings, with labels from the parse.

Documents are assigned to five folds. Each fold is tested once, by a classifier that was trained on three
others and whose setting was chosen on the fifth: no document is on two sides. All folds, settings and probes
are one batched problem.
"""

import sys
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import HashingVectorizer

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import generator, stable_hash
from pipeline.evaluation.classifiers import Problems, predict
from pipeline.evaluation.data import HeldOutSentence
from pipeline.evaluation.families import FAMILIES, Family, best_setting, scaled
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.tasks.probe_labels import LABELS, balanced, most_frequent, shift_bigram
from pipeline.syntax.sentence import Sentence

FOLDS = 5
NONE = -1


@dataclass(frozen=True)
class Probe:
    """One labelling of the shared rows: a class number a row, ``NONE`` where the probe leaves the row out."""

    name: str
    classes: list[str]
    labels: NDArray[np.int64]


@dataclass(frozen=True)
class ProbeDataset:
    """The rows that all probes share, the fold of each, and the probes."""

    sentences: list[Sentence]
    folds: NDArray[np.int64]
    probes: list[Probe]


def probes(context: Context) -> Outcome:
    """Cross-fitted probe accuracy by each classifier of ``evaluate.probe_classifiers``, with its controls.

    Beside ``accuracy`` (logistic) and ``accuracy_mlp`` stand two controls. ``majority`` always names the most
    frequent class of the training folds. ``random_labels`` (``random_labels_mlp``) is the same probe of
    labels in random order, which is what the classifier's capacity alone yields (Hewitt & Liang 2019). With
    baselines, the view ``bag_of_words`` is probed too.
    """
    params = context.params
    data = build_dataset(context.corpus.sentences[: params.probe_sentences], params.seed)
    views = context.embeddings(data.sentences)
    if context.baselines:
        views = views | {"bag_of_words": bag_of_words([s.text for s in data.sentences])}
    # Both kinds of labels train on the same rows, so the solver takes them together.
    both = replace(data, probes=[*data.probes, *with_random_labels(data, params.seed).probes])
    outcome = Outcome()
    for view, vectors in views.items():
        for name in params.probe_classifiers:
            suffix = "" if name == "logistic" else f"_{name}"
            metric = f"accuracy{suffix}"
            rights = cross_fit(vectors, both, FAMILIES[name](params.seed))
            of_labels, of_random_labels = rights[: len(data.probes)], rights[len(data.probes) :]
            for probe, right in zip(data.probes, of_labels, strict=True):
                outcome.put(view, f"probe.{probe.name}.{metric}", 100 * right.mean())
                outcome.keep(
                    view,
                    f"probe.{probe.name}",
                    metric,
                    a=[
                        s.text for s, label in zip(data.sentences, probe.labels, strict=True) if label != NONE
                    ],
                    score=right,
                )
            for probe, right in zip(data.probes, of_random_labels, strict=True):
                outcome.put(view, f"probe.{probe.name}.random_labels{suffix}", 100 * right.mean())
        for probe in data.probes:
            outcome.put(view, f"probe.{probe.name}.majority", majority(probe, data.folds))
    return outcome


def with_random_labels(data: ProbeDataset, seed: int) -> ProbeDataset:
    """The same rows with every probe's labels in random order."""
    probes = []
    for probe in data.probes:
        labels, used = probe.labels.copy(), probe.labels != NONE
        labels[used] = generator(seed, "random labels", probe.name).permutation(labels[used])
        probes.append(Probe(probe.name, probe.classes, labels))
    return ProbeDataset(data.sentences, data.folds, probes)


def bag_of_words(texts: list[str]) -> NDArray[np.float32]:
    """Word counts hashed to 512 signed features, float32 [n, 512]: a baseline without a model."""
    hashed = HashingVectorizer(n_features=512, token_pattern=r"\S+").transform(texts)
    return np.asarray(hashed.todense(), dtype=np.float32)


def build_dataset(held: list[HeldOutSentence], seed: int) -> ProbeDataset:
    """Label the sentences; add, for half of them, a copy with a shifted bigram. Classes are ``balanced``.

    A probe of one class, or without a training row in some fold, is left out. Raises SynsemError where there
    are too few documents to hold some out, or no probe is left.
    """
    sentences = [each.sentence for each in held]
    fold_of = assign_folds(held, seed).tolist()
    labels: dict[str, list[str | None]] = {
        name: [label(s) for s in sentences] for name, label in LABELS.items()
    }
    labels["top_constituents"] = list(most_frequent([str(label) for label in labels["top_constituents"]]))
    shift: list[str | None] = ["original"] * len(sentences)
    present = {sentence.text for sentence in sentences}
    for position, each in enumerate(held):
        shifted = (
            shift_bigram(each.sentence, seed) if stable_hash(seed, "shift or not", each.sent_id) % 2 else None
        )
        if shifted is not None and shifted.text not in present:
            sentences.append(shifted)
            fold_of.append(fold_of[position])
            shift[position] = None  # a sentence stands on one side only, as in SentEval
            shift.append("shifted")
    for column in labels.values():
        column += [None] * (len(sentences) - len(column))
    labels["bigram_shift"] = shift
    folds = np.array(fold_of)
    texts = [sentence.text for sentence in sentences]
    probes = [_probe(name, balanced(column, texts, seed)) for name, column in labels.items()]
    kept = []
    for probe in probes:
        if len(probe.classes) < 2:
            why = "all its sentences have one label"
        elif not all(_training(probe, folds, fold).any() for fold in range(FOLDS)):
            why = f"its {np.count_nonzero(probe.labels != NONE)} sentences are too few to train and test on"
        else:
            kept.append(probe)
            continue
        print(f"probe {probe.name}: left out, as {why}", file=sys.stderr)
    if not kept:
        raise SynsemError("no probe has enough sentences with two labels; take more documents")
    return ProbeDataset(sentences, folds, kept)


def assign_folds(held: list[HeldOutSentence], seed: int) -> NDArray[np.int64]:
    """The fold of each sentence, by its document; SynsemError where there are too few documents."""
    documents = sorted({each.doc_id for each in held}, key=lambda doc_id: stable_hash(seed, "fold", doc_id))
    if len(documents) < FOLDS:
        raise SynsemError(
            f"probes need sentences of {FOLDS} documents, the test split has {len(documents)}; "
            "take more documents"
        )
    fold_of = {doc_id: number % FOLDS for number, doc_id in enumerate(documents)}
    return np.array([fold_of[each.doc_id] for each in held])


def _probe(name: str, column: list[str | None]) -> Probe:
    classes = sorted({label for label in column if label is not None})
    number = {label: position for position, label in enumerate(classes)}
    return Probe(name, classes, np.array([NONE if label is None else number[label] for label in column]))


def cross_fit(vectors: NDArray[np.float32], data: ProbeDataset, family: Family) -> list[NDArray[np.float64]]:
    """For each probe and each of its rows, 1 where the classifier that never saw its document is right."""
    settings = range(len(family))
    plan = [(probe, fold, setting) for probe in data.probes for fold in range(FOLDS) for setting in settings]
    problems = Problems(
        labels=np.stack([np.maximum(probe.labels, 0) for probe, _, _ in plan]),
        weights=np.stack([_training(probe, data.folds, fold) for probe, fold, _ in plan]),
        penalty=np.zeros(len(plan)),
        classes=np.array([len(probe.classes) for probe, _, _ in plan]),
    )
    logits = family.fit(scaled(vectors), problems, [setting for _, _, setting in plan])
    predicted = predict(logits).reshape(len(data.probes), FOLDS, len(family), -1)
    results = []
    for probe, by_fold in zip(data.probes, predicted, strict=True):
        right = np.zeros(len(probe.labels))
        for fold in range(FOLDS):
            tuning = (probe.labels != NONE) & (data.folds == (fold + 1) % FOLDS)
            scores = (by_fold[fold][:, tuning] == probe.labels[tuning]).sum(axis=1)
            tested = data.folds == fold
            right[tested] = by_fold[fold][best_setting(scores), tested] == probe.labels[tested]
        results.append(right[probe.labels != NONE])
    return results


def _training(probe: Probe, folds: NDArray[np.int64], fold: int) -> NDArray[np.float32]:
    held_out = (folds == fold) | (folds == (fold + 1) % FOLDS)
    return ((probe.labels != NONE) & ~held_out).astype(np.float32)


def majority(probe: Probe, folds: NDArray[np.int64]) -> float:
    """Accuracy in points of always naming the most frequent class of the training folds."""
    right = 0
    for fold in range(FOLDS):
        counts = np.bincount(probe.labels[_training(probe, folds, fold) > 0], minlength=len(probe.classes))
        right += int(((folds == fold) & (probe.labels == counts.argmax())).sum())
    return 100 * right / max(1, int((probe.labels != NONE).sum()))
