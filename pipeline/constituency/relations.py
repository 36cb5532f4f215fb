"""A UD tree with what the conversion to Penn heads asks of it."""

from collections.abc import Sequence

from pipeline import trees
from pipeline.constituency.labels import PUNCTUATION
from pipeline.roles import base
from pipeline.sentences import HasTree

# What a function word may carry and still be one.
_ON_FUNCTION_WORDS = frozenset(
    {"advmod", "fixed", "punct", "conj", "cc", "dep", "obl", "case", "advcl", "goeswith"}
)
_IN_NOUN_PHRASES = frozenset({"appos", "acl", "nmod", "nummod", "amod"})
_COMMAS = frozenset({",", ":", "."})
_MARKS = _COMMAS | {"``", "''", "-LRB-", "-RRB-"}


class Relations:
    """Words are counted from 0; a head of -1 is above the root. ``names`` are relations without subtype."""

    def __init__(self, sentence: HasTree, tags: Sequence[str]) -> None:
        self.tags = tags
        self.lower = [word.lower() for word in sentence.words]
        self.heads = [head - 1 for head in sentence.heads]
        self.names = [base(relation) for relation in sentence.deprels]
        self.below = trees.children(sentence.heads)
        self._spans: dict[int, tuple[int, int]] = {}

    def is_function(self, word: int) -> bool:
        """Whether what hangs on a word leaves it a function word."""
        return all(self.names[kid] in _ON_FUNCTION_WORDS for kid in self.below[word])

    def span(self, word: int) -> tuple[int, int]:
        """First and last position below a word, outer punctuation left out."""
        if word not in self._spans:
            found = [word]
            for each in found:
                found += [kid for kid in self.below[each] if self.tags[kid] not in PUNCTUATION]
            self._spans[word] = min(found), max(found)
        return self._spans[word]

    def outer_head(self, mark: int) -> int:
        """The word that punctuation belongs to: at a phrase's edge it belongs to what is around the phrase.

        Commas close a modifier of a noun inside the noun's phrase; quotes and brackets leave a phrase only
        with what is said, or with an apposition.
        """
        word = self.heads[mark]
        while word >= 0 and self.heads[word] >= 0:
            first, last = self.span(word)
            name, tag = self.names[word], self.tags[mark]
            if first <= mark <= last or (name == "conj" and mark > last and tag != ","):
                break
            said = name in ("ccomp", "parataxis") and word < self.heads[word]
            if tag not in _COMMAS and not (tag in _MARKS and (said or name in ("appos", "parataxis", "acl"))):
                break
            closes = name in _IN_NOUN_PHRASES and mark > last
            word = self.heads[word]
            if closes:
                break
        return self._closed(mark, word)

    def _closed(self, mark: int, word: int) -> int:
        """The noun before a comma that closes what a comma opened after the noun, else ``word``."""
        if self.tags[mark] != "," or word < 0:
            return word
        for noun in self.below[word]:
            if (
                noun < mark
                and self.span(noun)[1] == mark - 1
                and self.names[noun] in ("nsubj", "obj", "obl", "nmod")
            ):
                opened = [
                    kid for kid in self.below[noun] if kid > noun and self.tags[self.span(kid)[0] - 1] == ","
                ]
                if any(self.names[kid] in ("appos", "acl", "nummod", "amod") for kid in opened):
                    return noun
        return word
