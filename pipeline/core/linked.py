"""Rows that share a text, directly or through other rows, and so belong in one split."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components


def linked(rows: Sequence[tuple[str, str | None]]) -> list[str]:
    """A name for each row of one or two texts; linked rows have the same name.

    Two rows are linked where a text of one has the words of a text of the other, in any order and case (PAWS
    makes several pairs of a sentence), or where both are linked to a third. The name is the first of their
    first texts in alphabetical order. Where more than half of the rows would be linked, as where many share
    one second text, each row is named by its own first text.
    """
    numbers: dict[str, int] = {}
    owners, words = [], []
    for row, texts in enumerate(rows):
        for text in filter(None, texts):
            owners.append(row)
            words.append(numbers.setdefault(word_key(text), len(numbers)))
    # A graph of rows and texts: an edge from each row to its texts.
    size = len(rows) + len(numbers)
    edges = (np.ones(len(owners), dtype=np.int8), (owners, np.array(words, dtype=np.int64) + len(rows)))
    _, group = connected_components(csr_matrix(edges, shape=(size, size)), directed=False)
    group = group[: len(rows)]
    if len(rows) > 1 and 2 * np.bincount(group).max() > len(rows):
        return [first for first, _ in rows]
    names: dict[int, str] = {}
    for number, (first, _) in zip(group.tolist(), rows, strict=True):
        names[number] = min(first, names.get(number, first))
    return [names[number] for number in group.tolist()]


def word_key(text: str) -> str:
    """Equal for texts of the same words, whatever their order and case."""
    return " ".join(sorted(text.casefold().split()))
