"""Penn tags and heads of a sentence, and the dependency tree that the rules build constituents on.

In UD, function words depend on content words. In the Penn Treebank they head the phrases: the preposition,
the conjunction or relative pronoun of a clause, the first auxiliary, the copula. So every content word gets
the chain of function words above it, as in *that will be in the house*, and each of its UD dependents is
attached to the link of the chain where it belongs.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pipeline.syntax.constituency.tree import PUNCTUATION, TAGS, Tree
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree, is_tree

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
_PENN = frozenset(TAGS) - {"XX"}
# Of words without a Penn tag, the first that applies: by form, by a feature of verbs, by universal tag.
_BY_FORM = dict(zip(PUNCTUATION, PUNCTUATION, strict=True)) | dict.fromkeys("([{", "-LRB-")
_BY_FORM |= dict.fromkeys(")]}", "-RRB-")
_BY_FEATURE = {"VerbForm=Inf": "VB", "VerbForm=Ger": "VBG", "VerbForm=Part": "VBN"}
_BY_UPOS = {
    "ADJ": "JJ", "ADP": "IN", "ADV": "RB", "AUX": "MD", "CCONJ": "CC", "DET": "DT", "INTJ": "UH",
    "NOUN": "NN", "NUM": "CD", "PART": "RP", "PRON": "PRP", "PROPN": "NNP", "PUNCT": ":", "SCONJ": "IN",
    "SYM": "SYM", "VERB": "VBD", "X": "FW",
}  # fmt: skip


def penn_tags(sentence: Sentence) -> list[str]:
    """Return a Penn tag per word: its own, or one guessed from form, features and UPOS; ``XX`` if unknown."""
    blank = [""] * len(sentence.words)
    xpos, upos, feats = sentence.xpos or blank, sentence.upos or blank, sentence.feats or blank
    tags = []
    for tag, word, universal, features in zip(xpos, sentence.words, upos, feats, strict=True):
        if tag not in _PENN:
            form = next((_BY_FEATURE[each] for each in features.split("|") if each in _BY_FEATURE), None)
            tag = _BY_FORM.get(word) or form or _BY_UPOS.get(universal, "XX")
        tags.append(tag)
    return tags


class PennTree(DependencyTree):
    """A projective tree with Penn heads and Penn tags, and the constituents built on it so far.

    ``phrases[w]`` is the constituent of a word and all below it. ``subjects`` are the verbs that have one.
    """

    def __init__(self, words: Sequence[str], tags: Sequence[str], heads: Sequence[int]) -> None:
        super().__init__(heads, words)
        self.tags = tags
        self.phrases = [Tree(tag, (), word) for tag, word in zip(tags, words, strict=True)]
        self.subjects: set[int] = set()

    def own(self, word: int) -> Tree:
        """Return only the word's part of speech."""
        return Tree(self.tags[word], (), self.words[word])

    def leaf(self, word: int) -> bool:
        """Return whether a word has no children."""
        return not self.children[word]

    def sides(self, word: int) -> tuple[list[int], list[int]]:
        """Return the children before and after a word, in order."""
        below = self.children[word]
        return [kid for kid in below if kid < word], [kid for kid in below if kid > word]

    def punctuation(self, word: int) -> bool:
        """Return whether a word is a punctuation mark without children."""
        return self.tags[word] in PUNCTUATION and self.leaf(word)

    def verbal(self, word: int) -> bool:
        """Return whether a word heads a verb phrase: a verb, or *to* with its verb below it."""
        return self.tags[word] in VERBS or (
            self.tags[word] == "TO"
            and any(kid > word and self.tags[kid] in VERBS for kid in self.children[word])
        )

    def finite(self, word: int) -> bool:
        """Return whether a word is a finite verb by its tag."""
        return self.tags[word] in FINITE

    def infinitive(self, word: int) -> bool:
        """Return whether a verb is an infinitive with *to*, whichever of the two is the head."""
        return self.tags[word] == "TO" or any(
            kid < word and self.tags[kid] == "TO" and self.leaf(kid) for kid in self.children[word]
        )

    def nominal(self, word: int) -> bool:
        """Return whether the phrase of a word is a noun phrase."""
        return self.phrases[word].label in ("NP", "WHNP") or (self.leaf(word) and self.tags[word] in NOMINAL)

    def questioning(self, word: int) -> bool:
        """Return whether the phrase of a word begins with a wh-word."""
        return self.phrases[word].label.startswith("WH") or (self.leaf(word) and self.tags[word] in WH)


