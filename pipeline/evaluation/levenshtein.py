"""Edit distances between all pairs of short sequences at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_CELLS = 4_000_000  # entries of a block of pairs


def normalised_distances(sequences: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Levenshtein distance over the longer one's length, float32 [n, n], from 0 to 1; 0 for two empty ones.

    The usual recursion over both sequences, one row at a time for a whole block of pairs.
    """
    names = {
        name: number for number, name in enumerate(sorted({name for each in sequences for name in each}))
    }
    lengths = np.array([len(each) for each in sequences], dtype=np.int32)
    width = int(lengths.max(initial=0))
    padded = np.full((len(sequences), width), -1, dtype=np.int32)
    for row, each in enumerate(sequences):
        padded[row, : len(each)] = [names[name] for name in each]
    first, second = np.triu_indices(len(sequences), k=1)
    out = np.zeros((len(sequences), len(sequences)), dtype=np.float32)
    for start in range(0, len(first), step := max(1, _CELLS // (width + 1))):
        i, j = first[start : start + step], second[start : start + step]
        edits = _edits(padded[i], lengths[i], padded[j], lengths[j])
        out[i, j] = out[j, i] = edits / np.maximum(1, np.maximum(lengths[i], lengths[j]))
    return out


def _edits(
    a: NDArray[np.int32], a_length: NDArray[np.int32], b: NDArray[np.int32], b_length: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Edits between row k of ``a`` and row k of ``b``, padded [P, W] with their lengths [P]; int32 [P]."""
    columns = np.arange(b.shape[1] + 1, dtype=np.int32)
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
