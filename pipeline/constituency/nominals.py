"""Noun phrases: the base with what stands before the noun, modifiers after it, conjuncts and appositions.

A base noun phrase is flat; the first modifier after it makes a phrase around it: ``(NP (NP the dog) (PP of
...))``. Head rules take the last noun of a coordination for its head, Universal Dependencies the first, so
further conjuncts are looked for on both sides.
"""

from collections.abc import Sequence

from pipeline.constituency.asides import with_asides
from pipeline.constituency.placing import place, placed
from pipeline.constituency.skeleton import NOUNS, WH, Skeleton
from pipeline.constituency.tree import Tree

_SEPARATORS = frozenset({"CC", ",", ":"})


def noun_phrase(sentence: Skeleton, head: int) -> Tree:
    """``NP``; ``WHNP`` where a wh-word is in it, with its clause an ``SBAR``: *who left*."""
    left, right = sentence.sides(head)
    label = "WHNP" if sentence.tags[head] in WH or any(map(sentence.questioning, left)) else "NP"
    if sentence.tags[head] == "POS":
        return _possessive(sentence, head, label, left, right)
    tail: list[int] = []
    while head == sentence.root and right and sentence.tags[right[-1]] in (".", "''"):
        tail.insert(0, right.pop())
    closing: list[int] = []  # of the base
    while right and _closes_base(sentence, head, right[0]):
        closing.append(right.pop(0))
    phrase = _phrase(sentence, head, label, left, closing, right)
    return Tree(phrase.label, phrase.children + placed(sentence, tail, head)) if tail else phrase


def _phrase(
    sentence: Skeleton,
    head: int,
    label: str,
    left: Sequence[int],
    closing: Sequence[int],
    right: Sequence[int],
) -> Tree:
    if sentence.tags[head] in ("$", "#"):
        return _modified(sentence, head, Tree(label, _money(sentence, head, left, closing)), right)
    core = (sentence.own(head), *(sentence.phrases[word] for word in closing))
    separators = _separators(sentence, left)
    if separators and not _flat_list(sentence, left, separators):
        return _coordinated(sentence, head, label, (left, separators), core, right)
    base = Tree(label, (*placed(sentence, left, head), *core))
    verb = next((at for at, word in enumerate(right) if sentence.verbal(word)), None)
    if label == "WHNP" and verb is not None:
        wh = Tree(label, (base, *placed(sentence, right[:verb], head))) if verb else base
        return Tree("SBAR", (wh, *placed(sentence, right[verb:], head)))
    return _modified(sentence, head, base, right)


def _possessive(sentence: Skeleton, head: int, label: str, left: Sequence[int], right: Sequence[int]) -> Tree:
    """*the dog 's*: the owner's base and the mark in one flat phrase."""
    owner: list[Tree] = []
    for tree in placed(sentence, left, head):
        nested = any(child.label in ("NP", "PP", "SBAR", "VP") for child in tree.children)
        owner += tree.children if tree.label == "NP" and not nested else [tree]
    return Tree(label, (*owner, sentence.own(head), *placed(sentence, right, head)))


def _closes_base(sentence: Skeleton, head: int, word: int) -> bool:
    """Whether a word after the noun is in its base: *Nov. 29*, and the number after a sign of currency."""
    if sentence.tags[head] in ("$", "#") and sentence.tags[word] == "CD":
        return True
    return sentence.leaf(word) and sentence.tags[word] in ("CD", "POS", "NNP", "NNPS")


def _money(sentence: Skeleton, head: int, left: Sequence[int], closing: Sequence[int]) -> tuple[Tree, ...]:
    """*$ 45* is flat, *about $ 1.5 million* a quantity."""
    numbers = [
        child for word in closing for child in sentence.phrases[word].children or (sentence.phrases[word],)
    ]
    if not all(map(sentence.leaf, left)):
        return (*placed(sentence, left, head), sentence.own(head), *numbers)
    amount = (*(sentence.phrases[word] for word in left), sentence.own(head), *numbers)
    return (Tree("QP", amount),) if len(amount) > 2 else amount


