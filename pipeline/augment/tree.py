"""A read-only view of a parsed sentence: who depends on whom, which words a phrase covers.

Positions are 0-based everywhere in this package; the head of the root is -1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipeline.sentences import Sentence

_FINAL = frozenset({".", "!", "?"})
_QUOTES = frozenset({'"', "``", "''", "“", "”", "‘", "’", "«", "»", "'", "`"})
_BRACKETS = frozenset("()[]{}")
_DASHES = frozenset({"...", "…", "--", "—", "–", ";", ":", "/"})
_DISFLUENT = frozenset({"goeswith", "reparandum", "dep", "orphan", "list", "dislocated"})


class Decline(Exception):  # noqa: N818 - it is an answer, not an error
    """A transformation does not apply here; the message is the reason, as it is counted."""


@dataclass(frozen=True)
class Phrase:
    """The words of a subtree, ready to be moved as one block.

    ``positions`` leaves out commas at either edge. ``commas`` are the commas that close the phrase where it
    stands and go when it moves; ``open`` says that wherever it lands mid-sentence it must be closed by a
    comma (``Joyce, who was Irish``).
    """

    head: int
    positions: range
    commas: tuple[int, ...]
    open: bool

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def start(self) -> int:
        """The position of the first word."""
        return self.positions.start

    @property
    def stop(self) -> int:
        """The position after the last word."""
        return self.positions.stop


@lru_cache(maxsize=1_000)
def universal(deprel: str) -> str:
    """A relation without its subtype."""
    return deprel.partition(":")[0]


class Tree:
    """A sentence seen as a tree.

    ``lower`` are the forms in lower case, ``bases`` the relations without their subtypes, ``relations`` all
    that occur, ``verbs`` the positions of the main verbs. ``oddity`` says why this is no plain sentence of
    running text; it is ``""`` for one that is.
    """

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.words = sentence.words
        self.lemmas = sentence.lemmas
        self.upos = sentence.upos
        self.xpos = sentence.xpos
        self.feats = sentence.feats
        self.deprels = sentence.deprels
        self.heads = [head - 1 for head in sentence.heads]
        self.kids: list[list[int]] = [[] for _ in self.heads]
        self.root = 0
        for word, head in enumerate(self.heads):
            if head < 0:
                self.root = word
            else:
                self.kids[head].append(word)
        self.lower = list(map(str.lower, self.words))
        self.bases = list(map(universal, self.deprels))
        self.relations = frozenset(self.deprels)
        self.verbs = [word for word, tag in enumerate(self.upos) if tag == "VERB"]
        self.oddity = _oddity(sentence)
        self._extents: tuple[list[int], list[int], list[int]] | None = None

    def __len__(self) -> int:
        return len(self.words)

    def child(self, word: int, *rels: str) -> int | None:
        """The first dependent of ``word`` with one of these relations."""
        for kid in self.kids[word]:
            if self.deprels[kid] in rels:
                return kid
        return None

    def children(self, word: int, *rels: str) -> list[int]:
        """The dependents of ``word`` with one of these relations, left to right."""
        return [kid for kid in self.kids[word] if self.deprels[kid] in rels]

    def _extent(self) -> tuple[list[int], list[int], list[int]]:
        """The first and the last word of every subtree, and its size."""
        if self._extents is None:
            n = len(self.heads)
            low, high, size = list(range(n)), list(range(n)), [1] * n
            downward = [self.root]
            for word in downward:
                downward += self.kids[word]
            for word in reversed(downward[1:]):
                head = self.heads[word]
                low[head] = min(low[head], low[word])
                high[head] = max(high[head], high[word])
                size[head] += size[word]
            self._extents = low, high, size
        return self._extents

    def span(self, word: int) -> range:
        """The positions from the first to the last word of the subtree; Decline where others stand
        between.
        """
        low, high, size = self._extent()
        if high[word] - low[word] + 1 != size[word]:
            raise Decline("phrase is not in one piece")
        return range(low[word], high[word] + 1)

    def subtree(self, word: int) -> Iterator[int]:
        """``word`` and everything below it, in no particular order."""
        stack = [word]
        while stack:
            top = stack.pop()
            yield top
            stack += self.kids[top]

    def phrase(self, word: int) -> Phrase:
        """The subtree as a block that can be moved; Decline where it is not in one piece."""
        span = self.span(word)
        start, stop = span.start, span.stop
        commas = []
        while start < word and self.words[start] == ",":
            commas.append(start)
            start += 1
        while stop - 1 > word and self.words[stop - 1] == ",":
            stop -= 1
            commas.append(stop)
        is_open = self._opens_comma(word, start, stop)
        if is_open and stop < len(self) and self.words[stop] == "," and stop not in commas:
            commas.append(stop)
        return Phrase(word, range(start, stop), tuple(commas), is_open)

    def _opens_comma(self, word: int, start: int, stop: int) -> bool:
        """Whether the right edge of the phrase is a part set off by a comma on its left."""
        edge = stop - 1
        while edge not in (word, -1):
            if self.bases[edge] in ("acl", "appos", "nmod", "advcl", "parataxis", "amod", "advmod", "obl"):
                low = self._extent()[0][edge]
                if self.words[low] == "," or (low > start and self.words[low - 1] == ","):
                    return True
            edge = self.heads[edge]
        return False


def _oddity(sentence: Sentence) -> str:
    words = sentence.words
    if len(words) < 3:
        return "fewer than three words"
    if words[-1] not in _FINAL:
        return "no final punctuation"
    if not _QUOTES.isdisjoint(words) and any(
        word in _QUOTES and tag == "PUNCT" for word, tag in zip(words, sentence.upos, strict=True)
    ):
        return "quotation"
    if not _BRACKETS.isdisjoint(words):
        return "brackets"
    if not _DASHES.isdisjoint(words):
        return "dash, colon or semicolon"
    if not (words[0][:1].isupper() or words[0][:1].isdigit()):
        return "no capital at the start"
    if not _FINAL.isdisjoint(words[:-1]):
        return "several sentences"
    initials = [word[:1] for word in words]
    if sum(map(str.isupper, initials)) > 0.8 * sum(map(str.isalpha, initials)):
        return "capitalised throughout"
    if not _DISFLUENT.isdisjoint(sentence.deprels):
        return "disfluent or elliptical"
    return ""
