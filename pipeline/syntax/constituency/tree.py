"""Constituency trees, what is read off them, and their labels.

Phrase labels are the Penn Treebank's (Bies et al. 1995, "Bracketing Guidelines for Treebank II Style").
Tags are those of Santorini 1990 and the six that OntoNotes added (``ADD AFX GW HYPH NFP XX``), which
spaCy's English models use.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

PHRASES = (
    "ADJP", "ADVP", "CONJP", "FRAG", "INTJ", "LST", "NAC", "NP", "NX", "PP", "PRN", "PRT", "QP", "RRC", "S",
    "SBAR", "SBARQ", "SINV", "SQ", "UCP", "VP", "WHADJP", "WHADVP", "WHNP", "WHPP", "X",
)  # fmt: skip
TAGS = (
    "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", "NNPS", "PDT",
    "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP",
    "VBZ", "WDT", "WP", "WP$", "WRB", "#", "$", "''", ",", "-LRB-", "-RRB-", ".", ":", "``",
    "ADD", "AFX", "GW", "HYPH", "NFP", "XX",
)  # fmt: skip
PUNCTUATION = frozenset({"''", ",", "-LRB-", "-RRB-", ".", ":", "``", "HYPH", "NFP"})

CLOSE = ")"
# Every token of a linearised tree, in the order in which a vocabulary numbers them.
TOKENS = (CLOSE, *(f"({label}" for label in (*PHRASES, *TAGS)))


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent: a part of speech with its ``word``, or a phrase with its ``children``.

    A template has parts of speech without words.
    """

    label: str
    children: tuple["Tree", ...] = ()
    word: str | None = None

    def __str__(self) -> str:
        """The tree in brackets, on one line: ``(S (NP (DT the) (NN boy)) (VP (VBD left)))``."""
        parts: list[str] = []
        for node, opens in walk(self):
            if not opens:
                parts.append(")")
            else:
                parts.append(f"{' ' if parts else ''}({node.label}")
                if node.word is not None:
                    parts.append(f" {node.word.replace('(', '-LRB-').replace(')', '-RRB-')}")
        return "".join(parts)


def walk(tree: Tree) -> Iterator[tuple[Tree, bool]]:
    """Yield every constituent twice: when its bracket opens (True) and when it closes (False), in order."""
    waiting = [(tree, True)]
    while waiting:
        node, opens = waiting.pop()
        yield node, opens
        if opens:
            waiting.append((node, False))
            waiting += [(child, True) for child in reversed(node.children)]


def tokens(tree: Tree) -> tuple[str, ...]:
    """Return the linearised tree without its words: ``("(S", "(NP", "(DT", ")", ...)``, all in ``TOKENS``."""
    return tuple(f"({node.label}" if opens else CLOSE for node, opens in walk(tree))


def tag_counts(tree: Tree) -> Counter[str]:
    """Return how often each label of a phrase or part of speech occurs.

    ParaBART's discriminator predicts this bag of labels (Huang et al. 2021, section 3).
    """
    return Counter(node.label for node, opens in walk(tree) if opens)


def top_constituents(tree: Tree) -> tuple[str, ...]:
    """Return the labels below the topmost branching constituent: ``("NP", "VP", ".")`` for a plain clause.

    This is SentEval's TopConst (Conneau et al. 2018).
    """
    while len(tree.children) == 1 and tree.children[0].children:
        tree = tree.children[0]
    return tuple(child.label for child in tree.children)
