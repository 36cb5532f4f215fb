"""Long sentences in pieces that a parser and an encoder can hold."""

from collections.abc import Iterator

from pipeline.parsing.base import Passage
from pipeline.sentences import Sentence

_STRONG = frozenset({";", ":", "—", "–", "--", "...", "…", ".", "!", "?"})
_WEAK = frozenset({",", ")", "]"})


def pieces(sentence: Sentence, lang: str, longest: int) -> Iterator[Passage]:
    """Cut into stretches of at most ``longest`` words, each to be parsed anew.

    A stretch ends after the last strong mark (;, :, dash) of its second half, else after a comma or bracket,
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
