"""Roles below the surface: what a word is to which content word, whatever the voice of the clause."""

from pipeline.sentences import HasTree

FUNCTION = frozenset({"det", "case", "aux", "cop", "mark", "cc", "punct", "expl", "clf"})
_PASSIVE = {"nsubj:pass": "obj", "csubj:pass": "obj", "obl:agent": "nsubj"}


def base(deprel: str) -> str:
    """A relation without its subtype: ``nsubj:pass`` -> ``nsubj``."""
    return deprel.split(":")[0]


def role(tree: HasTree, word: int) -> str:
    """The relation of a word (0-based) to its head in the active voice, without subtype.

    The subject of a passive is its object, and its agent, a ``by``-phrase where the parser does not mark it,
    is its subject.
    """
    deprel, head = tree.deprels[word], tree.heads[word]
    if deprel in _PASSIVE:
        return _PASSIVE[deprel]
    if base(deprel) == "obl" and head and "nsubj:pass" in _relations(tree, head):
        marks = zip(tree.words, tree.heads, tree.deprels, strict=True)
        if [form.lower() for form, above, rel in marks if above == word + 1 and rel == "case"] == ["by"]:
            return "nsubj"
    return base(deprel)


def lifted(tree: HasTree, word: int) -> tuple[int, str]:
    """Head (0-based, -1 above the root) and role of a word; a conjunct has those of the first conjunct."""
    while base(tree.deprels[word]) == "conj" and tree.heads[word]:
        word = tree.heads[word] - 1
    return tree.heads[word] - 1, role(tree, word)


def content(tree: HasTree, word: int) -> int:
    """The word itself (0-based), or the first above it that is no function word; -1 where there is none."""
    while word >= 0 and base(tree.deprels[word]) in FUNCTION:
        word = tree.heads[word] - 1
    return word


def lemma(tree: HasTree, word: int) -> str:
    """The lemma in lower case, or the word where the tree carries no lemmas."""
    return (tree.lemmas[word] if tree.lemmas else "").lower() or tree.words[word].lower()


def _relations(tree: HasTree, head: int) -> set[str]:
    return {rel for above, rel in zip(tree.heads, tree.deprels, strict=True) if above == head}
