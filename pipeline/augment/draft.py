"""A sentence while it is rewritten: its words can be moved, added, dropped and inflected."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count, repeat

from pipeline.augment.source_tree import Phrase, SourceTree
from pipeline.syntax.sentence import Sentence


@dataclass(slots=True, eq=False, repr=False)
class Word:
    """One word of a draft; no two words are equal.

    ``source`` is its 1-based position in the source sentence, 0 for an added word. After a ``closing`` word
    comes a comma, unless other punctuation follows.
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
    """A sentence while it is rewritten, as words that know their heads.

    ``order`` are the words in surface order; ``words[i]`` is the word at source position i, 0-based.
    """

    def __init__(self, tree: SourceTree) -> None:
        self.source: Sentence = tree.sentence
        self.lang = tree.lang
        columns = (tree.words, tree.lemmas, tree.upos, tree.xpos, tree.feats, tree.deprels)
        self.words = list(map(Word, *columns, repeat(None), count(1)))
        for word, head in zip(self.words, tree.parents, strict=True):
            if head >= 0:
                word.head = self.words[head]
        self.order = list(self.words)

    def __getitem__(self, position: int) -> Word:
        return self.words[position]

    def index(self, word: Word) -> int:
        """The position of a word in the surface order."""
        return self.order.index(word)

    def take(self, positions: Iterable[int]) -> list[Word]:
        """Remove the words of these source positions from the surface and return them in order."""
        taken = [self.words[position] for position in positions]
        gone = set(taken)
        self.order = [word for word in self.order if word not in gone]
        return taken

    def take_phrase(self, phrase: Phrase) -> list[Word]:
        """Remove a phrase and its commas from the surface; return its words, the last perhaps ``closing``."""
        self.take(phrase.commas)
        words = self.take(phrase.positions)
        words[-1].closing = phrase.open
        return words

    def put(self, words: Sequence[Word], *, before: Word | None = None, after: Word | None = None) -> None:
        """Insert words into the surface, before or after a given word."""
        if before is not None:
            at = self.index(before)
        elif after is not None:
            at = self.index(after) + 1
        else:
            raise ValueError("before or after")
        self.order[at:at] = words

    def drop(self, word: Word) -> None:
        """Delete a word; its children get its head."""
        self.order = [other for other in self.order if other is not word]
        for other in self.order:
            if other.head is word:
                other.head = word.head

    def dependents(self, word: Word) -> list[Word]:
        """The words whose head is ``word``, in surface order."""
        return [other for other in self.order if other.head is word]

    def exchange(self, a: Word, b: Word) -> None:
        """Exchange the heads and relations of two words."""
        a.deprel, b.deprel = b.deprel, a.deprel
        a.head, b.head = b.head, a.head


def comma(head: Word) -> Word:
    """A comma that depends on ``head``."""
    return Word(",", ",", "PUNCT", ",", "", "punct", head)
