"""Clauses: what follows the verb goes into its verb phrase, what precedes it into the clause around that.

The head of a clause is its finite verb or first auxiliary. The head of an infinitive is *to* or the verb.
"""

from collections.abc import Sequence

from pipeline.syntax.constituency.penn import BE_OR_HAVE, PennTree
from pipeline.syntax.constituency.placing import place, placed, with_parentheses
from pipeline.syntax.constituency.tree import Tree

_INVERTING = BE_OR_HAVE | {"do", "does", "did"}


def clause(sentence: PennTree, head: int) -> Tree:
    """``S``, ``SINV``, ``SQ`` ... where the verb has a subject or other words before it, else its ``VP``."""
    left, right = sentence.sides(head)
    tail: list[int] = []
    while head == sentence.root and right and sentence.tags[right[-1]] in (".", "''", "``"):
        tail.insert(0, right.pop())
    closing = placed(sentence, tail, head)
    subject = _subject(sentence, head, left)
    if subject is not None:
        sentence.subjects.add(head)
    if "?" in (sentence.words[word] for word in tail) and sentence.finite(head):
        asked = _question(sentence, head, left, right, subject)
        if asked is not None:
            return Tree(asked.label, asked.children + closing)
    inverted: list[int] = []
    if subject is None and _quotes(sentence, head, left):
        nominal = next((at for at, word in enumerate(right) if sentence.nominal(word)), len(right))
        right, inverted = right[:nominal], right[nominal:]
    phrase, conjuncts, coordinated = _verb_phrase(sentence, head, right, subject)
    rest = conjuncts + closing
    to = next(
        (at for at, word in enumerate(left) if sentence.tags[word] == "TO" and sentence.leaf(word)), None
    )
    if to is not None:
        between = placed(sentence, left[to + 1 :], head)
        inner = Tree("VP", between + ((phrase,) if coordinated else phrase.children)) if between else phrase
        phrase = Tree("VP", (sentence.own(left[to]), inner))
        left = left[:to]
        if not left and not rest:
            return phrase
        if subject is None or subject not in left:
            return Tree("S", (*placed(sentence, left, head), phrase, *rest))
    elif subject is None and not sentence.finite(head) and not any(map(sentence.finite, left)):
        return _participial(sentence, head, left, phrase, rest, coordinated)
    if not left and not rest and not inverted:
        return phrase
    label = "SINV" if inverted or (subject is None and _quotes(sentence, head, left)) else "S"
    return _joined(
        sentence, head, label, left, (phrase, *placed(sentence, inverted, head)), conjuncts, closing
    )


def _subject(sentence: PennTree, head: int, left: Sequence[int]) -> int | None:
    """The last noun phrase before the verb; else an adjective, clause or gerund just before a finite verb."""
    nominal = [word for word in left if sentence.nominal(word)]
    if nominal:
        return nominal[-1]
    if not left or not sentence.finite(head):
        return None
    last = left[-1]
    bare = sentence.leaf(last) and sentence.tags[last] in ("JJ", "JJR")
    clausal = (sentence.verbal(last) and not sentence.finite(last)) or sentence.phrases[last].label == "SBAR"
    return last if bare or clausal else None


def _quotes(sentence: PennTree, head: int, left: Sequence[int]) -> bool:
    """Whether a finite clause before the verb is reported speech: *"Sell," said the broker*."""
    return (
        sentence.finite(head)
        and any(map(sentence.finite, left))
        and not any(sentence.tags[word] == "CC" for word in left)
    )


def _question(
    sentence: PennTree, head: int, left: Sequence[int], right: Sequence[int], subject: int | None
) -> Tree | None:
    """``SQ``, inside ``SBARQ`` where a wh-phrase opens it; None where the word order is a statement's."""
    wh = next((at for at, word in enumerate(left) if sentence.questioning(word)), None)
    inverts = sentence.tags[head] == "MD" or sentence.lower[head] in _INVERTING
    if wh is None:
        if subject is not None or not inverts or not right:
            return None
        return Tree(
            "SQ",
            (*placed(sentence, left, head), sentence.own(head), *with_parentheses(sentence, right, head)),
        )
    opening, before = left[: wh + 1], left[wh + 1 :]
    if inverts and not before and right and sentence.nominal(right[0]):
        body = (sentence.own(head), *with_parentheses(sentence, right, head))
    else:
        body = (*placed(sentence, before, head), _verb_phrase(sentence, head, right, subject)[0])
    return Tree("SBARQ", (*placed(sentence, opening, head), Tree("SQ", body)))


def _participial(
    sentence: PennTree,
    head: int,
    left: Sequence[int],
    phrase: Tree,
    rest: tuple[Tree, ...],
    coordinated: bool,
) -> Tree:
    """A verb phrase without subject, with the adverbs before the verb."""
    opening = placed(sentence, left, head)
    if any(sentence.tags[word] == "," for word in left):
        return Tree("S", (*opening, phrase, *rest))
    if opening:
        phrase = Tree("VP", (*opening, phrase) if coordinated else opening + phrase.children)
    return Tree("S", (phrase, *rest)) if rest else phrase


