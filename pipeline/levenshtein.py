"""Edit distances between all pairs of short sequences at once."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

_CELLS = 500_000  # entries of a block of pairs


def normalised_distances(sequences: Sequence[Sequence[Hashable]]) -> NDArray[np.float32]:
    """Levenshtein distance over the longer one's length, float32 [n, n], from 0 to 1; 0 for two empty ones.

    The usual recursion over both sequences, one row at a time for a whole block of pairs.
    """
    names: dict[Hashable, int] = {}
    for each in sequences:
        for name in each:
            names.setdefault(name, len(names))
    order = sorted(range(len(sequences)), key=lambda number: len(sequences[number]))
    lengths = np.array([len(sequences[number]) for number in order], dtype=np.int16)
    padded = np.full((len(sequences), int(lengths.max(initial=0))), -1, dtype=np.int16)
    for row, number in enumerate(order):
        padded[row, : lengths[row]] = [names[name] for name in sequences[number]]
    out = np.zeros((len(sequences), len(sequences)), dtype=np.float32)
    # Pairs by the longer one, so that a block of them is as wide as its own sequences and no wider.
    longer, shorter = np.tril_indices(len(sequences), k=-1)
    places = np.array(order)
    for start in range(0, len(longer), step := max(1, _CELLS // (padded.shape[1] + 1))):
        i, j = longer[start : start + step], shorter[start : start + step]
        width = lengths[i[-1]]
        edits = _edits(padded[i, :width], lengths[i], padded[j, :width], lengths[j])
        found = edits / np.maximum(1, lengths[i])
        out[places[i], places[j]] = out[places[j], places[i]] = found
    return out


def _edits(
    a: NDArray[np.int16], a_length: NDArray[np.int16], b: NDArray[np.int16], b_length: NDArray[np.int16]
) -> NDArray[np.int16]:
    """Edits between row k of ``a`` and row k of ``b``, padded [P, W] with their lengths [P]; int16 [P]."""
    columns = np.arange(b.shape[1] + 1, dtype=np.int16)
    row = np.tile(columns, (len(a), 1))
    found = b_length.copy()  # from an empty a
    for number in range(1, a.shape[1] + 1):
        candidate = np.empty_like(row)
        candidate[:, 0] = number
        kept = row[:, :-1] + (b != a[:, number - 1 : number])
        np.minimum(row[:, 1:] + 1, kept, out=candidate[:, 1:])
        # An insertion costs 1 a column: the cheapest cell to the left, plus the columns between.
        row = np.minimum.accumulate(candidate - columns, axis=1) + columns
        ends = a_length == number
        found[ends] = row[ends, b_length[ends]]
    return found