# A function word may have children of these relations and still count as one.
_ON_FUNCTION_WORDS = frozenset(
    {"advmod", "fixed", "punct", "conj", "cc", "dep", "obl", "case", "advcl", "goeswith"}
)
_IN_NOUN_PHRASES = frozenset({"appos", "acl", "nmod", "nummod", "amod"})
_COMMAS = frozenset({",", ":", "."})
_MARKS = _COMMAS | {"``", "''", "-LRB-", "-RRB-"}

# Modifiers of a noun, which stay with it if the noun is a predicate.
_OF_NOUNS = frozenset(
    {"det", "amod", "nmod", "compound", "nummod", "appos", "acl", "flat", "fixed", "clf", "goeswith"}
)
_OF_CLAUSES = frozenset({"advcl", "parataxis", "punct", "nsubj", "csubj", "discourse"})
_OF_NOMINAL_CLAUSES = _OF_CLAUSES | {"obl", "ccomp", "xcomp", "advmod"}
_WH_CLAUSES = frozenset({"acl", "ccomp", "advcl", "csubj", "xcomp", "obl", "obj", "nsubj", "conj"})
_BEFORE_PREDICATES = frozenset({"det", "amod", "nmod", "compound", "nummod", "flat", "case", "mark"})


class Chain(NamedTuple):
    """The function words above a content word, outermost first; each list in order of position."""

    marks: Sequence[int]
    verbs: Sequence[int]  # auxiliaries and copula
    cases: Sequence[int]

    @property
    def words(self) -> list[int]:
        """All of them, outermost first."""
        return [*self.marks, *self.verbs, *self.cases]


class UniversalTree(DependencyTree):
    """A dependency tree with UD relations and Penn tags, and the chain of each word."""

    def __init__(self, sentence: Sentence, tags: Sequence[str]) -> None:
        super().__init__(sentence.heads, sentence.words, sentence.deprels)
        self.tags = tags
        self.chains = [self._chain(word) for word in range(len(tags))]
        self.function_words = {link for chain in self.chains for link in chain.words}
        self._spans: dict[int, tuple[int, int]] = {}

    def _chain(self, word: int) -> Chain:
        links = [
            kid
            for kid in self.children[word]
            if all(self.universal[below] in _ON_FUNCTION_WORDS for below in self.children[kid])
        ]

        def named(name: str) -> list[int]:
            return [kid for kid in links if self.universal[kid] == name]

        def verbal(name: str) -> list[int]:
            return [kid for kid in named(name) if self.tags[kid] != "TO"]

        marks = [kid for kid in verbal("mark") if self.tags[kid] != "RP" and kid < word]
        cases = named("case")
        owners = [kid for kid in cases if self.tags[kid] == "POS"]  # of the dog 's: both, the mark last
        cases = [kid for kid in cases if kid not in owners] + owners if owners else cases[:1]
        return Chain(marks[:1], verbal("aux") + named("cop"), cases)

    def top(self, word: int) -> int:
        """Return the outermost function word above a word, or the word itself."""
        return next(iter(self.chains[word].words), word)

    def span_of_words(self, word: int) -> tuple[int, int]:
        """Return the first and last position of the subtree of ``word``, without punctuation at its edges."""
        if word not in self._spans:
            found = [word]
            for each in found:
                found += [kid for kid in self.children[each] if self.tags[kid] not in PUNCTUATION]
            self._spans[word] = min(found), max(found)
        return self._spans[word]

    def outer_head(self, mark: int) -> int:
        """Return the head of a punctuation mark in the Penn Treebank.

        A mark at the edge of a phrase belongs to the phrase around it. A comma after a modifier of a noun
        stays in the noun's phrase. Quotes and brackets move out only around reported speech and appositions.
        """
        word = self.parents[mark]
        while word >= 0 and self.parents[word] >= 0:
            first, last = self.span_of_words(word)
            name, tag = self.universal[word], self.tags[mark]
            if first <= mark <= last or (name == "conj" and mark > last and tag != ","):
                break
            said = name in ("ccomp", "parataxis") and word < self.parents[word]
            if tag not in _COMMAS and not (tag in _MARKS and (said or name in ("appos", "parataxis", "acl"))):
                break
            closes = name in _IN_NOUN_PHRASES and mark > last
            word = self.parents[word]
            if closes:
                break
        return word


