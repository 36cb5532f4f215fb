"""How well trees agree with gold trees of the same words."""

from collections.abc import Sequence
from typing import NamedTuple

from pipeline.sentences import Sentence


class Score(NamedTuple):
    """In points, punctuation counted, as the CoNLL shared tasks do it, but the words being given."""

    uas: float  # right head
    las: float  # right head and relation, subtypes included
    las_universal: float  # right head and relation, subtypes left out
    upos: float
    words: int


def score(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> Score:
    """Compare parses with gold trees, sentence by sentence. Raises ValueError where the words differ."""
    words = heads = labelled = universal = upos = 0
    for right, found in zip(gold, parsed, strict=True):
        if right.words != found.words:
            raise ValueError(f"not the same words: {right.text!r}")
        words += len(right)
        for i in range(len(right)):
            upos += right.upos[i] == found.upos[i]
            if right.heads[i] == found.heads[i]:
                heads += 1
                labelled += right.deprels[i] == found.deprels[i]
                universal += right.deprels[i].split(":")[0] == found.deprels[i].split(":")[0]
    points = 100 / max(1, words)
    return Score(heads * points, labelled * points, universal * points, upos * points, words)
