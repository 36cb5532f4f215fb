"""Scores of a pair that read no structure: what they tell of ``same`` and ``different`` must be little.

``jaccard`` is the word sets' overlap, ``bigrams`` that of the sets of neighbouring words, ``direction`` the
cosine of signed counts of pairs of content words, + where they stand in alphabetical order and - in the
other: a swap gives -1. ``direction`` compares base forms of words at most ``REACH`` content words apart.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import sqrt

REACH = 4
# Words of the frames that carry no content of their own.
_FUNCTION_WORDS = (
    "a after all an and are as at be because been before being both but by did do does each "
    "either every for from going got had has have herself himself how if in into is it its "
    "least less more most neither no nobody not of off on once one ones only or other out so "
    "some than that the then there this to unless until up was were what when whenever which "
    "while who whom why will with without would"
)
_FUNCTION = frozenset(_FUNCTION_WORDS.split())


# Each score of a pair, and the generator, asks for the words of the same few sentences.
@lru_cache(maxsize=8)
def words(text: str) -> tuple[str, ...]:
    """The words in lower case, without punctuation; ``'s`` is a word."""
    return tuple(re.findall(r"[a-z]+|'s", text.lower()))


def _overlap(a: set[object], b: set[object]) -> float:
    return len(a & b) / len(a | b)


def jaccard(a: str, b: str) -> float:
    """Overlap of the word sets, 0 to 1."""
    return _overlap(set(words(a)), set(words(b)))


def bigrams(a: str, b: str) -> float:
    """Overlap of the sets of two neighbouring words, 0 to 1."""
    return _overlap(set(pairwise(words(a))), set(pairwise(words(b))))


def direction(a: str, b: str, lemmas: Mapping[str, str]) -> float:
    """Cosine of the signed counts of ordered pairs of content words, -1 to 1; 0 where a sentence has none."""
    one, other = _signed(_content(a, lemmas)), _signed(_content(b, lemmas))
    norm = sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
    return sum(count * other.get(pair, 0) for pair, count in one.items()) / norm if norm else 0.0


def _content(text: str, lemmas: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(lemmas.get(word, word) for word in words(text) if word not in _FUNCTION and word != "'s")


@lru_cache(maxsize=8)
def _signed(content: tuple[str, ...]) -> Mapping[tuple[str, str], int]:
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    for place, word in enumerate(content):
        for later in content[place + 1 : place + 1 + REACH]:
            if word < later:
                counts[word, later] += 1
            elif later < word:
                counts[later, word] -= 1
    return counts


def scores(a: str, b: str, lemmas: Mapping[str, str]) -> Sequence[float]:
    """The three scores of a pair."""
    return jaccard(a, b), bigrams(a, b), direction(a, b, lemmas)


NAMES = ("jaccard", "bigrams", "direction")