def penn_heads(sentence: Sentence, tags: Sequence[str]) -> list[int]:
    """Return 1-based heads, 0 for the root, of one tree; crossing arcs are possible. ``tags`` are Penn's."""
    tree = UniversalTree(sentence, tags)
    content = [word for word in range(len(tags)) if word not in tree.function_words]
    heads = [-1] * len(tags)
    for word in content:
        for above, below in pairwise([*tree.chains[word].words, word]):
            heads[below] = above
    for word in content:
        heads[tree.top(word)] = _attach(tree, word)
    for word in content:
        _raise_wh(tree, heads, word)
    root = heads.index(-1)
    found = [root + 1 if head < 0 else head + 1 for head in heads]
    found[root] = 0
    return found if is_tree(found) else list(sentence.heads)


def _attach(tree: UniversalTree, word: int) -> int:
    """The word to which the chain of a content word is attached; -1 above the root."""
    head, name = tree.parents[word], tree.universal[word]
    if head < 0:
        return -1
    if name == "punct":
        outer = tree.outer_head(word)
        if tree.universal[head] == "conj" and outer == tree.parents[head]:
            return _conjoined(tree, head)
        return _link(tree, word, outer)
    if name == "cc" and tree.universal[head] == "conj" and word < head:
        return _conjoined(tree, head)
    if name == "conj":
        return _conjoined(tree, word)
    return _link(tree, word, head)


def _conjoined(tree: UniversalTree, word: int) -> int:
    """The word to which a conjunct and its conjunction are attached.

    It is the link of the first conjunct's chain that has a counterpart in the conjunct's own chain.
    """
    head = tree.parents[word]
    if head in tree.function_words:
        return head
    first, own = tree.chains[head], tree.chains[word]
    if first.marks and own.marks:
        return first.marks[0]
    if first.verbs and (own.verbs or tree.tags[word] in FINITE):
        return first.verbs[0]
    if first.cases and own.cases and tree.tags[first.cases[-1]] != "POS":
        return first.cases[0]
    return head


def _link(tree: UniversalTree, word: int, head: int) -> int:
    """The link of the head's chain to which a dependent is attached."""
    if head in tree.function_words:
        return head
    marks, verbs, cases = tree.chains[head]
    if marks and word < marks[0]:
        return marks[0]
    if verbs:
        return _in_clause(tree, word, head)
    if cases and (tree.universal[word] == "case" or (word < cases[0] and tree.tags[cases[0]] != "POS")):
        return cases[0]
    return head


def _in_clause(tree: UniversalTree, word: int, head: int) -> int:
    """The same for a chain with auxiliaries or a copula."""
    verbs, name, tag = tree.chains[head].verbs, tree.universal[word], tree.tags[head]
    copular = tree.universal[verbs[-1]] == "cop"
    if word < verbs[0]:
        own = tag not in ("VB", "VBN", "VBG", "VBD") and name in _OF_NOUNS
        return head if own else verbs[0]
    if word < head:
        return head if name in _BEFORE_PREDICATES or tree.tags[word] == "TO" else verbs[0]
    if tree.parents[head] < 0 and tree.tags[word] in (".", "''", "``"):
        return verbs[0]
    if not copular:
        return head
    moves = _OF_CLAUSES if tag.startswith("JJ") or tag == "VBN" else _OF_NOMINAL_CLAUSES
    return verbs[-1] if name in moves else head


def _raise_wh(tree: UniversalTree, heads: list[int], word: int) -> None:
    """Attach a clause to the wh-phrase that opens it, in place: the head of *who left* is *who*."""
    marks, verbs, _ = tree.chains[word]
    if tree.parents[word] < 0 or marks:
        return
    top = tree.top(word)
    if tree.tags[word] in WH:
        if verbs and word < verbs[0]:  # what it is
            heads[word], heads[top] = heads[top], word
        return
    name = tree.universal[word]
    clausal = verbs or tree.tags[word].startswith("VB") or name in ("acl", "ccomp", "advcl")
    if name not in _WH_CLAUSES or not clausal:
        return
    opening = min(
        (kid for kid in tree.children[word] if tree.universal[kid] not in ("punct", "cc")), default=word
    )
    if opening >= word or opening in tree.function_words or tree.universal[opening] == "conj":
        return
    first, last = tree.span_of_words(opening)
    if any(tag in WH for tag in tree.tags[first : min(last + 1, first + 3)]):
        phrase = tree.top(opening)
        heads[phrase], heads[top] = heads[top], phrase
