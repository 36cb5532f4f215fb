"""Reading trees in Penn Treebank brackets, alone or as the string that comes with a sentence.

A template such as ``(S (NP) (VP (VBD) (VP (VBN) (PP))))`` is a tree too. ``Sentence.constituents`` holds
the source of a tree and its brackets: ``gold (S ...)``. A tree whose words are no longer those of the
sentence is not used: a variant made by a rewrite has none.
"""

import re

from pipeline.core.errors import SynsemError
from pipeline.syntax.constituency import tree as labels
from pipeline.syntax.constituency.tree import Tree, leaves
from pipeline.syntax.sentence import HasTree

_TOKEN = re.compile(r"[()]|[^\s()]+")
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
    done: Tree | None = None
    open_brackets: list[_Open] = []
    closed = False
    for token in _TOKEN.findall(text):
        if closed:
            raise SynsemError(f"{_short(text)}: {token!r} follows the closed tree; give one tree at a time")
        if token == "(":
            open_brackets.append(_Open())
        elif not open_brackets:
            raise SynsemError(f"{_short(text)}: not in brackets; write a tree such as (S (NP) (VP))")
        elif token == ")":
            done = open_brackets.pop().close(text)
            closed = not open_brackets
            if open_brackets:
                open_brackets[-1].add(done)
        else:
            open_brackets[-1].name(token)
    if open_brackets:
        count = f"{len(open_brackets)} bracket{'s are' if len(open_brackets) > 1 else ' is'}"
        raise SynsemError(f"{_short(text)}: {count} not closed; add what is missing")
    if not closed:
        raise SynsemError("the tree is empty; write one such as (S (NP) (VP))")
    if done is None:
        raise SynsemError(f"{_short(text)}: a tree of traces alone; give one with words or tags")
    return done


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


class _Open:
    """An open bracket: its label, the word in it, and the closed constituents in it without traces."""

    def __init__(self) -> None:
        self._label: str | None = None
        self._words: list[str] = []
        self._children: list[Tree] = []
        self._brackets = 0  # in it, traces included

    def name(self, token: str) -> None:
        """Take the label, which comes first, or a word."""
        if self._label is None and not self._brackets:
            self._label = token
        else:
            self._words.append(token)

    def add(self, child: Tree | None) -> None:
        """Take a closed constituent; None is a trace."""
        self._brackets += 1
        if child is not None:
            self._children.append(child)

    def close(self, text: str) -> Tree | None:
        """The constituent; None for a trace or a phrase of traces alone."""
        if self._words and (self._brackets or len(self._words) > 1):
            raise SynsemError(
                f"{_short(text)}: {self._words[-1]!r} stands beside other constituents; "
                "give each word a bracket of its own, such as (NN dog)"
            )
        label = self._label or ""
        if label == "-NONE-" or (self._brackets and not self._children):
            return None
        if label in _ROOTS and len(self._children) == 1:
            return self._children[0]
        if self._words:
            return Tree(labels.known(label, phrase=False), (), self._words[0])
        tag = not self._children and labels.is_tag(labels.known(label, phrase=False))
        named = labels.known(label, phrase=True)
        if (self._children and labels.is_tag(named)) or (named == labels.UNKNOWN_TAG and not tag):
            named = labels.UNKNOWN_PHRASE
        return Tree(named, tuple(self._children))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:57] + "...")


GOLD, STANZA, DERIVED = "gold", "stanza", "derived"


def packed(kind: str, brackets: str) -> str:
    """The string for ``Sentence.constituents``; ``kind`` is a word such as ``gold``.

    Raises SynsemError where the brackets are no tree.
    """
    read(brackets)
    return f"{kind} {' '.join(brackets.split())}"


def given(sentence: HasTree) -> tuple[str, Tree] | None:
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
