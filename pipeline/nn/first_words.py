"""The beginning of a text, so many words of it."""

from pipeline.errors import SynsemError
from pipeline.sentences import HasTree


def first_words(sentence: HasTree, count: int) -> str:
    """The text up to the end of its ``count``-th word; SynsemError where words and text disagree."""
    if len(sentence.words) <= count:
        return sentence.text
    end = 0
    for word in sentence.words[:count]:
        start = sentence.text.find(word, end)
        if start < 0:
            raise SynsemError(f"{sentence.text[:60]!r}: {word!r} is not in the text; parse it again")
        end = start + len(word)
    return sentence.text[:end]
