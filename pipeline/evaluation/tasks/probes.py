"""Task ``probes``: what a small classifier reads from frozen embeddings, with labels from the parse.

The labels follow the SentEval probes (Conneau et al. 2018), whose originals come from a constituency parser.
Here depth is that of the dependency tree, and constituents are derived from it. So the numbers do not compare
with SentEval's.

Documents are assigned to five folds. Each fold is tested once, by a classifier that was trained on three
others and whose setting was chosen on the fifth: no document is on two sides.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import SEED, generator, stable_hash
from pipeline.evaluation import tasks
from pipeline.evaluation.classifiers import PROBE_SETTINGS, Classifier, Fitter, Problem, best_setting, scaled
from pipeline.evaluation.data import Row
from pipeline.syntax import constituency
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree, universal

FOLDS = 5
NONE = -1
DEEPEST = 9
SHALLOWEST = 2
FARTHEST = 8
FREQUENT_TOPS = 9  # besides "other"


def tree_depth(sentence: Sentence) -> str:
    """Return the edges from the root to the deepest word, clipped to 2 and 9."""
    return str(int(np.clip(DependencyTree(sentence.heads).depths().max(), SHALLOWEST, DEEPEST)))


def tree_distance(sentence: Sentence) -> str | None:
    """Return the edges, 8 at most, between the first and the last of the words that are not punctuation.

    None for one word. The SSCP paper does not define its "syntactic tree distance"; this one names no words.
    """
    words = [word for word, tag in enumerate(sentence.upos) if tag != "PUNCT"]
    if len(words) < 2:
        return None
    return str(min(int(DependencyTree(sentence.heads).distances()[words[0], words[-1]]), FARTHEST))


def number(sentence: Sentence, relation: str) -> str | None:
    """Return Sing or Plur of the root's dependent by ``relation``; None unless it is one common noun."""
    root = sentence.heads.index(0) + 1
    arcs = enumerate(zip(sentence.heads, sentence.deprels, strict=True))
    found = [word for word, (head, deprel) in arcs if head == root and universal(deprel) == relation]
    if len(found) != 1 or sentence.upos[found[0]] != "NOUN":
        return None
    features = sentence.feats[found[0]].split("|")
    return next((value for value in ("Sing", "Plur") if f"Number={value}" in features), None)


def top_constituents(sentence: Sentence) -> str:
    """Return the phrases right below the clause, as in SentEval: ``NP VP .``."""
    return " ".join(constituency.top_constituents(constituency.derive(sentence)))


# Probes of the sentence as it is; bigram shift is built from pairs.
LABELS: dict[str, Callable[[Sentence], str | None]] = {
    "tree_depth": tree_depth,
    "tree_distance": tree_distance,
    "subject_number": partial(number, relation="nsubj"),
    "object_number": partial(number, relation="obj"),
    "top_constituents": top_constituents,
}


def most_frequent(labels: Sequence[str], keep: int = FREQUENT_TOPS) -> list[str]:
    """Return the labels with all but the ``keep`` most frequent replaced by ``other``; ties by name."""
    counted = sorted(Counter(labels).items(), key=lambda item: (-item[1], item[0]))
    frequent = {label for label, _ in counted[:keep]}
    return [label if label in frequent else "other" for label in labels]


def balanced(labels: Sequence[str | None], texts: Sequence[str]) -> list[str | None]:
    """Return the labels, None for some of the most frequent: no class has more rows than the second.

    Always naming one class is then of little use. Which rows stay is a function of their texts.
    """
    counts = Counter(filter(None, labels)).most_common(2)
    if len(counts) < 2:
        return list(labels)
    (label, _), (_, kept) = counts
    rows = [row for row, each in enumerate(labels) if each == label]
    rows.sort(key=lambda row: stable_hash(SEED, "balanced", texts[row]))
    dropped = set(rows[kept:])
    return [None if row in dropped else each for row, each in enumerate(labels)]


def shift_bigram(sentence: Sentence) -> Sentence | None:
    """Return the sentence with two neighbouring words swapped; None if no pair can be swapped.

    The words differ, are not punctuation, and neither is the first. The tree keeps its shape, which does not
    reveal the swap to an encoder that reads trees.
    """
    words = sentence.words
    places = [
        place
        for place, (word, after) in enumerate(pairwise(words))
        if place
        and "PUNCT" not in sentence.upos[place : place + 2]
        and (word.isalpha() and after.isalpha() and word.lower() != after.lower())
    ]
    if not places:
        return None
    at = int(generator(SEED, "bigram shift", sentence.text).choice(places))
    return replace(sentence, text="", words=(*words[:at], words[at + 1], words[at], *words[at + 2 :]))


@dataclass(frozen=True)
class Probe:
    """One labelling of the shared rows: a class number for each, ``NONE`` if the probe leaves it out."""

    name: str
    classes: list[str]
    labels: NDArray[np.int64]

    @property
    def used(self) -> NDArray[np.bool_]:
        """The rows that the probe has."""
        return self.labels != NONE

    def with_random_labels(self) -> "Probe":
        """Return the probe with its labels in random order."""
        labels = self.labels.copy()
        labels[self.used] = generator(SEED, "random labels", self.name).permutation(labels[self.used])
        return replace(self, labels=labels)


