"""How well trees agree with gold trees of the same words."""

from collections.abc import Sequence
from typing import NamedTuple

from pipeline.conll import compare
from pipeline.sentences import HasTree


class Score(NamedTuple):
    """In points, punctuation counted, as the CoNLL shared tasks do it, but the words being given."""

    uas: float  # right head
    las: float  # right head and relation, subtypes included
    las_universal: float  # right head and relation, subtypes left out
    upos: float
    words: int


def score(gold: Sequence[HasTree], parsed: Sequence[HasTree]) -> Score:
    """Compare parses with gold trees, sentence by sentence. Raises ValueError where the words differ."""
    found = compare(gold, parsed).score()
    return Score(found.uas, found.las_full, found.las, found.upos, found.words)
