"""Similarities of two sentences beside the cosine of their vectors: agreement of trees, order of words.

``structural_scores`` is the symbolic baseline of pair tasks: no model, nothing trained. The others are
columns for the classifier of the view ``combined``. A similarity is one number a pair, so a few thousand
labelled pairs are enough to weigh them; a classifier on vectors has to learn the weight of each dimension.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.evaluation.data import Benchmarks
from pipeline.evaluation.transfer import standardised
from pipeline.syntax.role_order import role_order
from pipeline.syntax.roles import lemma
from pipeline.syntax.sentence import HasTree
from pipeline.syntax.structural_similarity import structural_similarity, triples
from pipeline.systems.base import Views

STRUCTURAL = "structural_agreement"  # the view of the symbolic baseline
COMBINED = "combined"  # the view of the classifier on similarities
REACHES = (1, 2, 3, 5, None)  # content words at most so far apart are a pair; None: any two
# Words of sentences whose pairs are counted in a table of all pairs; of long texts it is too large.
_SHORT = 64
Pairs = tuple[Sequence[HasTree], Sequence[HasTree]]
Order = Literal["tree", "surface"]


def structural_scores(
    benchmarks: Benchmarks, firsts: Sequence[str], seconds: Sequence[str]
) -> NDArray[np.float64]:
    """Conditional structural agreement of n pairs, float64 [n]; SynsemError where a text has no tree."""
    texts = sorted({*firsts, *seconds})
    benchmarks.demand_trees(texts)
    known = {text: triples(benchmarks.trees[text]) for text in texts}
    return np.array([structural_similarity(known[a], known[b]) for a, b in zip(firsts, seconds, strict=True)])


def word_similarities(
    pairs: Pairs, views: tuple[Views, Views], surface: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What needs no tree, [n, 7].

    The columns are the cosine of the semantic views, the share of words in common, and ``ordered_pairs`` in
    surface order.
    """
    first, second = views
    columns = [metrics.cosines(first["semantic"], second["semantic"]), _word_overlap(pairs)]
    return np.column_stack([*columns, surface])


def tree_similarities(
    views: tuple[Views, Views],
    late: NDArray[np.float32] | None,
    structural: NDArray[np.float64],
    by_tree: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The columns that a model that reads trees adds, [n, k].

    These are the cosines of the other views, late interaction where the model has it, ``structural_scores``,
    and ``ordered_pairs`` in the tree's order.
    """
    first, second = views
    columns: list[NDArray[np.floating]] = [
        metrics.cosines(first[view], second[view]) for view in first if view != "semantic"
    ]
    if late is not None:
        columns.append(late)
    return np.column_stack([*columns, structural, by_tree])


def with_products(columns: NDArray[np.float64], fitted: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The columns, ``standardised`` by ``fitted``, with squares and products, [n, k + k (k + 1) / 2]."""
    standard = standardised(columns, fitted)
    i, j = np.triu_indices(standard.shape[1])
    return np.concatenate([standard, standard[:, i] * standard[:, j]], axis=1).astype(np.float32)


def ordered_pairs(pairs: Pairs) -> dict[Order, NDArray[np.float64]]:
    """Cosine of the counts of ordered pairs of content lemmas, by reach, [n, len(REACHES)], in each order.

    The tree's order is ``role_order``. 0 where a sentence has fewer than two content words. Two sentences of
    one text share the tree of the first.
    """
    sides = list(zip(*pairs, strict=True))
    distinct: dict[str, HasTree] = {}
    for sentence in chain.from_iterable(sides):
        distinct.setdefault(sentence.text, sentence)
    by_tree = {text: role_order(sentence) for text, sentence in distinct.items()}
    orders: dict[Order, dict[str, list[int]]] = {
        "tree": by_tree,
        "surface": {text: sorted(words) for text, words in by_tree.items()},
    }

    def cosines(a: HasTree, b: HasTree, words: dict[str, list[int]]) -> NDArray[np.float64]:
        return _cosines(*([lemma(side, word) for word in words[side.text]] for side in (a, b)))

    return {order: np.array([cosines(a, b, words) for a, b in sides]) for order, words in orders.items()}


def _cosines(a: list[str], b: list[str]) -> NDArray[np.float64]:
    """Cosine of the counts of ordered pairs of lemmas, by reach, [len(REACHES)]."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys([*a, *b]))}
    (x, near_x), (y, near_y) = (
        _pairs(np.array([numbers[word] for word in side], dtype=np.int64), len(numbers)) for side in (a, b)
    )
    kinds = len(numbers) ** 2
    if len(numbers) > _SHORT:  # few of all pairs of lemmas occur in either
        known, each = np.unique(np.concatenate([x, y]), return_inverse=True)
        x, y, kinds = each[: len(x)], each[len(x) :], len(known)
    first, second = _counts(x, near_x, kinds), _counts(y, near_y, kinds)
    norms = np.sqrt((first * first).sum(axis=1) * (second * second).sum(axis=1))
    return np.divide((first * second).sum(axis=1), norms, out=np.zeros(len(REACHES)), where=norms > 0)


def _pairs(words: NDArray[np.int64], vocabulary: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number for each ordered pair of ``words``, the same for the same two, and the first reach to have it.

    Of ``words`` each is below ``vocabulary``.
    """
    first, second, least = (_kept_places if len(words) <= _SHORT else _places)(len(words))
    return words[first] * vocabulary + words[second], least


def _places(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The places of both words of each pair of ``count`` words, and which reach is the first to have it."""
    first, second = np.triu_indices(count, 1)
    return first, second, np.searchsorted([reach for reach in REACHES if reach], second - first)


_kept_places = cache(_places)


def _counts(pairs: NDArray[np.int64], least: NDArray[np.int64], kinds: int) -> NDArray[np.int64]:
    """How often each kind of pair occurs, for each reach, [len(REACHES), kinds]."""
    counts = np.bincount(least * kinds + pairs, minlength=len(REACHES) * kinds)
    return counts.reshape(len(REACHES), -1).cumsum(axis=0)


def _word_overlap(pairs: Pairs) -> NDArray[np.float64]:
    found = []
    for a, b in zip(*pairs, strict=True):
        x, y = ({word.lower() for word in side.words} for side in (a, b))
        found.append(len(x & y) / len(x | y))
    return np.array(found)
