"""Universal Dependencies -> heads as head rules find them in Penn Treebank trees.

UD hangs function words on content words. The phrases of the Penn Treebank are headed by them: by the
preposition, the conjunction or the relative pronoun of a clause, the first auxiliary, the copula. So every
content word gets the chain of function words that stand above it, as in *that will be in the house*, and what
hangs on the word in UD finds its place on the link of the chain where it belongs.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pipeline import trees
from pipeline.constituency.relations import Relations
from pipeline.constituency.skeleton import FINITE, WH
from pipeline.sentences import HasTree

# Relations of a noun's own modifiers: they stay with it where it is a predicate.
_OF_NOUNS = frozenset(
    {"det", "amod", "nmod", "compound", "nummod", "appos", "acl", "flat", "fixed", "clf", "goeswith"}
)
_OF_CLAUSES = frozenset({"advcl", "parataxis", "punct", "nsubj", "csubj", "discourse"})
_OF_NOMINAL_CLAUSES = _OF_CLAUSES | {"obl", "ccomp", "xcomp", "advmod"}
_WH_CLAUSES = frozenset({"acl", "ccomp", "advcl", "csubj", "xcomp", "obl", "obj", "nsubj", "conj"})
# Adverbs of a clause, which stand before a predicate without modifying it.
_SENTENCE_ADVERBS = frozenset({
    "not", "n't", "also", "now", "still", "already", "currently", "never", "always", "often", "usually",
    "again", "just", "only", "probably"
})  # fmt: skip


class Chain(NamedTuple):
    """The function words above a content word, outermost first; each list in order of position."""

    marks: Sequence[int]
    verbs: Sequence[int]  # auxiliaries and copula
    cases: Sequence[int]

    @property
    def words(self) -> list[int]:
        """All of them, outermost first."""
        return [*self.marks, *self.verbs, *self.cases]


def penn_heads(sentence: HasTree, tags: Sequence[str]) -> list[int]:
    """1-based heads, 0 for the root, one tree; crossing arcs are possible. ``tags`` are Penn's."""
    relations = Relations(sentence, tags)
    chains = [_chain(relations, word) for word in range(len(tags))]
    function = {link for chain in chains for link in chain.words}
    content = [word for word in range(len(tags)) if word not in function]
    heads = [-1] * len(tags)
    for word in content:
        for above, below in pairwise([*chains[word].words, word]):
            heads[below] = above
    for word in content:
        heads[_top(chains, word)] = _attach(relations, chains, function, word)
    for word in content:
        _raise_wh(relations, chains, function, heads, word)
    return _one_tree(heads)


def _top(chains: Sequence[Chain], word: int) -> int:
    return next(iter(chains[word].words), word)


def _chain(relations: Relations, word: int) -> Chain:
    links = [kid for kid in relations.below[word] if relations.is_function(kid)]

    def named(name: str) -> list[int]:
        return [kid for kid in links if relations.names[kid] == name]

    def verbal(name: str) -> list[int]:
        return [kid for kid in named(name) if relations.tags[kid] != "TO"]

    marks = [kid for kid in verbal("mark") if relations.tags[kid] != "RP" and kid < word]
    cases = named("case")
    owners = [kid for kid in cases if relations.tags[kid] == "POS"]  # of the dog 's: both, the mark last
    cases = [kid for kid in cases if kid not in owners] + owners if owners else cases[:1]
    return Chain(marks[:1], verbal("aux") + named("cop"), cases)


def _attach(relations: Relations, chains: Sequence[Chain], function: set[int], word: int) -> int:
    """The link above a content word with its chain; -1 for the root."""
    head, name = relations.heads[word], relations.names[word]
    if head < 0:
        return -1
    if name == "punct":
        outer = relations.outer_head(word)
        if (
            outer != head
            and name == "punct"
            and relations.names[head] == "conj"
            and outer == relations.heads[head]
        ):
            return _conjoined(relations, chains, function, head)
        return _link(relations, chains, function, word, outer)
    if name == "cc" and relations.names[head] == "conj" and word < head:
        return _conjoined(relations, chains, function, head)
    if name == "conj":
        return _conjoined(relations, chains, function, word)
    return _link(relations, chains, function, word, head)


