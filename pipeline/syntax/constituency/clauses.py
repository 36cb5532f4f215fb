"""Clauses: what follows the verb goes into its verb phrase, what precedes it into the clause around that.

The head of a clause is its finite verb or first auxiliary. The head of an infinitive is *to* or the verb.
"""

from collections.abc import Sequence

from pipeline.syntax.constituency.penn import BE_OR_HAVE, PennTree
from pipeline.syntax.constituency.phrases import placed
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
    body = Tree(label, (*placed(sentence, left, head), phrase, *placed(sentence, inverted, head)))
    if conjuncts:
        return Tree("S", (body, *conjuncts, *closing))
    return Tree(label, body.children + closing)


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
            (*placed(sentence, left, head), sentence.own(head), *placed(sentence, right, head)),
        )
    opening, before = left[: wh + 1], left[wh + 1 :]
    if inverts and not before and right and sentence.nominal(right[0]):
        body = (sentence.own(head), *placed(sentence, right, head))
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


def _verb_phrase(
    sentence: PennTree, head: int, right: Sequence[int], subject: int | None
) -> tuple[Tree, tuple[Tree, ...], bool]:
    """The verb with what follows it, conjuncts that are clauses, and whether verb phrases are conjoined."""
    for at, word in reversed(list(enumerate(right))):
        last = next(filter(sentence.verbal, right[at + 1 :]), None)
        joins = sentence.tags[word] == "CC" or sentence.words[word] == ";"
        if not joins or last is None or sentence.finite(head) != sentence.finite(last):
            continue
        start = at - 1 if at and sentence.tags[right[at - 1]] == "," else at
        own = placed(sentence, right[:start], head)
        phrase = Tree("VP", (sentence.phrases[last],)) if sentence.leaf(last) else sentence.phrases[last]
        place_of_last = right.index(last)
        before = placed(sentence, right[start:place_of_last], head)
        after = placed(sentence, right[place_of_last + 1 :], head)
        if subject is not None and last in sentence.subjects and phrase.label in ("S", "SINV"):
            return Tree("VP", (sentence.own(head), *own)), (*before, phrase, *after), False
        if not own and sentence.leaf(last) and right[at + 1] == last:  # bought and sold stocks
            return Tree("VP", (sentence.own(head), *before, sentence.own(last), *after)), (), False
        return Tree("VP", (Tree("VP", (sentence.own(head), *own)), *before, phrase, *after)), (), True
    return Tree("VP", (sentence.own(head), *placed(sentence, right, head))), (), False
