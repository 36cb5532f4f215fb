"""A classifier on all that two sentences have in common: views, late interaction, trees, order of words.

Nothing but the classifier is trained; a similarity is one number a pair, so a few thousand labelled pairs are
enough to weigh them, where a classifier on vectors has to learn each dimension's part.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation import metrics
from pipeline.evaluation.bank import Scores
from pipeline.evaluation.embedders import Vectors
from pipeline.nn.sketch import content_words
from pipeline.roles import lemma
from pipeline.sentences import HasTree

VIEW = "combined"
REACHES = (1, 2, 3, 5, None)  # content words that stand at most so far apart are a pair; None: any two
Pairs = tuple[Sequence[HasTree], Sequence[HasTree]]


def of_words(pairs: Pairs, views: tuple[Vectors, Vectors]) -> NDArray[np.float64]:
    """What needs no tree, [n, 7]: the cosine of the semantic views, the share of words in common, and
    the ordered pairs of content words as they stand.
    """
    first, second = views
    columns = [metrics.cosines(first["semantic"], second["semantic"]), _in_common(pairs)]
    return np.column_stack([*columns, ordered_pairs(pairs, "surface")])


def of_trees(
    pairs: Pairs, views: tuple[Vectors, Vectors], late: Scores | None, agreed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The cosines of the other views, late interaction where the model has it, agreement of the trees (from
    ``structure.structural_scores``), and the ordered pairs of content words in the tree's order, [n, k].
    """
    first, second = views
    columns: list[NDArray[np.floating]] = [
        metrics.cosines(first[view], second[view]) for view in first if view != "semantic"
    ]
    if late is not None:
        columns.append(late)
    return np.column_stack([*columns, agreed, ordered_pairs(pairs, "tree")])


def with_products(columns: NDArray[np.float64], fitted: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The columns, standardised by the ``fitted`` rows, with squares and products, [n, k + k (k + 1) / 2]."""
    spread = np.maximum(columns[fitted].std(axis=0), 1e-9)
    standard = (columns - columns[fitted].mean(axis=0)) / spread
    i, j = np.triu_indices(standard.shape[1])
    return np.concatenate([standard, standard[:, i] * standard[:, j]], axis=1).astype(np.float32)


def ordered_pairs(pairs: Pairs, order: Literal["tree", "surface"]) -> NDArray[np.float64]:
    """Cosine of the counts of ordered pairs of content lemmas, by reach, [n, len(REACHES)].

    See ``nn.sketch``. 0 where a sentence has fewer than two content words.
    """
    return np.array(
        [
            [_cosine(x, y) for x, y in zip(_counts(a, order), _counts(b, order), strict=True)]
            for a, b in zip(*pairs, strict=True)
        ]
    )


def _counts(sentence: HasTree, order: Literal["tree", "surface"]) -> list[Counter[tuple[str, str]]]:
    words = [lemma(sentence, word) for word in content_words(sentence, order)]
    found: list[Counter[tuple[str, str]]] = []
    counts: Counter[tuple[str, str]] = Counter()
    done = 0
    for reach in REACHES:
        furthest = len(words) - 1 if reach is None else min(reach, len(words) - 1)
        for gap in range(done + 1, furthest + 1):
            counts.update(zip(words[:-gap], words[gap:], strict=True))
        done = max(done, furthest)
        found.append(counts.copy())
    return found


def _cosine(x: Counter[tuple[str, str]], y: Counter[tuple[str, str]]) -> float:
    shared = sum(count * y[key] for key, count in x.items() if key in y)
    norms = sum(count**2 for count in x.values()) * sum(count**2 for count in y.values())
    return shared / float(norms) ** 0.5 if shared else 0.0


def _in_common(pairs: Pairs) -> NDArray[np.float64]:
    found = []
    for a, b in zip(*pairs, strict=True):
        x, y = ({word.lower() for word in side.words} for side in (a, b))
        found.append(len(x & y) / len(x | y))
    return np.array(found)
