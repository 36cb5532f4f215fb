"""Crossing arcs undone: constituents are stretches of words, so their heads must be projective."""

from collections.abc import Sequence

from pipeline import trees


def projective(heads: Sequence[int]) -> list[int]:
    """Heads (1-based, 0 for the root) without crossing arcs.

    The shortest crossing arc is lifted, its word hung one step higher, until none is left (Nivre & Nilsson
    2005, "Pseudo-Projective Dependency Parsing", without the encoded labels).
    """
    lifted = list(heads)
    while not trees.is_projective(lifted):
        above = trees.ancestors(lifted)
        crossing = []
        for word, head in enumerate(lifted):
            low, high = sorted((word, head - 1))
            if head and not above[low : high + 1, head - 1].all():
                crossing.append((high - low, word))
        word = min(crossing)[1]
        lifted[word] = lifted[lifted[word] - 1]
    return lifted
