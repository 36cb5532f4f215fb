"""Label sentences for probes by their parse, after the SentEval probes (Conneau et al. 2018).

The originals take their labels from a constituency parser. Here depth is that of the dependency tree, and
constituents are derived from it where none were given. So the numbers do not compare with SentEval's.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pipeline.core.seeding import generator, stable_hash
from pipeline.syntax import constituency
from pipeline.syntax.relations import universal
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree

Label = Callable[[Sentence], str | None]
DEEPEST = 9
SHALLOWEST = 2
FARTHEST = 8
FREQUENT_TOPS = 9  # besides "other"


def tree_depth(sentence: Sentence) -> str:
    """Edges from the root to the deepest word, clipped to 2 and 9."""
    return str(int(np.clip(DependencyTree(sentence.heads).depths().max(), SHALLOWEST, DEEPEST)))


def tree_distance(sentence: Sentence) -> str | None:
    """Edges between the first and the last word that is no punctuation, from 1 to 8 and more.

    The SSCP paper does not define its "syntactic tree distance". This one can be asked of a sentence vector,
    as it names no words. None for a sentence of one word.
    """
    words = [word for word, tag in enumerate(sentence.upos) if tag != "PUNCT"]
    if len(words) < 2:
        return None
    return str(min(int(DependencyTree(sentence.heads).distances()[words[0], words[-1]]), FARTHEST))


def subject_number(sentence: Sentence) -> str | None:
    """Sing or Plur of the root's nominal subject; None where there is not exactly one common noun."""
    return _number(sentence, "nsubj")


def object_number(sentence: Sentence) -> str | None:
    """Sing or Plur of the root's direct object; None where there is not exactly one common noun."""
    return _number(sentence, "obj")


def _number(sentence: Sentence, relation: str) -> str | None:
    root = sentence.heads.index(0) + 1
    found = [
        word
        for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True))
        if head == root and universal(deprel) == relation
    ]
    if len(found) != 1 or sentence.upos[found[0]] != "NOUN":
        return None
    features = sentence.feats[found[0]].split("|")
    return next((value for value in ("Sing", "Plur") if f"Number={value}" in features), None)


def top_constituents(sentence: Sentence) -> str:
    """The phrases right below the clause, as in SentEval (``NP VP .``), of constituents given or derived."""
    return " ".join(constituency.top_constituents(constituency.constituents(sentence)))


def most_frequent(labels: Sequence[str], keep: int = FREQUENT_TOPS) -> list[str]:
    """The labels with all but the ``keep`` most frequent replaced by ``other``; ties by name."""
    counted = sorted(Counter(labels).items(), key=lambda item: (-item[1], item[0]))
    frequent = {label for label, _ in counted[:keep]}
    return [label if label in frequent else "other" for label in labels]


def balanced(labels: Sequence[str | None], texts: Sequence[str], seed: int) -> list[str | None]:
    """The labels, None for some of the most frequent: no class has more rows than the second most frequent.

    Two classes are then equal, and always naming one of many is of little use. Which rows stay is a function
    of their texts.
    """
    counts = Counter(label for label in labels if label is not None).most_common(2)
    if len(counts) < 2:
        return list(labels)
    (label, _), (_, kept) = counts
    rows = [row for row, each in enumerate(labels) if each == label]
    rows = sorted(rows, key=lambda row: (stable_hash(seed, "balanced", texts[row]), row))
    dropped = set(rows[kept:])
    return [None if row in dropped else each for row, each in enumerate(labels)]


def shift_bigram(sentence: Sentence, seed: int) -> Sentence | None:
    """The sentence with two neighbouring words swapped; None where no pair can be swapped.

    The words differ, are no punctuation, and neither is the first. They change places in the tree, too: it
    keeps its shape, so that the shape does not reveal the swap to an encoder that reads trees.
    """
    places = [
        place
        for place in range(1, len(sentence) - 1)
        if "PUNCT" not in sentence.upos[place : place + 2]
        and sentence.words[place].lower() != sentence.words[place + 1].lower()
        and all(word.isalpha() for word in sentence.words[place : place + 2])
    ]
    if not places:
        return None
    place = int(generator(seed, "bigram shift", sentence.text).choice(places))
    words = list(sentence.words)
    words[place], words[place + 1] = words[place + 1], words[place]
    return replace(sentence, words=tuple(words))


# Probes of the sentence as it is; bigram shift is built from pairs by ``probes``.
LABELS: dict[str, Label] = {
    "tree_depth": tree_depth,
    "tree_distance": tree_distance,
    "subject_number": subject_number,
    "object_number": object_number,
    "top_constituents": top_constituents,
}
