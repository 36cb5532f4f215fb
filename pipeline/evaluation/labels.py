"""Probe labels read off a parsed sentence, after the SentEval probes (Conneau et al. 2018), and the shifted
bigram.

The originals label trees of a constituency parser. Here depth is that of the dependency tree and constituents
are derived from it where none were given, so the numbers do not compare with SentEval's.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pipeline import constituency, trees
from pipeline.seeding import generator
from pipeline.sentences import Sentence

Label = Callable[[Sentence], str | None]
DEEPEST = 9
SHALLOWEST = 2
FARTHEST = 8
FREQUENT_TOPS = 9  # besides "other"


def tree_depth(sentence: Sentence) -> str:
    """Edges from the root to the deepest word, from 2 to 9; beyond these the nearest class."""
    return str(int(np.clip(trees.depths(sentence.heads).max(), SHALLOWEST, DEEPEST)))


def tree_distance(sentence: Sentence) -> str | None:
    """Edges between the first and the last word that is no punctuation, from 1 to 8 and more.

    SSCP's "syntactic tree distance" is not defined there; this is the distance that a sentence vector can be
    asked for without naming words in it. None for a sentence of one word.
    """
    words = [word for word, tag in enumerate(sentence.upos) if tag != "PUNCT"]
    if len(words) < 2:
        return None
    return str(min(int(trees.distances(sentence.heads)[words[0], words[-1]]), FARTHEST))


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
        if head == root and deprel.split(":")[0] == relation
    ]
    if len(found) != 1 or sentence.upos[found[0]] != "NOUN":
        return None
    features = sentence.feats[found[0]].split("|")
    return next((value for value in ("Sing", "Plur") if f"Number={value}" in features), None)


def top_constituents(sentence: Sentence) -> str:
    """The phrases right below the clause, as in SentEval: ``NP VP .``; of given constituents or derived."""
    return " ".join(constituency.top_constituents(constituency.constituents(sentence)))


def most_frequent(labels: Sequence[str], keep: int = FREQUENT_TOPS) -> list[str]:
    """The labels with all but the ``keep`` most frequent replaced by ``other``; ties by name."""
    counted = sorted(Counter(labels).items(), key=lambda item: (-item[1], item[0]))
    frequent = {label for label, _ in counted[:keep]}
    return [label if label in frequent else "other" for label in labels]


def shift_bigram(sentence: Sentence, seed: int) -> Sentence | None:
    """The sentence with two neighbouring words in each other's place; None where no pair can be swapped.

    The swapped words differ, are no punctuation and not the first word. The tree keeps its shape: the words
    change places in it, so its shape alone does not give the shift away to an encoder that reads trees.
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
