"""A sentence under rewriting: words that can be moved, added, dropped and inflected, tied to their heads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count, repeat

from pipeline.augment.tree import Phrase, Tree
from pipeline.sentences import Sentence


@dataclass(slots=True, eq=False, repr=False)
class Word:
    """One word of a draft, equal to itself alone. ``source`` is its 1-based source position, 0 where it was
    added; ``closing`` says that a comma must follow unless other punctuation does.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    deprel: str
    head: "Word | None" = None
    source: int = 0
    closing: bool = False

    def __repr__(self) -> str:
        return f"{self.form}/{self.deprel}"


class Draft:
    """The words of a variant in the making:
    ``order`` is the surface, ``words[i]`` the word of source position i.
    """

    def __init__(self, tree: Tree) -> None:
        self.source: Sentence = tree.sentence
        columns = (tree.words, tree.lemmas, tree.upos, tree.xpos, tree.feats, tree.deprels)
        self.words = list(map(Word, *columns, repeat(None), count(1)))
        for word, head in zip(self.words, tree.heads, strict=True):
            if head >= 0:
                word.head = self.words[head]
        self.order = list(self.words)

    def __getitem__(self, position: int) -> Word:
        return self.words[position]

    def index(self, word: Word) -> int:
        """Where a word stands now."""
        return self.order.index(word)

    def take(self, positions: Iterable[int]) -> list[Word]:
        """Remove the words of these source positions from the surface and return them in order."""
        taken = [self.words[position] for position in positions]
        gone = set(taken)
        self.order = [word for word in self.order if word not in gone]
        return taken

    def take_phrase(self, phrase: Phrase) -> list[Word]:
        """Remove a phrase and the commas that closed it; the last word is marked where a comma must
        follow.
        """
        self.take(phrase.commas)
        words = self.take(phrase.positions)
        words[-1].closing = phrase.open
        return words

    def put(self, words: Sequence[Word], *, before: Word | None = None, after: Word | None = None) -> None:
        """Put words into the surface, before or after a word that is there."""
        if before is not None:
            at = self.index(before)
        elif after is not None:
            at = self.index(after) + 1
        else:
            raise ValueError("before or after")
        self.order[at:at] = words

    def drop(self, word: Word) -> None:
        """Remove a word for good; what depended on it now depends on its head."""
        self.order = [other for other in self.order if other is not word]
        for other in self.order:
            if other.head is word:
                other.head = word.head

    def dependents(self, word: Word) -> list[Word]:
        """The words whose head is ``word``, in surface order."""
        return [other for other in self.order if other.head is word]

    def exchange(self, a: Word, b: Word) -> None:
        """Swap the place of two words in the tree: head and relation."""
        a.deprel, b.deprel = b.deprel, a.deprel
        a.head, b.head = b.head, a.head


def comma(head: Word) -> Word:
    """A comma that depends on ``head``."""
    return Word(",", ",", "PUNCT", ",", "", "punct", head)
