"""Attachment scores where the words are the parser's own: F1 over raw text.

As the CoNLL 2018 shared task counts them (Zeman et al. 2018): words are aligned by the characters they
cover, spaces aside; a word is right if a gold word covers the same and the heads of both are so aligned too.
Multiword tokens are taken at their words, which must spell the text.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.sentences import HasTree

_Span = tuple[int, int]


class TextScore(NamedTuple):
    """F1 in points."""

    words: float  # segmentation
    uas: float
    las: float  # universal relation


def compare_text(gold: Sequence[Sequence[HasTree]], found: Sequence[Sequence[HasTree]]) -> TextScore:
    """Score the sentences of each text against the gold ones of the same text.

    Raises ValueError where the characters differ, for nothing can be aligned then.
    """
    right = [0, 0, 0]
    total = 0
    for number, (expected, given) in enumerate(zip(gold, found, strict=True)):
        if _characters(expected) != _characters(given):
            raise ValueError(f"text {number} has other characters than the gold text")
        truth, trees = dict(_arcs(expected)), dict(_arcs(given))
        total += len(truth) + len(trees)
        for span, (head, relation) in trees.items():
            if span in truth:
                same = truth[span][0] == head
                right = [right[0] + 1, right[1] + same, right[2] + (same and truth[span][1] == relation)]
    return TextScore(*(200 * count / max(1, total) for count in right))


def _characters(sentences: Sequence[HasTree]) -> str:
    return "".join("".join(word.split()) for sentence in sentences for word in sentence.words)


def _arcs(sentences: Sequence[HasTree]) -> Iterator[tuple[_Span, tuple[_Span | None, str]]]:
    """Each word's characters -> its head's (None: the root) and its universal relation."""
    end = 0
    for sentence in sentences:
        spans: list[_Span] = []
        for word in sentence.words:
            start, end = end, end + len("".join(word.split()))
            spans.append((start, end))
        for span, head, relation in zip(spans, sentence.heads, sentence.deprels, strict=True):
            yield span, (spans[head - 1] if head else None, relation.partition(":")[0])
