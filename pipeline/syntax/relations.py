"""Universal Dependencies relations and their numbers; content words, their roles and lemmas."""

from collections.abc import Iterable
from functools import lru_cache

from pipeline.syntax.sentence import HasTree

UNKNOWN = 0
# The 37 of UD v2; a subtype (acl:relcl) counts as its relation.
RELATIONS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop",
    "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list",
    "mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root",
    "vocative", "xcomp",
)  # fmt: skip
SIZE = 1 + len(RELATIONS)
_NUMBER = {name: number for number, name in enumerate(RELATIONS, start=1)}
CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "PRON", "SYM", "INTJ", "X"})
VERBAL = frozenset({"VERB", "AUX"})
FUNCTION = frozenset({"det", "case", "aux", "cop", "mark", "cc", "punct", "expl", "clf"})
# English. Negations count among the content words, because they reverse the meaning.
NEGATION = frozenset({"not", "n't", "no", "never"})
_ACTIVE = {"nsubj:pass": "obj", "csubj:pass": "obj", "obl:agent": "nsubj"}


@lru_cache(maxsize=1_000)
def universal(deprel: str) -> str:
    """A relation without its subtype: ``nsubj:pass`` -> ``nsubj``."""
    return deprel.partition(":")[0]


def relation_numbers(deprels: Iterable[str]) -> list[int]:
    """Numbers below ``SIZE``, one a relation; ``UNKNOWN`` for a relation outside UD."""
    return [_NUMBER.get(universal(name), UNKNOWN) for name in deprels]


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
