"""Attachment scores (UAS, LAS) of predicted trees against gold trees over the same words.

They are counted as in the CoNLL 2018 shared task (Zeman et al. 2018), and are the figures of its script: UAS
counts words with the right head, LAS words with the right head and universal relation (without subtype),
punctuation included.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import universal


class Attachment(NamedTuple):
    """Scores in points over ``words`` words."""

    uas: float  # right head
    las: float  # right head and universal relation: the shared task's LAS
    las_full: float  # right head and relation with its subtype
    upos: float
    words: int


@dataclass(frozen=True)
class Comparison:
    """What is right about each word, bool [n], and what the word is; n words of all sentences, in order."""

    head: NDArray[np.bool_]
    universal: NDArray[np.bool_]  # head and universal relation
    full: NDArray[np.bool_]  # head and relation with its subtype
    upos: NDArray[np.bool_]
    punctuation: NDArray[np.bool_]  # by the gold tag; for untagged words, by the gold relation
    sentence: NDArray[np.int64]  # number of the word's sentence

    def score(self, words: NDArray[np.bool_] | None = None) -> Attachment:
        """Return the scores over all words, or over those of the mask ``words`` [n]; 0 for no words."""
        columns = (self.head, self.universal, self.full, self.upos)
        count = len(self.head) if words is None else int(words.sum())
        correct = [(column if words is None else column[words]).sum() for column in columns]
        uas, las, full, upos = (float(100 * number / max(1, count)) for number in correct)
        return Attachment(uas, las, full, upos, count)

    def without_punctuation(self) -> Attachment:
        """Return the scores over the words that are not punctuation."""
        return self.score(~self.punctuation)

    def per_sentence(self) -> NDArray[np.float64]:
        """Return the LAS of every sentence in points, float64 [sentences]; for significance tests."""
        count = np.bincount(self.sentence)
        return 100 * np.bincount(self.sentence, self.universal, len(count)) / np.maximum(1, count)


def compare(gold: Sequence[Sentence], predicted: Sequence[Sentence]) -> Comparison:
    """Compare predicted trees with gold trees of the same words; raises ValueError if the words differ."""
    for expected, given in zip(gold, predicted, strict=True):
        if list(expected.words) != list(given.words):
            raise ValueError(f"not the same words: {expected.text!r}")
    heads = _flat(gold, "heads") == _flat(predicted, "heads")
    relations, guesses = _flat(gold, "deprels"), _flat(predicted, "deprels")
    gold_universal = np.array(list(map(universal, relations)), dtype=np.str_)
    predicted_universal = np.array(list(map(universal, guesses)), dtype=np.str_)
    tags = _flat(gold, "upos")
    return Comparison(
        head=heads,
        universal=heads & (gold_universal == predicted_universal),
        full=heads & (relations == guesses),
        upos=tags == _flat(predicted, "upos"),
        punctuation=(tags == "PUNCT") | ((tags == "") & (gold_universal == "punct")),
        sentence=np.repeat(np.arange(len(gold)), [len(each.words) for each in gold]),
    )


def _flat(sentences: Sequence[Sentence], field: str) -> NDArray[np.generic]:
    """One column over all words; 0 or the empty string if a sentence lacks it."""
    values: list[int | str] = []
    blank: int | str = 0 if field == "heads" else ""
    for sentence in sentences:
        column = getattr(sentence, field)
        values.extend(column if len(column) else [blank] * len(sentence.words))
    return np.array(values, dtype=np.int64 if field == "heads" else np.str_)
