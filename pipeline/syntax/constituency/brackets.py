"""Reading trees in Penn Treebank brackets, alone or as the string that comes with a sentence.

A template such as ``(S (NP) (VP (VBD) (VP (VBN) (PP))))`` is a tree too. ``Sentence.constituents`` holds
the source of a tree and its brackets: ``gold (S ...)``. A tree whose words are no longer those of the
sentence is not used: a variant made by a rewrite has none.
"""

import re

from pipeline.core.errors import SynsemError
from pipeline.syntax.constituency import tree as labels
from pipeline.syntax.constituency.tree import Tree, leaves
from pipeline.syntax.sentence import Sentence

_TOKEN = re.compile(r"[()]|[^\s()]+")
_Part = str | Tree | None  # a label or a word, a closed constituent, a trace
_ROOTS = frozenset({"", "ROOT", "TOP", "S1", "VROOT"})  # a bracket around the whole, no constituent

_ESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"',
    "“": '"', "”": '"', "`": "'", "‘": "'", "’": "'",
}  # fmt: skip


def read(text: str) -> Tree:
    """Read one tree from brackets; its labels are those of ``tree.PHRASES`` and ``tree.TAGS``.

    Traces (``-NONE-``) and phrases of traces alone, functional tags, indices and a root above the tree are
    removed. Raises SynsemError where the brackets do not make one tree.
    """
    open_brackets: list[list[_Part]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            open_brackets.append([])
        elif len(open_brackets) == 1:
            raise SynsemError(f"{_short(text)}: {token!r} is outside the brackets; write (S (NP) (VP))")
        elif token == ")":
            parts = open_brackets.pop()
            open_brackets[-1].append(_constituent(parts, text))
        else:
            open_brackets[-1].append(token)
    if len(open_brackets) > 1 or len(open_brackets[0]) != 1:
        raise SynsemError(f"{_short(text)}: not one closed tree; write one such as (S (NP) (VP))")
    [tree] = open_brackets[0]
    if not isinstance(tree, Tree):
        raise SynsemError(f"{_short(text)}: a tree of traces alone; give one with words or tags")
    return tree


def _constituent(parts: list[_Part], text: str) -> Tree | None:
    """The constituent of a bracket: its label and what follows; None for a trace or a phrase of traces."""
    label = parts[0] if parts and isinstance(parts[0], str) else ""
    inner = parts[1:] if label else parts
    within = [part for part in inner if isinstance(part, str)]
    children = tuple(part for part in inner if isinstance(part, Tree))
    if within and len(inner) > 1:
        raise SynsemError(
            f"{_short(text)}: {within[-1]!r} stands next to other constituents; "
            "give each word a bracket of its own, such as (NN dog)"
        )
    if label == "-NONE-" or (inner and not within and not children):
        return None
    if label in _ROOTS and len(children) == 1:
        return children[0]
    tag, named = labels.known(label, phrase=False), labels.known(label, phrase=True)
    if within:
        return Tree(tag, (), within[0])
    if children and labels.is_tag(named):
        named = labels.UNKNOWN_PHRASE
    return Tree(tag if not children and labels.is_tag(tag) and tag != labels.UNKNOWN_TAG else named, children)


def unescaped(word: str) -> str:
    """A word without the treebank's escapes and with plain quotes, to compare it with other spellings."""
    plain = _ESCAPED.get(word, word).replace("\\/", "/").replace("\\*", "*")
    return plain.replace("-LRB-", "(").replace("-RRB-", ")")  # within a word: :--LRB-


def joined(word: str) -> str:
    """A word as brackets can hold it: with underscores for the spaces in it, as in *10 000* or *Hà Nội*."""
    return "_".join(word.split())


def words(tree: Tree) -> list[str]:
    """The words of a tree, left to right, unescaped."""
    return [unescaped(leaf.word or "") for leaf in leaves(tree)]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:57] + "...")


GOLD, STANZA, DERIVED = "gold", "stanza", "derived"


def packed(kind: str, brackets: str) -> str:
    """The string for ``Sentence.constituents``; ``kind`` is a word such as ``gold``.

    Raises SynsemError where the brackets do not make a tree.
    """
    read(brackets)
    return f"{kind} {' '.join(brackets.split())}"


def given(sentence: Sentence) -> tuple[str, Tree] | None:
    """The kind and the tree that came with a sentence; None without a tree over the sentence's words."""
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
    if words(tree) != [unescaped(joined(word)) for word in sentence.words]:
        return None
    return kind, tree


def bracketed_words(text: str) -> tuple[str, ...] | None:
    """The words of a text that is a tree in brackets; None for any other text."""
    if not text.lstrip().startswith("("):
        return None
    try:
        return demand_words(text)
    except SynsemError:
        return None


def marked(brackets: str) -> str:
    """A tree as the text of a document, with a tab for its first space; ``download`` leaves none in prose."""
    return brackets.replace(" ", "\t", 1)


def marked_words(text: str) -> tuple[str, ...] | None:
    """The words of a document that is a tree in brackets; None for any other, whatever brackets it has."""
    return bracketed_words(text) if "\t" in text else None


def demand_words(text: str) -> tuple[str, ...]:
    """The words of a tree in brackets; SynsemError where it cannot be read or a tag of it has no word."""
    tree = read(text)
    if not (tree.children and all(leaf.word for leaf in leaves(tree))):
        raise SynsemError(f"{_short(text)}: a tag of this tree has no word; give it one")
    return tuple(words(tree))