@dataclass(frozen=True)
class ProbeDataset:
    """The rows that all probes share, the fold of each, and the probes."""

    sentences: list[Sentence]
    folds: NDArray[np.int64]
    probes: list[Probe] = field(default_factory=list)

    def training(self, probe: Probe, fold: int) -> NDArray[np.bool_]:
        """Return the rows of a probe that train if ``fold`` is tested."""
        return probe.used & (self.folds != fold) & (self.folds != (fold + 1) % FOLDS)

    def majority(self, probe: Probe) -> float:
        """Return the accuracy in points of always naming the most frequent class of the training folds."""
        right = 0
        for fold in range(FOLDS):
            counts = np.bincount(probe.labels[self.training(probe, fold)], minlength=len(probe.classes))
            right += int(((self.folds == fold) & (probe.labels == counts.argmax())).sum())
        return 100 * right / max(1, int(probe.used.sum()))


class Task(tasks.Task):
    """Cross-fitted probe accuracy, with its controls.

    ``majority`` always names the most frequent class of the training folds. ``random_labels`` is the same
    probe of labels in random order: what the classifier's capacity alone yields (Hewitt & Liang 2019). With
    baselines, the view ``bag_of_words`` is probed too.
    """

    def run(self) -> None:
        """Probe every view by the classifier ``evaluate.probe_classifier``."""
        params = self.context.params
        data = build_dataset(self.context.corpus.sample[: params.probe_sentences])
        suffix = "" if params.probe_classifier == "logistic" else f"_{params.probe_classifier}"
        # Both kinds of labels train on the same rows, so the solver takes them together.
        both = replace(data, probes=[*data.probes, *map(Probe.with_random_labels, data.probes)])
        for view, vectors in self.views(data.sentences).items():
            rights = cross_fit(vectors, both, params.probe_classifier)
            for probe, right, random in zip(data.probes, rights, rights[len(data.probes) :], strict=False):
                section = f"probe.{probe.name}"
                self.put(view, f"{section}.accuracy{suffix}", 100 * right.mean())
                self.put(view, f"{section}.random_labels{suffix}", 100 * random.mean())
                self.put(view, f"{section}.majority", data.majority(probe))
                texts = [each.text for each, use in zip(data.sentences, probe.used, strict=True) if use]
                self.keep(view, section, f"accuracy{suffix}", a=texts, score=right)


def build_dataset(held: list[Row]) -> ProbeDataset:
    """Label sentences; add, for half of them, a copy with a shifted bigram. Classes are ``balanced``.

    A probe of one class, or without a training row in some fold, is left out. Raises SynsemError if there are
    too few documents to hold some out, or no probe is left.
    """
    documents = sorted({row["doc_id"] for row in held}, key=lambda doc_id: stable_hash(SEED, "fold", doc_id))
    if len(documents) < FOLDS:
        raise SynsemError(f"probes need {FOLDS} test documents (got {len(documents)}); use more documents")
    fold_of = {doc_id: place % FOLDS for place, doc_id in enumerate(documents)}
    sentences, folds = [Sentence.from_row(row) for row in held], [fold_of[row["doc_id"]] for row in held]
    labels: dict[str, list[str | None]] = {
        name: [label(sentence) for sentence in sentences] for name, label in LABELS.items()
    }
    labels["top_constituents"] = list(most_frequent([str(label) for label in labels["top_constituents"]]))
    shift: list[str | None] = ["original"] * len(sentences)
    present = {sentence.text for sentence in sentences}
    for position, row in enumerate(held):
        if stable_hash(SEED, "shift or not", row["sent_id"]) % 2 == 0:
            continue
        shifted = shift_bigram(sentences[position])
        if shifted is not None and shifted.text not in present:
            sentences.append(shifted)
            folds.append(folds[position])
            shift[position] = None  # a sentence stands on one side only, as in SentEval
            shift.append("shifted")
    labels["bigram_shift"] = shift
    texts = [sentence.text for sentence in sentences]
    data = ProbeDataset(sentences, np.array(folds))
    for name, column in labels.items():
        column = balanced([*column, *[None] * (len(sentences) - len(column))], texts)
        classes = sorted({label for label in column if label is not None})
        numbers = np.array([NONE if label is None else classes.index(label) for label in column])
        probe = Probe(name, classes, numbers)
        if len(classes) < 2:
            print(f"probe {name}: left out, as all its sentences have one label", file=sys.stderr)
        elif not all(data.training(probe, fold).any() for fold in range(FOLDS)):
            count = int(probe.used.sum())
            print(f"probe {name}: left out, as its {count} sentences are too few", file=sys.stderr)
        else:
            data.probes.append(probe)
    if not data.probes:
        raise SynsemError("no probe has enough sentences with two labels; use more documents")
    return data


def cross_fit(
    vectors: NDArray[np.float32], data: ProbeDataset, classifier: Classifier
) -> list[NDArray[np.float64]]:
    """Return for each probe and each of its rows 1 if the classifier that never saw its document is right."""
    settings = PROBE_SETTINGS[classifier]
    problems = [
        Problem(np.maximum(probe.labels, 0), data.training(probe, fold), setting, len(probe.classes))
        for probe in data.probes
        for fold in range(FOLDS)
        for setting in settings
    ]
    predicted = Fitter(scaled(vectors), classifier).predict(problems)
    predicted = predicted.reshape(len(data.probes), FOLDS, len(settings), -1)
    results = []
    for probe, by_fold in zip(data.probes, predicted, strict=True):
        right = np.zeros(len(probe.labels))
        for fold, by_setting in enumerate(by_fold == probe.labels):  # bool [settings, rows]
            tuning, tested = probe.used & (data.folds == (fold + 1) % FOLDS), data.folds == fold
            right[tested] = by_setting[best_setting(by_setting[:, tuning].sum(axis=1)), tested]
        results.append(right[probe.used])
    return results