def _conjoined(relations: Relations, chains: Sequence[Chain], function: set[int], word: int) -> int:
    """Where a conjunct hangs, with its conjunction: on the link that has its like in the conjunct's chain."""
    head = relations.heads[word]
    if head in function:
        return head
    first, own = chains[head], chains[word]
    if first.marks and own.marks:
        return first.marks[0]
    if first.verbs and (own.verbs or relations.tags[word] in FINITE):
        return first.verbs[0]
    if first.cases and own.cases and relations.tags[first.cases[-1]] != "POS":
        return first.cases[0]
    return head


def _link(relations: Relations, chains: Sequence[Chain], function: set[int], word: int, head: int) -> int:
    """The link of the head's chain that a dependent hangs on."""
    if head in function:
        return head
    marks, verbs, cases = chains[head]
    if marks and word < marks[0]:
        return marks[0]
    if verbs:
        return _in_clause(relations, chains[head], word, head)
    if cases and (relations.names[word] == "case" or (word < cases[0] and relations.tags[cases[0]] != "POS")):
        return cases[0]
    return head


def _in_clause(relations: Relations, chain: Chain, word: int, head: int) -> int:
    """The same where there are auxiliaries or a copula."""
    verbs, name, tag = chain.verbs, relations.names[word], relations.tags[head]
    copular = relations.names[verbs[-1]] == "cop"
    if word < verbs[0]:
        own = tag not in ("VB", "VBN", "VBG", "VBD") and name in _OF_NOUNS
        return head if own else verbs[0]
    if word < head:
        return _before_predicate(relations, chain, word, head)
    if relations.heads[head] < 0 and relations.tags[word] in (".", "''", "``"):
        return verbs[0]
    if not copular:
        return head
    moves = _OF_CLAUSES if tag.startswith("JJ") or tag == "VBN" else _OF_NOMINAL_CLAUSES
    return verbs[-1] if name in moves else head


def _before_predicate(relations: Relations, chain: Chain, word: int, head: int) -> int:
    """Between the first auxiliary and the predicate."""
    verbs, name, tag = chain.verbs, relations.names[word], relations.tags[head]
    if (
        name in ("det", "amod", "nmod", "compound", "nummod", "flat", "case", "mark")
        or relations.tags[word] == "TO"
    ):
        return head
    degree = name == "advmod" and relations.lower[word] not in _SENTENCE_ADVERBS and word > verbs[-1]
    if degree and relations.names[verbs[-1]] == "cop" and not tag.startswith(("NN", "PR", "VBG")):
        return chain.cases[0] if chain.cases and word < chain.cases[0] else head
    return max((verb for verb in verbs if verb < word), default=verbs[0])


def _raise_wh(
    relations: Relations, chains: Sequence[Chain], function: set[int], heads: list[int], word: int
) -> None:
    """Hang a clause below the wh-phrase that opens it, in place: the head of *who left* is *who*."""
    if relations.heads[word] < 0 or chains[word].marks:
        return
    top = _top(chains, word)
    if relations.tags[word] in WH:
        if chains[word].verbs and word < chains[word].verbs[0]:  # what it is
            heads[word], heads[top] = heads[top], word
        return
    clausal = relations.tags[word].startswith("VB") or chains[word].verbs
    if relations.names[word] not in _WH_CLAUSES or not (
        clausal or relations.names[word] in ("acl", "ccomp", "advcl")
    ):
        return
    opening = min(
        (kid for kid in relations.below[word] if relations.names[kid] not in ("punct", "cc")), default=word
    )
    if opening >= word or opening in function or relations.names[opening] == "conj":
        return
    first, last = relations.span(opening)
    if any(tag in WH for tag in relations.tags[first : min(last + 1, first + 3)]):
        phrase = _top(chains, opening)
        heads[phrase], heads[top] = heads[top], phrase


def _one_tree(heads: Sequence[int]) -> list[int]:
    """1-based heads of one tree: what is left above the root or in a circle hangs on the root."""
    root = next((word for word, head in enumerate(heads) if head < 0), 0)
    found = [root + 1 if head < 0 else head + 1 for head in heads]
    found[root] = 0
    if trees.is_tree(found):
        return found
    for word in range(len(found)):
        seen, at = {word}, word
        while found[at] and found[at] - 1 not in seen:
            at = found[at] - 1
            seen.add(at)
        if found[at]:
            found[at] = root + 1
    return found
