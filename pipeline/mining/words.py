"""Words as mining compares them: two texts are equal, alike, or one holds the other."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.mining.overlap import jaccard
from pipeline.sentences import normalised

Bag = frozenset[str]


def bag(words: Iterable[str]) -> Bag:
    """The distinct words of a sentence: case apart, punctuation left out."""
    return frozenset(word.casefold() for word in words if any(map(str.isalnum, word)))


def overlap(a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
    """Jaccard similarity of the words of two sides (``store.SIDE``), 0 to 1."""
    return jaccard(bag(a["words"]), bag(b["words"]))


def same_text(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two sides have one text, case and spacing apart."""
    return normalised(a["text"]) == normalised(b["text"])


def contained(a: Bag, b: Bag) -> bool:
    """Whether all words of one stand in the other."""
    return a <= b or b <= a
