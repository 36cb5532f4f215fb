"""A vector for who does what: ordered pairs of content words, hashed.

The pairs of words that stand at most ``reach`` apart in canonical order are counted, and the counts folded
into a fixed number of dimensions by signed feature hashing (Weinberger et al. 2009), so that the cosine of
two sketches is, but for collisions, the cosine of the counts: a kernel on trees as a plain vector, as in
distributed tree kernels (Zanzotto & Dell'Arciprete 2012). Nothing is trained.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipeline import roles
from pipeline.canonical import canonical_order
from pipeline.nn.tokens import shuffle
from pipeline.params import Sketch
from pipeline.sentences import HasTree, Side

Order = Literal["tree", "surface", "shuffled"]
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads whatever it multiplies


def sketch(
    sentences: Sequence[HasTree], dimensions: int, reach: int, order: Order = "tree"
) -> NDArray[np.float32]:
    """Unit vectors, float32 [n, dimensions]; zero where a sentence has fewer than two content words.

    ``order`` is that of the content words: by the tree, as they stand, or by a tree whose words are shuffled
    (the controls). Raises SynsemError where a sentence carries no labels.
    """
    found = np.zeros((len(sentences), dimensions), dtype=np.float32)
    known: dict[str, int] = {}
    for row, sentence in enumerate(sentences):
        words = _numbers((roles.lemma(sentence, word) for word in content_words(sentence, order)), known)
        for gap in range(1, min(reach, len(words) - 1) + 1):
            hashed = _mix(_mix(words[:-gap]) + words[gap:])
            place = (hashed >> np.uint64(1)) % np.uint64(dimensions)
            sign = np.where(hashed & np.uint64(1), np.float32(1), np.float32(-1))
            np.add.at(found[row], place.astype(np.int64), sign)
    norm = np.linalg.norm(found, axis=1, keepdims=True)
    return np.divide(found, norm, out=found, where=norm > 0)


def join(parts: Iterable[NDArray[np.float32]], weights: Iterable[float]) -> NDArray[np.float32]:
    """Parts side by side, each scaled by its weight, as unit vectors, float32 [n, sum of widths].

    The cosine of two joined vectors is the mean of their parts' cosines by squared weight, for unit parts.
    """
    whole = np.concatenate(
        [part * np.float32(weight) for part, weight in zip(parts, weights, strict=True)], axis=1
    )
    return whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-12)


def with_joint(
    views: dict[str, NDArray[np.float32]], sentences: Sequence[HasTree], rule: Sketch | None
) -> dict[str, NDArray[np.float32]]:
    """The views and ``joint``: all of them in equal parts, and the sketch where there is a rule.

    One view and no rule make no joint.
    """
    if rule is None and len(views) == 1:
        return views
    parts, weights = list(views.values()), [len(views) ** -0.5] * len(views)
    if rule is not None:
        parts.append(sketch(sentences, rule.dimensions, rule.reach, rule.order))
        weights.append(rule.weight)
    return views | {"joint": join(parts, weights)}


def content_words(sentence: HasTree, order: Order) -> list[int]:
    """Positions of the content words of a sentence, 0-based, in an order; see ``sketch``."""
    if order == "surface":
        return sorted(canonical_order(sentence))
    if order == "shuffled":
        mixed = Side.of(sentence)._replace(heads=shuffle(sentence.heads, sentence.text))
        return canonical_order(mixed)
    return canonical_order(sentence)


def _numbers(words: Iterable[str], known: dict[str, int]) -> NDArray[np.uint64]:
    """A 64-bit number for each word: equal for equal words, on any machine."""
    numbers = []
    for word in words:
        if word not in known:
            known[word] = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
        numbers.append(known[word])
    return np.array(numbers, dtype=np.uint64)


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A permutation of 64-bit numbers that leaves no trace of their order (the finaliser of splitmix64)."""
    x = (numbers + _ODD) * _ODD
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
