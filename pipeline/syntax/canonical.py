"""Canonical order and roles: a sentence's content words and relations, whatever its voice and word order.

Voice, fronting, clefting and dative shift move words without changing who does what. In canonical order a
clause is read as agent, verb, recipient, patient, complements, then the rest as it stands. Other words stay
on their side of the head, and conjuncts come last. ``The prize was won by Ann in May``, ``In May, Ann won
the prize`` and ``Ann won the prize in May`` all give: Ann, win, prize, May.
"""

from collections import defaultdict
from collections.abc import Callable, Collection

from pipeline.core.errors import SynsemError
from pipeline.syntax.relations import universal
from pipeline.syntax.sentence import HasTree

CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "PRON", "SYM", "INTJ", "X"})
VERBAL = frozenset({"VERB", "AUX"})
FUNCTION = frozenset({"det", "case", "aux", "cop", "mark", "cc", "punct", "expl", "clf"})
# English. Negations are kept in canonical order, because they reverse the meaning.
NEGATION = frozenset({"not", "n't", "no", "never"})
_ACTIVE = {"nsubj:pass": "obj", "csubj:pass": "obj", "obl:agent": "nsubj"}
# Places of dependents: before the head, at a number after it, after those, and after all others.
BEFORE, REST, LAST = -1, 4, 5
_IN_CLAUSE = {"nsubj": BEFORE, "csubj": BEFORE, "iobj": 1, "obj": 2, "xcomp": 3, "ccomp": 3}


def canonical_order(tree: HasTree) -> list[int]:
    """0-based positions of the content words and negations, in canonical order.

    Raises SynsemError where the tree carries no relations or no part-of-speech tags.
    """
    return in_order(tree, lambda word, head: (place_in_canonical_order(tree, word, head), word))


def in_order(
    tree: HasTree, key: Callable[[int, int], tuple[int, int]], left_out: Collection[int] = ()
) -> list[int]:
    """0-based positions of the content words and negations, each among its dependents by their keys.

    ``key`` gives the place (below 0: before the head) and the rank in that place of a dependent, from its
    position and its head's. The words ``left_out`` are not named. Raises as ``canonical_order``.
    """
    if tree.words and not (tree.deprels and tree.upos):
        raise SynsemError(
            f"{tree.text[:60]!r}: carries no relations and tags; run the parse stage on it again"
        )
    negates = [lemma(tree, word) in NEGATION for word in range(len(tree.words))]
    functional = [universal(deprel) in FUNCTION for deprel in tree.deprels]
    below: dict[int, list[int]] = defaultdict(list)
    for word, head in enumerate(tree.heads):
        if not functional[word] or negates[word]:
            above = head - 1
            while above >= 0 and functional[above]:  # as ``content``, with what is known of all words
                above = tree.heads[above] - 1
            below[above].append(word)
    order: list[int] = []
    waiting = [(word, False) for word in reversed(below[-1])]
    while waiting:
        word, ready = waiting.pop()
        if ready:
            order.append(word)
            continue
        children = below.get(word)
        if children is None:
            order.append(word)
            continue
        ranked = sorted((key(child, word), child) for child in children)
        after = [(child, False) for (place, _), child in ranked if place > BEFORE]
        before = [(child, False) for (place, _), child in ranked if place == BEFORE]
        waiting += [*reversed(after), (word, True), *reversed(before)]
    return [word for word in order if (tree.upos[word] in CONTENT or negates[word]) and word not in left_out]


def place_in_canonical_order(tree: HasTree, word: int, head: int) -> int:
    """The place of a dependent among those of its head: BEFORE it, at a number after it, REST or LAST."""
    if universal(tree.deprels[word]) == "conj":
        return LAST
    if tree.upos[head] in VERBAL:
        return place_of_role(role(tree, word))
    return BEFORE if word < head else REST


def place_of_role(role: str) -> int:
    """The place in its clause of what has this role in the active voice."""
    return _IN_CLAUSE.get(role, REST)


def role(tree: HasTree, word: int) -> str:
    """The relation of a word (0-based) to its head in the active voice, without subtype.

    The subject of a passive is its object. The agent is its subject; where the parser does not mark the
    agent, a ``by``-phrase is taken for it.
    """
    deprel, head = tree.deprels[word], tree.heads[word]
    if deprel in _ACTIVE:
        return _ACTIVE[deprel]
    if universal(deprel) == "obl" and head and "nsubj:pass" in _relations_below(tree, head):
        marks = zip(tree.words, tree.heads, tree.deprels, strict=True)
        if [form.lower() for form, above, rel in marks if above == word + 1 and rel == "case"] == ["by"]:
            return "nsubj"
    return universal(deprel)


def lifted(tree: HasTree, word: int) -> tuple[int, str]:
    """Head (0-based, -1 above the root) and role of a word; a conjunct has those of the first conjunct."""
    while universal(tree.deprels[word]) == "conj" and tree.heads[word]:
        word = tree.heads[word] - 1
    return tree.heads[word] - 1, role(tree, word)


def content(tree: HasTree, word: int) -> int:
    """The word itself (0-based) or its nearest ancestor that is not a function word; -1 for none."""
    while word >= 0 and universal(tree.deprels[word]) in FUNCTION:
        word = tree.heads[word] - 1
    return word


def lemma(tree: HasTree, word: int) -> str:
    """The lemma in lower case, or the word where the tree carries no lemmas."""
    return (tree.lemmas[word] if tree.lemmas else "").lower() or tree.words[word].lower()


def _relations_below(tree: HasTree, head: int) -> set[str]:
    return {rel for above, rel in zip(tree.heads, tree.deprels, strict=True) if above == head}
