"""Attachment scores of trees against gold trees of the same words.

As the CoNLL 2018 shared task counts them (Zeman et al. 2018), whose official script gives the same figures:
UAS counts words with the right head, LAS those with the right head and universal relation (subtypes left
out), punctuation included. Beside them stand the stricter and the older habits of the literature.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.sentences import HasTree

LENGTHS = (10, 20, 30, 40)  # words; sentences up to each, and those beyond the last, are scored apart


class Attachment(NamedTuple):
    """In points, over ``words`` words."""

    uas: float  # right head
    las: float  # right head and universal relation: the shared task's LAS
    las_full: float  # right head and relation with its subtype
    upos: float
    words: int


@dataclass(frozen=True)
class Comparison:
    """What is right of every word, bool [n] each, and what the word is, over all sentences in order."""

    head: NDArray[np.bool_]
    universal: NDArray[np.bool_]  # head and universal relation
    full: NDArray[np.bool_]  # head and relation
    upos: NDArray[np.bool_]
    punctuation: NDArray[np.bool_]  # by the gold tag, or the gold relation where there is no tag
    relation: NDArray[np.str_]  # gold, universal
    sentence: NDArray[np.int64]  # number of the word's sentence
    length: NDArray[np.int64]  # words of its sentence

    def score(self, words: NDArray[np.bool_] | None = None) -> Attachment:
        """Over all words, or over those that a mask [n] picks; 0 where there is none."""
        columns = (self.head, self.universal, self.full, self.upos)
        count = len(self.head) if words is None else int(words.sum())
        rights = [(column if words is None else column[words]).sum() for column in columns]
        uas, las, full, upos = (float(100 * right / max(1, count)) for right in rights)
        return Attachment(uas, las, full, upos, count)

    def without_punctuation(self) -> Attachment:
        """Over the words that are no punctuation."""
        return self.score(~self.punctuation)

    def by_relation(self) -> dict[str, Attachment]:
        """For each gold universal relation."""
        return {str(name): self.score(self.relation == name) for name in np.unique(self.relation)}

    def by_length(self, lengths: Sequence[int] = LENGTHS) -> dict[str, Attachment]:
        """For sentences of up to so many words: ``"1-10"`` ... ``"41-"``, empty groups left out."""
        found = {}
        for low, high in zip((0, *lengths), (*lengths, None), strict=True):
            mask = (self.length > low) & (self.length <= (high or np.inf))
            if mask.any():
                found[f"{low + 1}-{high or ''}"] = self.score(mask)
        return found

    def per_sentence(self) -> NDArray[np.float64]:
        """LAS of every sentence in points, float64 [sentences]; for tests of significance."""
        count = np.bincount(self.sentence)
        return 100 * np.bincount(self.sentence, self.universal, len(count)) / np.maximum(1, count)


def compare(gold: Sequence[HasTree], found: Sequence[HasTree]) -> Comparison:
    """Hold parses against gold trees, sentence by sentence. Raises ValueError where the words differ."""
    for right, guess in zip(gold, found, strict=True):
        if list(right.words) != list(guess.words):
            raise ValueError(f"not the same words: {right.text!r}")
    heads = _flat(gold, "heads") == _flat(found, "heads")
    relations, guesses = _flat(gold, "deprels"), _flat(found, "deprels")
    universal = np.array([relation.partition(":")[0] for relation in relations], dtype=np.str_)
    universal_guesses = np.array([relation.partition(":")[0] for relation in guesses], dtype=np.str_)
    tags = _flat(gold, "upos")
    lengths = np.array([len(each.words) for each in gold], dtype=np.int64)
    return Comparison(
        head=heads,
        universal=heads & (universal == universal_guesses),
        full=heads & (relations == guesses),
        upos=tags == _flat(found, "upos"),
        punctuation=(tags == "PUNCT") | ((tags == "") & (universal == "punct")),
        relation=universal,
        sentence=np.repeat(np.arange(len(lengths)), lengths),
        length=np.repeat(lengths, lengths),
    )


def _flat(sentences: Sequence[HasTree], field: str) -> NDArray[np.generic]:
    """One column of all words; where a sentence lacks it, 0 or the empty string stand in."""
    values: list[int | str] = []
    blank: int | str = 0 if field == "heads" else ""
    for sentence in sentences:
        column = getattr(sentence, field)
        values.extend(column if len(column) else [blank] * len(sentence.words))
    return np.array(values, dtype=np.int64 if field == "heads" else np.str_)
