"""Pairs of sentences that share most of their words: an exact set-similarity join.

With words ordered from rare to frequent, two sets of Jaccard similarity t or more must share a word among the
first |x| - ceil(t·|x|) + 1 of each (prefix filter, Chaudhuri et al. 2006; Bayardo et al. 2007). An inverted
index over these prefixes yields few candidates, and every candidate is checked, so nothing is missed.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Overlap(NamedTuple):
    """Rows ``a`` < ``b`` and the Jaccard similarity of their word sets."""

    a: int
    b: int
    jaccard: float


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """|a ∩ b| / |a ∪ b|; 0 where both are empty."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def overlapping(texts: Sequence[frozenset[str]], threshold: float) -> Iterator[Overlap]:
    """Every pair of word sets with Jaccard similarity ``threshold`` (above 0) or more, in order of ``b``."""
    frequency = Counter(word for words in texts for word in words)
    prefixes: dict[str, list[int]] = defaultdict(list)
    for b, words in enumerate(texts):
        if not words:
            continue
        rare_first = sorted(words, key=lambda word: (frequency[word], word))
        candidates: set[int] = set()
        # The tiny slack keeps 0.6 * 5 = 3.0000000000000004 from counting as 4.
        for word in rare_first[: len(words) - math.ceil(threshold * len(words) - 1e-9) + 1]:
            candidates.update(prefixes[word])
            prefixes[word].append(b)
        for a in sorted(candidates):
            smaller, larger = sorted((len(texts[a]), len(words)))
            if smaller >= threshold * larger - 1e-9:
                similarity = jaccard(texts[a], words)
                if similarity >= threshold - 1e-9:
                    yield Overlap(a, b, similarity)
