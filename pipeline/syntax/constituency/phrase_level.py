"""Phrases headed by nouns, prepositions, subordinators, adverbs and adjectives.

A base noun phrase is flat: the noun and what stands before it. Modifiers after it make a phrase around it:
``(NP (NP the dog) (PP of ...))``. Head rules take the last noun of a coordination as its head, UD takes the
first, so further conjuncts may stand on both sides.
"""

from collections.abc import Sequence

from pipeline.syntax.constituency.penn import NOUNS, WH, PennTree
from pipeline.syntax.constituency.placing import place, placed, with_parentheses
from pipeline.syntax.constituency.tree import Tree

_SEPARATORS = frozenset({"CC", ",", ":"})


def noun_phrase(sentence: PennTree, head: int) -> Tree:
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
    sentence: PennTree,
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


def _possessive(sentence: PennTree, head: int, label: str, left: Sequence[int], right: Sequence[int]) -> Tree:
    """*the dog 's*: the owner and the mark in one flat phrase."""
    owner: list[Tree] = []
    for tree in placed(sentence, left, head):
        nested = any(child.label in ("NP", "PP", "SBAR", "VP") for child in tree.children)
        owner += tree.children if tree.label == "NP" and not nested else [tree]
    return Tree(label, (*owner, sentence.own(head), *placed(sentence, right, head)))


def _closes_base(sentence: PennTree, head: int, word: int) -> bool:
    """Whether a word after the noun is in its base phrase: *Nov. 29*, and the number after ``$``."""
    if sentence.tags[head] in ("$", "#") and sentence.tags[word] == "CD":
        return True
    return sentence.leaf(word) and sentence.tags[word] in ("CD", "POS", "NNP", "NNPS")


def _money(sentence: PennTree, head: int, left: Sequence[int], closing: Sequence[int]) -> tuple[Tree, ...]:
    """*$ 45* is flat, *about $ 1.5 million* a quantity."""
    numbers = [
        child for word in closing for child in sentence.phrases[word].children or (sentence.phrases[word],)
    ]
    if not all(map(sentence.leaf, left)):
        return (*placed(sentence, left, head), sentence.own(head), *numbers)
    amount = (*(sentence.phrases[word] for word in left), sentence.own(head), *numbers)
    return (Tree("QP", amount),) if len(amount) > 2 else amount


def _modified(sentence: PennTree, head: int, base: Tree, right: Sequence[int]) -> Tree:
    """The base phrase with complement clauses inside it, and modifiers and conjuncts around it."""
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


def _around(sentence: PennTree, head: int, base: Tree, right: Sequence[int]) -> Tree:
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


def _trees(sentence: PennTree, head: int, words: Sequence[int], apart: bool = False) -> tuple[Tree, ...]:
    """The constituents after a noun; after a comma (``apart``) single nouns are phrases."""
    for at, word in enumerate(words):
        if sentence.tags[word] in (",", ":"):
            apart = True
        if apart and sentence.leaf(word) and sentence.tags[word] in NOUNS | {"CD"}:
            before = with_parentheses(sentence, words[:at], head)
            after = _trees(sentence, head, words[at + 1 :], apart=True)
            return (*before, Tree("NP", (sentence.phrases[word],)), *after)
    return with_parentheses(sentence, words, head)


def _separators(sentence: PennTree, left: Sequence[int]) -> list[int]:
    """Places in ``left`` of the conjunctions and commas between conjuncts or appositions."""
    found = []
    for at, word in enumerate(left):
        mark = sentence.leaf(word) and sentence.tags[word] in _SEPARATORS
        if at and (mark or sentence.phrases[word].label == "CONJP"):
            before = next((each for each in reversed(left[:at]) if not sentence.punctuation(each)), left[0])
            if _conjunct(sentence, before):
                found.append(at)
    return found


def _conjunct(sentence: PennTree, word: int) -> bool:
    tag = sentence.tags[word]
    return tag != "POS" and (
        tag in NOUNS | {"PRP", "$", "CD", "DT", "JJS"} or sentence.phrases[word].label in ("NP", "QP")
    )


