"""Sentences by punctuation alone: enough to compare texts, far from a parser's."""

import itertools
import re

_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[]*[^\W\d_a-z])|(?<=[。！？])|\n")


def split(text: str) -> list[str]:
    """The sentences of a text in order; joined by spaces they give the text again, but for white space."""
    starts = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    pieces = (text[a:b].strip() for a, b in itertools.pairwise(starts))
    return [piece for piece in pieces if piece]
