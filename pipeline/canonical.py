"""The content words of a sentence in an order that its tree decides.

Voice, fronting, clefting and dative shift move words and leave untouched who does what. So a clause is read
agent, verb, recipient, patient, complements, then the rest as it stands; elsewhere words keep to their side
of the head, and conjuncts come last. ``The prize was won by Ann in May``, ``In May, Ann won the prize`` and
``Ann won the prize in May`` are then one sequence: Ann, win, prize, May.
"""

from collections import defaultdict

from pipeline import roles
from pipeline.errors import SynsemError
from pipeline.sentences import HasTree

CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "PRON", "SYM", "INTJ", "X"})
NEGATION = frozenset({"not", "n't", "no", "never"})  # English; kept, for they turn what is said
BEFORE, REST, LAST = -1, 4, 5
_CLAUSE = {"nsubj": BEFORE, "csubj": BEFORE, "iobj": 1, "obj": 2, "xcomp": 3, "ccomp": 3}


def canonical_order(tree: HasTree) -> list[int]:
    """0-based positions of the content words and negations, in canonical order.

    Raises SynsemError where the tree carries no relations or no part-of-speech tags.
    """
    if tree.words and not (tree.deprels and tree.upos):
        raise SynsemError(
            f"{tree.text[:60]!r}: carries no relations and tags; parse it, or set encoder.sketch.weight to 0"
        )
    below: dict[int, list[int]] = defaultdict(list)
    for word, deprel in enumerate(tree.deprels):
        if roles.base(deprel) not in roles.FUNCTION or _negates(tree, word):
            below[roles.content(tree, tree.heads[word] - 1)].append(word)
    order: list[int] = []
    waiting = [(word, False) for word in reversed(below[-1])]
    while waiting:
        word, ready = waiting.pop()
        if ready:
            order.append(word)
            continue
        ranked = sorted((_slot(tree, child, word), child) for child in below[word])
        after = [(child, False) for slot, child in ranked if slot > BEFORE]
        before = [(child, False) for slot, child in ranked if slot == BEFORE]
        waiting += [*reversed(after), (word, True), *reversed(before)]
    return [word for word in order if tree.upos[word] in CONTENT or _negates(tree, word)]


def _slot(tree: HasTree, word: int, head: int) -> int:
    """Where a dependent stands among its head's: before it, or in which place after it."""
    if roles.base(tree.deprels[word]) == "conj":
        return LAST
    if tree.upos[head] in ("VERB", "AUX"):
        return _CLAUSE.get(roles.role(tree, word), REST)
    return BEFORE if word < head else REST


def _negates(tree: HasTree, word: int) -> bool:
    return roles.lemma(tree, word) in NEGATION
