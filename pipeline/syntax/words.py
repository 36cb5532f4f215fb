"""Sentences and words of a plain text by punctuation only, to compare texts: far from a parser's."""

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable

from pipeline.syntax.sentence import ENDS

_END = re.compile(rf"(?<=[.!?…])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[]*[^\W\d_a-z])|(?<=[{ENDS}])|\n")


def split(text: str) -> list[str]:
    """Return the sentences of a text in order; joined by spaces they give the text, except white space."""
    starts = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    sentences = (text[a:b].strip() for a, b in itertools.pairwise(starts))
    return [sentence for sentence in sentences if sentence]


def without(text: str, unwanted: Callable[[str], bool]) -> tuple[str, int]:
    """Return the text without the unwanted sentences, and how many were removed.

    A line end ends a sentence for the parser too, so each stays, unless its whole line goes.
    """
    lines, removed = [], 0
    for line in text.split("\n"):
        sentences = split(line)
        clean = [sentence for sentence in sentences if not unwanted(sentence)]
        if clean or not sentences:
            lines.append(line if len(clean) == len(sentences) else " ".join(clean))
        removed += len(sentences) - len(clean)
    return "\n".join(lines), removed


# Scripts without spaces between words: Thai and Lao, Burmese, Khmer, Japanese, Chinese; and Korean syllables.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LAST_MARK = 0x1FFFF  # beyond it there are only selectors of variants


@functools.cache
def marks() -> str:
    """Return what belongs to the letter before it, as the inside of a regular expression's class.

    Vowel signs, accents and points, which ``\\w`` lacks, and the joiners of Indic and Persian spelling.
    """
    found = (chr(code) for code in range(0x300, _LAST_MARK) if unicodedata.category(chr(code))[0] == "M")
    return "".join(("\u200c\u200d", *found))


@functools.cache
def _word() -> re.Pattern[str]:
    letters = rf"[^\W_{_UNSPACED}]"
    # No mark is ASCII: a space is told from one without a search in the long class, four times as fast.
    more = rf"(?:(?=[^\x00-\x7f])[{marks()}]+{letters}*)*"
    return re.compile(rf"{letters}+{more}|(?=[^\W_])[{_UNSPACED}][{marks()}]*")


def words(text: str) -> list[str]:
    """Return every word in order, lower-cased, without punctuation; its marks stay with each letter.

    In scripts without spaces between words, such as Chinese and Thai, each character is a word.
    """
    return _word().findall(text.casefold())
