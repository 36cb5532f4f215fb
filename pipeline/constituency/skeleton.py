"""A dependency tree as the derivation rules see it: Penn tags, Penn heads, and the phrases built so far."""

from collections.abc import Sequence

from pipeline.constituency.labels import PUNCTUATION
from pipeline.constituency.tree import Tree
from pipeline.trees import children

FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
VERBS = FINITE | {"VB", "VBG", "VBN"}
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
# Tags that head a noun phrase by themselves.
NOMINAL = NOUNS | {
    "PRP", "DT", "CD", "EX", "$", "#", "FW", "PRP$", "PDT", "SYM", "LS", "ADD", "WP", "WDT", "WP$",
    "JJS", "POS",
}  # fmt: skip
WH = frozenset({"WDT", "WP", "WP$", "WRB"})
NOT = frozenset({"not", "n't"})
BE_OR_HAVE = frozenset({
    "be", "is", "are", "was", "were", "been", "being", "am", "'s", "'re", "'m", "ai", "have", "has",
    "had", "having", "'ve", "'d", "get", "gets", "got", "gotten", "getting"
})  # fmt: skip


class Skeleton:
    """Words are counted from 0. ``phrases[w]`` is the constituent of a word and all below it."""

    def __init__(self, words: Sequence[str], tags: Sequence[str], heads: Sequence[int]) -> None:
        """``heads`` as in ``Sentence``: 1-based, 0 for the root; one projective tree."""
        self.words, self.tags = words, tags
        self.lower = [word.lower() for word in words]
        self.heads = [head - 1 for head in heads]
        self.root = self.heads.index(-1)
        self.below = children(heads)
        self.phrases = [Tree(tag, (), word) for tag, word in zip(tags, words, strict=True)]
        self.subjects: set[int] = set()  # verbs that have one

    def bottom_up(self) -> list[int]:
        """Every word after all words below it."""
        order = [self.root]
        for word in order:
            order += self.below[word]
        return order[::-1]

    def own(self, word: int) -> Tree:
        """The word's part of speech alone."""
        return Tree(self.tags[word], (), self.words[word])

    def leaf(self, word: int) -> bool:
        """Whether nothing hangs on a word."""
        return not self.below[word]

    def sides(self, word: int) -> tuple[list[int], list[int]]:
        """The dependents before and after a word, in order."""
        below = self.below[word]
        return [kid for kid in below if kid < word], [kid for kid in below if kid > word]

    def yield_of(self, word: int) -> list[int]:
        """The word and all below it, in order."""
        found = [word]
        for each in found:
            found += self.below[each]
        return sorted(found)

    def punctuation(self, word: int) -> bool:
        """Whether a word is a mark with nothing below it."""
        return self.tags[word] in PUNCTUATION and self.leaf(word)

    def verbal(self, word: int) -> bool:
        """Whether a word heads a verb phrase: a verb, or *to* with its verb below it."""
        return self.tags[word] in VERBS or (
            self.tags[word] == "TO"
            and any(kid > word and self.tags[kid] in VERBS for kid in self.below[word])
        )

    def finite(self, word: int) -> bool:
        """Whether a word is a finite verb by its tag."""
        return self.tags[word] in FINITE

    def infinitive(self, word: int) -> bool:
        """Whether a verb is an infinitive with *to*, whichever of the two is the head."""
        return self.tags[word] == "TO" or any(
            kid < word and self.tags[kid] == "TO" and self.leaf(kid) for kid in self.below[word]
        )

    def nominal(self, word: int) -> bool:
        """Whether a word with what is below it is a noun phrase."""
        return self.phrases[word].label in ("NP", "WHNP", "QP") or (
            self.leaf(word) and self.tags[word] in NOMINAL
        )

    def questioning(self, word: int) -> bool:
        """Whether a phrase is one of those that begin with a wh-word."""
        return self.phrases[word].label.startswith("WH") or (self.leaf(word) and self.tags[word] in WH)
