"""Long sentences and texts are split to lengths that a parser and an encoder can hold."""

import re
from collections.abc import Iterator

from pipeline.parsing.registry import Passage
from pipeline.syntax.sentence import ENDS, Sentence

_LONGEST_TEXT = 20_000  # characters; the memory of parsers grows with the length of a text
_STRONG = frozenset({";", ":", "—", "–", "--", "...", "…", ".", "!", "?", *ENDS, "；", "：", "؛"})
_WEAK = frozenset({",", ")", "]", "，", "、", "،", "）"})


def split_at_clauses(sentence: Sentence, lang: str, longest: int) -> Iterator[Passage]:
    """Split a sentence into parts of at most ``longest`` words, each to be parsed again.

    A part ends after the last strong mark (;, :, dash) in its second half, else after a comma or bracket,
    else before a coordinating conjunction, else at ``longest`` words.
    """
    start, words = 0, sentence.words
    while start < len(words):
        end = len(words)
        if end - start > longest:
            end = _cut(sentence, start, start + longest)
        spaces = sentence.space_after[start:end]
        text = "".join(w + (" " if s else "") for w, s in zip(words[start:end], spaces, strict=True)).rstrip()
        yield Passage(text, lang, single=True, words=words[start:end], space_after=spaces)
        start = end


def _cut(sentence: Sentence, start: int, end: int) -> int:
    middle = (start + end) // 2
    for marks in (_STRONG, _WEAK):
        for place in range(end, middle, -1):
            if sentence.words[place - 1] in marks:
                return place
    for place in range(end, middle, -1):
        if sentence.upos[place] == "CCONJ":
            return place
    return end


def split_long_text(text: str) -> Iterator[str]:
    """Split a very long text after a sentence, else at white space, else anywhere."""
    while len(text) > _LONGEST_TEXT:
        head = text[:_LONGEST_TEXT]
        cut = _LONGEST_TEXT
        for end in (rf"[.!?…]\s|[{ENDS}]\s?", r"\s"):
            if found := [match.end() for match in re.finditer(end, head)]:
                cut = found[-1]
                break
        yield text[:cut]
        text = text[cut:]
    yield text
