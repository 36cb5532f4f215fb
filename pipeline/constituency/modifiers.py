"""Phrases headed by prepositions and subordinators, adverbs, adjectives, and what has no rule of its own."""

from collections.abc import Sequence

from pipeline.constituency.nominals import noun_phrase
from pipeline.constituency.placing import placed
from pipeline.constituency.skeleton import Skeleton
from pipeline.constituency.tree import Tree

_SUBORDINATORS = frozenset({
    "as", "if", "unless", "though", "although", "while", "than", "because", "once", "until", "whether",
    "that"
})  # fmt: skip


def prepositional(sentence: Skeleton, head: int) -> Tree:
    """``PP``, or ``SBAR`` over a clause: *that he left*; ``ADVP`` for *years ago*."""
    left, right = sentence.sides(head)
    opening = (*placed(sentence, left, head), sentence.own(head))
    if not right:
        return Tree("ADVP" if left else "PP", opening)
    verbs = [word for word in right if sentence.verbal(word)]
    if any(map(sentence.questioning, right)):
        return _relative(sentence, head, "WHPP", opening, right, verbs)
    clause = any(map(sentence.finite, verbs)) or (
        bool(verbs)
        and (
            sentence.infinitive(verbs[0])
            or (
                sentence.lower[head] in _SUBORDINATORS
                and not any(sentence.phrases[word].label == "NP" for word in right)
            )
        )
    )
    label = "SBAR" if clause else "PP"
    cut = _conjuncts(sentence, right)
    if cut is None:
        return Tree(label, (*opening, *placed(sentence, right, head)))
    first = Tree(label, (*opening, *placed(sentence, right[:cut], head)))
    return Tree(label, (first, *placed(sentence, right[cut:], head)))


def _conjuncts(sentence: Skeleton, right: Sequence[int]) -> int | None:
    """Where the further conjuncts of a preposition begin: *in spring and in autumn*."""
    for at, word in enumerate(right[:-1]):
        if at and sentence.tags[word] == "CC" and sentence.tags[right[at + 1]] in ("IN", "TO"):
            while at and sentence.tags[right[at - 1]] in ("IN", "TO", ","):
                at -= 1
            return at or None
    return None


def _relative(
    sentence: Skeleton,
    head: int,
    label: str,
    opening: tuple[Tree, ...],
    right: Sequence[int],
    verbs: Sequence[int],
) -> Tree:
    """A wh-phrase, with its clause where it has one: *in which he lives*."""
    cut = right.index(verbs[0]) if verbs else len(right)
    phrase = Tree(label, (*opening, *placed(sentence, right[:cut], head)))
    return Tree("SBAR", (phrase, *placed(sentence, right[cut:], head))) if verbs else phrase


def adverbial(sentence: Skeleton, head: int) -> Tree:
    """``ADVP``; ``WHADVP`` or its ``SBAR`` with a wh-word in it; ``PP`` where it governs a noun or a verb."""
    left, right = sentence.sides(head)
    opening = (*placed(sentence, left, head), sentence.own(head))
    verbs = [word for word in right if sentence.verbal(word)]
    if sentence.tags[head] == "WRB" or any(sentence.tags[word] == "WRB" for word in left):
        return _relative(sentence, head, "WHADVP", opening, right, verbs)
    closing = placed(sentence, right, head)
    governs = bool(right) and (sentence.verbal(right[0]) or closing[0].label == "NP")
    return Tree("PP" if governs else "ADVP", opening + closing)


def adjectival(sentence: Skeleton, head: int) -> Tree:
    """``ADJP``; a noun phrase where it has a determiner: *the poor*."""
    left, right = sentence.sides(head)
    superlative = sentence.tags[head] == "JJS" and any(sentence.tags[word] == "IN" for word in right)
    if superlative or any(sentence.tags[word] in ("DT", "PRP$") for word in left):
        return noun_phrase(sentence, head)
    opening = (*placed(sentence, left, head), sentence.own(head))
    if any(sentence.tags[word] == "WRB" for word in left):
        verbs = [word for word in right if sentence.verbal(word) and sentence.finite(word)]
        return _relative(sentence, head, "WHADJP", opening, right, verbs)
    return Tree("ADJP", opening + placed(sentence, right, head))


def other(sentence: Skeleton, head: int, label: str) -> Tree:
    """One flat phrase over the head and what its dependents contribute."""
    left, right = sentence.sides(head)
    return Tree(label, (*placed(sentence, left, head), sentence.own(head), *placed(sentence, right, head)))