def _joined(
    sentence: PennTree,
    head: int,
    label: str,
    left: Sequence[int],
    core: tuple[Tree, ...],
    conjuncts: tuple[Tree, ...],
    closing: tuple[Tree, ...],
) -> Tree:
    """The whole clause: coordinated with a clause before or after it, a parenthesis, or plain."""
    cut = _clause_before(sentence, left)
    if cut is not None:
        last = Tree("S", (*placed(sentence, left[cut + 1 :], head), *core))
        first = placed(sentence, left[:cut], head)
        return Tree("S", (*first, sentence.phrases[left[cut]], last, *conjuncts, *closing))
    if not conjuncts and not closing and _is_parenthesis(sentence, head, left):
        comma: tuple[Tree, ...] = ()
        if core[0].children[-1].label == ",":
            comma = core[0].children[-1:]
            core = (Tree("VP", core[0].children[:-1]), *core[1:])
        inner = Tree(label, (*placed(sentence, left[1:], head), *core))
        return Tree("PRN", (sentence.own(left[0]), inner, *comma))
    body = (*with_parentheses(sentence, left, head), *core)
    if conjuncts:
        return Tree("S", (Tree(label, body), *conjuncts, *closing))
    return Tree(label, body + closing)


def _clause_before(sentence: PennTree, left: Sequence[int]) -> int | None:
    """The place of the conjunction or semicolon after a whole clause: *he came , and* ..."""
    cut = None
    for at, word in enumerate(left):
        mark = sentence.tags[word] in ("CC", ":") and sentence.leaf(word)
        before = next((each for each in reversed(left[:at]) if not sentence.punctuation(each)), None)
        if mark and before is not None and sentence.finite(before):
            cut = at
    return cut


def _is_parenthesis(sentence: PennTree, head: int, left: Sequence[int]) -> bool:
    """*, he said ,* inside another clause, its commas hanging on its own verb."""
    above = sentence.parents[head]
    return (
        bool(left)
        and above >= 0
        and sentence.tags[left[0]] == ","
        and sentence.leaf(left[0])
        and sentence.finite(head)
        and head in sentence.subjects
        and sentence.verbal(above)
    )


def _verb_phrase(
    sentence: PennTree, head: int, right: Sequence[int], subject: int | None
) -> tuple[Tree, tuple[Tree, ...], bool]:
    """The verb with what follows it, conjuncts that are clauses, and whether verb phrases are conjoined."""
    for at in reversed([at for at, word in enumerate(right) if _joins(sentence, word)]):
        conjunct = next((each for each in range(at + 1, len(right)) if sentence.verbal(right[each])), None)
        if conjunct is None or not _alike(sentence, head, right[conjunct]):
            continue
        further = [*_earlier(sentence, head, right, at), conjunct]
        first = further[0] - 1 if len(further) > 1 else at
        while first and sentence.tags[right[first - 1]] == ",":
            first -= 1
        own = with_parentheses(sentence, right[:first], head)
        rest: list[Tree] = []
        for each, word in enumerate(right[first:], first):
            phrase = sentence.phrases[word]
            if each in further:
                rest.append(Tree("VP", (phrase,)) if sentence.leaf(word) else phrase)
            else:
                rest += place(sentence, word, head)
        last = right[conjunct]
        if (
            subject is not None
            and last in sentence.subjects
            and sentence.phrases[last].label in ("S", "SINV")
        ):
            return Tree("VP", (sentence.own(head), *own)), tuple(rest), False
        if not own and sentence.leaf(last) and conjunct == at + 1:  # bought and sold stocks
            rest[conjunct - first] = sentence.own(last)
            return Tree("VP", (sentence.own(head), *rest)), (), False
        return Tree("VP", (Tree("VP", (sentence.own(head), *own)), *rest)), (), True
    return Tree("VP", (sentence.own(head), *with_parentheses(sentence, right, head))), (), False


def _joins(sentence: PennTree, word: int) -> bool:
    return sentence.tags[word] == "CC" or sentence.words[word] == ";"


def _alike(sentence: PennTree, head: int, word: int) -> bool:
    """Whether two verbs can be conjuncts: both are finite or neither; taggers confuse VB with VBP."""
    mistagged = sentence.tags[head] == "VB" and sentence.tags[word] == "VBP"
    return mistagged or sentence.finite(head) == sentence.finite(word)


def _earlier(sentence: PennTree, head: int, right: Sequence[int], before: int) -> list[int]:
    """Places of conjuncts between the first and the conjunction: *came, saw and won*."""
    return [
        at
        for at in range(1, before)
        if sentence.verbal(right[at])
        and sentence.tags[right[at]] == sentence.tags[head]
        and sentence.tags[right[at - 1]] in (",", ":", "CC")
    ]