def _modified(sentence: Skeleton, head: int, base: Tree, right: Sequence[int]) -> Tree:
    """The base and what follows: clauses that complete the noun inside it, modifiers, conjuncts around it."""
    if not right:
        return base
    joined = next((at for at, word in enumerate(right) if at and sentence.tags[word] == "CC"), None)
    if sentence.tags[right[0]] == "CC":
        joined = 0
    if joined is not None and all(map(sentence.leaf, right)):  # a list of single words
        return Tree(base.label, base.children + tuple(sentence.phrases[word] for word in right))
    cut = len(right)
    if joined is not None and joined + 1 < len(right) and any(map(sentence.nominal, right[joined + 1 :])):
        cut = joined
        while cut and (
            sentence.tags[right[cut - 1]] == "," or (cut > 1 and sentence.nominal(right[cut - 1]))
        ):
            cut -= 1
    if not 0 < cut < len(right):
        return _around(sentence, head, base, right)
    first = _around(sentence, head, base, right[:cut])
    return Tree(base.label, (first, *_trees(sentence, head, right[cut:], apart=True)))


def _around(sentence: Skeleton, head: int, base: Tree, right: Sequence[int]) -> Tree:
    first = place(sentence, right[0], head)[0]
    completes = (first.label == "S" and sentence.infinitive(right[0])) or (
        first.label == "SBAR" and sentence.tags[right[0]] == "IN" and sentence.lower[right[0]] == "that"
    )
    if completes and not sentence.leaf(right[0]):
        base, right = Tree(base.label, (*base.children, first)), right[1:]
    items = _trees(sentence, head, right)
    if all(not item.children for item in items):
        return Tree(base.label, base.children + items)
    return Tree(base.label, (base, *items))


def _trees(sentence: Skeleton, head: int, words: Sequence[int], apart: bool = False) -> tuple[Tree, ...]:
    """The constituents after a noun; beyond a comma (``apart``) single nouns are phrases."""
    for at, word in enumerate(words):
        if sentence.tags[word] in (",", ":"):
            apart = True
        if apart and sentence.leaf(word) and sentence.tags[word] in NOUNS | {"CD"}:
            before = with_asides(sentence, words[:at], head)
            after = _trees(sentence, head, words[at + 1 :], apart=True)
            return (*before, Tree("NP", (sentence.phrases[word],)), *after)
    return with_asides(sentence, words, head)


def _separators(sentence: Skeleton, left: Sequence[int]) -> list[int]:
    """Places in ``left`` of conjunctions and commas after a nominal: between conjuncts or appositions."""
    found = []
    for at, word in enumerate(left):
        mark = sentence.leaf(word) and sentence.tags[word] in _SEPARATORS
        if at and (mark or sentence.phrases[word].label == "CONJP"):
            before = next((each for each in reversed(left[:at]) if not sentence.punctuation(each)), left[0])
            if _conjunct(sentence, before):
                found.append(at)
    return found


def _conjunct(sentence: Skeleton, word: int) -> bool:
    tag = sentence.tags[word]
    return tag != "POS" and (
        tag in NOUNS | {"PRP", "$", "CD", "DT", "JJS"} or sentence.phrases[word].label in ("NP", "QP")
    )


def _flat_list(sentence: Skeleton, left: Sequence[int], separators: Sequence[int]) -> bool:
    """*research and development*: single words with a conjunction among them."""
    joined = any(
        sentence.tags[left[at]] == "CC" or sentence.phrases[left[at]].label == "CONJP" for at in separators
    )
    return joined and all(map(sentence.leaf, left))


def _coordinated(
    sentence: Skeleton,
    head: int,
    label: str,
    before: tuple[Sequence[int], Sequence[int]],
    core: tuple[Tree, ...],
    right: Sequence[int],
) -> Tree:
    """Conjuncts or appositions before the head, each a phrase; the head's own modifiers are in the last."""
    left, separators = before
    found: list[Tree] = []
    start = 0
    for at in separators:
        found += _segment(sentence, head, left[start:at])
        found.append(sentence.phrases[left[at]])
        start = at + 1
    last = Tree(label, (*placed(sentence, left[start:], head), *core))
    return Tree(label, (*found, _modified(sentence, head, last, right)))


def _segment(sentence: Skeleton, head: int, words: Sequence[int]) -> tuple[Tree, ...]:
    """One conjunct: its last word is the nominal, what else hangs on the head stands before it."""
    if not words:
        return ()
    *opening, last = words
    rest, phrase = placed(sentence, opening, head), sentence.phrases[last]
    if phrase.label == "QP" or (sentence.leaf(last) and _conjunct(sentence, last)):
        return (Tree("NP", (*rest, phrase)),)
    return (*rest, phrase) if phrase.label == "NP" else (*rest, *place(sentence, last, head))
