"""The sketch: a vector of who does what, from ordered pairs of content words, and the joint view with it.

Pairs of words at most ``reach`` apart in canonical order are counted. Signed feature hashing (Weinberger et
al. 2009) maps the counts to a fixed number of dimensions, so that the cosine of two sketches is, but for
collisions, the cosine of the counts. It is a tree kernel as a vector, like distributed tree kernels
(Zanzotto & Dell'Arciprete 2012). Nothing is trained.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipeline.nn.tree_controls import TreeControl, control_heads
from pipeline.params import Sketch
from pipeline.syntax import canonical
from pipeline.syntax.canonical import canonical_order
from pipeline.syntax.sentence import HasTree, Side

Order = Literal["tree", "surface"] | TreeControl
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads whatever it multiplies


def sketch(
    sentences: Sequence[HasTree], dimensions: int, reach: int, order: Order = "tree"
) -> NDArray[np.float32]:
    """Unit vectors, float32 [n, dimensions]; zero where a sentence has fewer than two content words.

    ``order`` is that of the content words: canonical order by the tree, or a control, which is their order in
    the text or by another tree (``tree_controls``). Raises SynsemError where a sentence has no labels.
    """
    orders = [content_words(sentence, order) for sentence in sentences]
    lemmas = (
        canonical.lemma(sentence, word)
        for sentence, words in zip(sentences, orders, strict=True)
        for word in words
    )
    numbers = _numbers(lemmas)
    lengths = np.array([len(words) for words in orders], dtype=np.int64)
    row = np.repeat(np.arange(len(sentences)), lengths)  # of each content word
    found = np.zeros((len(sentences), dimensions), dtype=np.float32)
    for gap in range(1, reach + 1):
        pairs = np.flatnonzero(row[:-gap] == row[gap:])  # where both words are of one sentence
        hashed = _mix(_mix(numbers[pairs]) + numbers[pairs + gap])
        place = (hashed >> np.uint64(1)) % np.uint64(dimensions)
        sign = np.where(hashed & np.uint64(1), np.float32(1), np.float32(-1))
        np.add.at(found, (row[pairs], place.astype(np.int64)), sign)
    norm = np.linalg.norm(found, axis=1, keepdims=True)
    return np.divide(found, norm, out=found, where=norm > 0)


def join(parts: Iterable[NDArray[np.float32]], weights: Iterable[float]) -> NDArray[np.float32]:
    """Unit vectors, float32 [n, sum of widths]: the parts concatenated, each multiplied by its weight.

    For unit parts, the cosine of two such vectors is the mean of the parts' cosines, weighted by the squared
    weights.
    """
    whole = np.concatenate(
        [part * np.float32(weight) for part, weight in zip(parts, weights, strict=True)], axis=1
    )
    return whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-12)


def with_joint(
    views: dict[str, NDArray[np.float32]], sentences: Sequence[HasTree], params: Sketch | None
) -> dict[str, NDArray[np.float32]]:
    """The views, and ``joint``: all views with equal weight, and the sketch where ``params`` are given.

    A single view without a sketch gets no joint view.
    """
    if params is None and len(views) == 1:
        return views
    parts, weights = list(views.values()), [len(views) ** -0.5] * len(views)
    if params is not None:
        parts.append(sketch(sentences, params.dimensions, params.reach, params.order))
        weights.append(params.weight)
    return views | {"joint": join(parts, weights)}


def content_words(
    sentence: HasTree, order: Order, read: Callable[[HasTree], list[int]] = canonical_order
) -> list[int]:
    """Numbers of a sentence's content words, 0-based, in the given order; see ``sketch``.

    ``read`` orders the words by a tree: the sentence's own, or one with a control's heads. In any control
    each word keeps its relation, so that the content words are the same and their order alone differs.
    """
    if order == "surface":
        return sorted(read(sentence))
    if order == "tree":
        return read(sentence)
    return read(Side.of(sentence)._replace(heads=control_heads(sentence.heads, sentence.text, order)))


def _numbers(words: Iterable[str]) -> NDArray[np.uint64]:
    """A 64-bit number for each word: equal for equal words, on any machine."""
    known: dict[str, int] = {}
    numbers = []
    for word in words:
        if word not in known:
            known[word] = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
        numbers.append(known[word])
    return np.array(numbers, dtype=np.uint64)


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of 64-bit numbers, one to one (the finaliser of splitmix64)."""
    x = (numbers + _ODD) * _ODD
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
