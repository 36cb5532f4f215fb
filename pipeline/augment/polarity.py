"""Polarity: what makes a clause negative, and the words that need a negation or bear none."""

from collections.abc import Iterable

from pipeline.augment.morphology import words
from pipeline.augment.source_tree import SourceTree

_ANY = frozenset({"any", "anybody", "anymore", "anyone", "anything", "anywhere", "ever", "yet"})
_CLAUSES = frozenset({"acl", "advcl", "ccomp", "conj", "csubj", "parataxis", "xcomp"})
_NEGATIVE_VERBS = words("negative_verbs")
_NEGATORS = words("negators")
_POLARITY = words("negative_polarity")
_POSITIVE = words("positive_polarity")


def _in_a_row(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Words in a row from a word list, where ``_`` stands between them."""
    return tuple(tuple(name.split("_")) for name in sorted(names))


_NEED, _BEAR_NONE = _in_a_row(words("need_negation")), _in_a_row(words("bear_no_negation"))


def _holds(tree: SourceTree, rows: tuple[tuple[str, ...], ...]) -> bool:
    lower = tree.lower
    return any(
        tuple(lower[i : i + len(row)]) == row
        for row in rows
        if row[0] in lower
        for i in range(len(tree) - len(row) + 1)
    )


def needs_negation(tree: SourceTree, besides: int = -1) -> bool:
    """Whether a word of the sentence needs a negation (``at all``, ``a wink``), or is one, like ``never``.

    The word ``besides`` does not count.
    """
    return any(lower in _POLARITY for i, lower in enumerate(tree.lower) if i != besides) or _holds(
        tree, _NEED
    )


def bears_no_negation(tree: SourceTree) -> bool:
    """Whether a word of the sentence bears no negation (``already``, ``had better``), or needs one."""
    if not (_POSITIVE.isdisjoint(tree.lower) and _POLARITY.isdisjoint(tree.lower)):
        return True
    far = any(
        lower == "far" and tree.xpos[i + 1] in ("JJR", "RBR") for i, lower in enumerate(tree.lower[:-1])
    )
    of = any(
        lower in ("kind", "sort") and tree.universal[i] in ("advmod", "obl")
        for i, lower in enumerate(tree.lower)
    )
    return far or of or _holds(tree, _BEAR_NONE)


def has_any(tree: SourceTree, word: int) -> bool:
    """Whether the phrase holds a word like ``any``, ``anyone``, ``ever`` or ``yet``."""
    return any(tree.lower[i] in _ANY for i in tree.subtree(word))


def is_negated(tree: SourceTree, verb: int, besides: int = -1) -> bool:
    """Whether the clause is negative, or nearly so: it has ``not``, ``hardly``, ``nobody``, ``few people``.

    The phrase of the word ``besides`` does not count, nor do the clauses in the clause.
    """
    return any(kid != besides and _negates(tree, kid) for kid in tree.children[verb])


def _negates(tree: SourceTree, word: int) -> bool:
    if tree.universal[word] in _CLAUSES:
        return False
    # ``a few`` and ``a little`` are positive.
    if tree.lower[word] in _NEGATORS and not (
        tree.lower[word] in ("few", "little") and word and tree.lower[word - 1] == "a"
    ):
        return True
    return any(_negates(tree, kid) for kid in tree.children[word])


def is_under_negation(tree: SourceTree, word: int) -> bool:
    """Whether a clause around the word is negative, by another word than this one, or by ``deny``."""
    head, last = tree.parents[word], word
    while head >= 0:
        denies = tree.lemmas[head].lower() in _NEGATIVE_VERBS and tree.universal[last] != "advmod"
        if denies or is_negated(tree, head, besides=last):
            return True
        head, last = tree.parents[head], head
    return False
