"""The seam between the engine and the parsers: passages in, Universal Dependencies trees out."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from pipeline.sentences import Sentence


class Passage(NamedTuple):
    """Text to be parsed.

    Raw text is tokenised and, unless ``single``, split into sentences by the parser. Where ``words`` are
    given the text is one sentence of just these words, ``space_after`` saying which of them a space follows.
    """

    text: str
    lang: str
    single: bool = False
    words: tuple[str, ...] | None = None
    space_after: tuple[bool, ...] | None = None


class Backend(Protocol):
    """A parser. One is loaded a process and language, and kept."""

    def parse(self, passages: Sequence[Passage]) -> Iterator[list[Sentence]]:
        """The sentences of each passage, in order; one list a passage, at most one sentence where ``single``.

        Trees are in UD v2 but need not be well formed: the engine checks and mends them.
        """
        ...