def _flat_list(sentence: PennTree, left: Sequence[int], separators: Sequence[int]) -> bool:
    """*research and development*: single words with a conjunction among them."""
    joined = any(
        sentence.tags[left[at]] == "CC" or sentence.phrases[left[at]].label == "CONJP" for at in separators
    )
    return joined and all(map(sentence.leaf, left))


def _coordinated(
    sentence: PennTree,
    head: int,
    label: str,
    before: tuple[Sequence[int], Sequence[int]],
    core: tuple[Tree, ...],
    right: Sequence[int],
) -> Tree:
    """Conjuncts or appositions before the head, each a phrase; the last one holds the head's modifiers."""
    left, separators = before
    found: list[Tree] = []
    start = 0
    for at in separators:
        found += _segment(sentence, head, left[start:at])
        found.append(sentence.phrases[left[at]])
        start = at + 1
    last = Tree(label, (*placed(sentence, left[start:], head), *core))
    return Tree(label, (*found, _modified(sentence, head, last, right)))


def _segment(sentence: PennTree, head: int, words: Sequence[int]) -> tuple[Tree, ...]:
    """One conjunct: a noun phrase at the end, and before it the other children of the head."""
    if not words:
        return ()
    *opening, last = words
    rest, phrase = placed(sentence, opening, head), sentence.phrases[last]
    if phrase.label == "QP" or (sentence.leaf(last) and _conjunct(sentence, last)):
        return (Tree("NP", (*rest, phrase)),)
    return (*rest, phrase) if phrase.label == "NP" else (*rest, *place(sentence, last, head))


_SUBORDINATORS = frozenset({
    "as", "if", "unless", "though", "although", "while", "than", "because", "once", "until", "whether",
    "that"
})  # fmt: skip


def prepositional(sentence: PennTree, head: int) -> Tree:
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


def _conjuncts(sentence: PennTree, right: Sequence[int]) -> int | None:
    """The place of the first further conjunct of a preposition: *in spring and in autumn*."""
    for at, word in enumerate(right[:-1]):
        if at and sentence.tags[word] == "CC" and sentence.tags[right[at + 1]] in ("IN", "TO"):
            while at and sentence.tags[right[at - 1]] in ("IN", "TO", ","):
                at -= 1
            return at or None
    return None


def _relative(
    sentence: PennTree,
    head: int,
    label: str,
    opening: tuple[Tree, ...],
    right: Sequence[int],
    verbs: Sequence[int],
) -> Tree:
    """A wh-phrase, inside ``SBAR`` with its clause if it has one: *in which he lives*."""
    cut = right.index(verbs[0]) if verbs else len(right)
    phrase = Tree(label, (*opening, *placed(sentence, right[:cut], head)))
    return Tree("SBAR", (phrase, *placed(sentence, right[cut:], head))) if verbs else phrase


def adverbial(sentence: PennTree, head: int) -> Tree:
    """``ADVP``; ``WHADVP`` or its ``SBAR`` with a wh-word in it; ``PP`` where it governs a noun or a verb."""
    left, right = sentence.sides(head)
    opening = (*placed(sentence, left, head), sentence.own(head))
    verbs = [word for word in right if sentence.verbal(word)]
    if sentence.tags[head] == "WRB" or any(sentence.tags[word] == "WRB" for word in left):
        return _relative(sentence, head, "WHADVP", opening, right, verbs)
    closing = placed(sentence, right, head)
    governs = bool(right) and (sentence.verbal(right[0]) or closing[0].label == "NP")
    return Tree("PP" if governs else "ADVP", opening + closing)


def adjectival(sentence: PennTree, head: int) -> Tree:
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


def other(sentence: PennTree, head: int, label: str) -> Tree:
    """One flat phrase over the head and the constituents of its children."""
    left, right = sentence.sides(head)
    return Tree(label, (*placed(sentence, left, head), sentence.own(head), *placed(sentence, right, head)))
