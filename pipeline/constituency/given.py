"""Constituency trees that a sentence carries, in one string that says where they are from: ``gold (S ...)``.

A sentence whose words are no longer those of its tree (a variant made from it) has none.
"""

from pipeline.constituency.brackets import read, unescaped, words
from pipeline.constituency.tree import Tree, leaves
from pipeline.errors import SynsemError
from pipeline.sentences import HasTree

GOLD, STANZA, DERIVED = "gold", "stanza", "derived"


def packed(kind: str, brackets: str) -> str:
    """What ``Sentence.constituents`` holds; ``kind`` is a word such as ``gold``.

    Raises SynsemError where the brackets are no tree.
    """
    read(brackets)
    return f"{kind} {' '.join(brackets.split())}"


def given(sentence: HasTree) -> tuple[str, Tree] | None:
    """The kind and the tree that a sentence carries; None where it carries none over its own words."""
    text: str = getattr(sentence, "constituents", "")
    if not text:
        return None
    kind, _, brackets = text.partition(" ")
    try:
        tree = read(brackets)
    except SynsemError as error:
        raise SynsemError(
            f"{sentence.text[:60]!r}: its given constituents are damaged ({error}); parse it again"
        ) from error
    if words(tree) != list(map(unescaped, sentence.words)):
        return None
    return kind, tree


def bracketed_words(text: str) -> tuple[str, ...] | None:
    """The words of a text that is nothing but a tree in brackets; None for any other text."""
    if not text.lstrip().startswith("("):
        return None
    try:
        tree = read(text)
    except SynsemError:
        return None
    whole = tree.children and all(leaf.word for leaf in leaves(tree))
    return tuple(words(tree)) if whole else None
