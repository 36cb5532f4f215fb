"""A constituency tree and what is read off it: tokens, tags, top constituents, spans."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.constituency.labels import CLOSE

_WIDTH = 100  # characters of a line of a drawn tree


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent. A part of speech holds its ``word``, a phrase its ``children``; a template may end in
    phrases without children and in parts of speech without words."""

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

    def without_words(self) -> "Tree":
        """The tree as a template: its parts of speech hold no words."""
        made: list[list[Tree]] = [[]]
        for node, opens in walk(self):
            if opens:
                made.append([])
            else:
                children = tuple(made.pop())
                made[-1].append(Tree(node.label, children))
        return made[0][0]


def walk(tree: Tree) -> Iterator[tuple[Tree, bool]]:
    """Every constituent twice, where its bracket opens (True) and where it closes (False), left to right."""
    waiting = [(tree, True)]
    while waiting:
        node, opens = waiting.pop()
        yield node, opens
        if opens:
            waiting.append((node, False))
            waiting += [(child, True) for child in reversed(node.children)]


def tokens(tree: Tree) -> tuple[str, ...]:
    """The linearised tree without its words: ``("(S", "(NP", "(DT", ")", ...)``, all of ``labels.TOKENS``."""
    return tuple(f"({node.label}" if opens else CLOSE for node, opens in walk(tree))


def tag_counts(tree: Tree) -> Counter[str]:
    """How often each label occurs, phrases and parts of speech: the bag that ParaBART's discriminator
    predicts (Huang et al. 2021, section 3)."""
    return Counter(node.label for node, opens in walk(tree) if opens)


def top_constituents(tree: Tree) -> tuple[str, ...]:
    """Labels right below the topmost branching constituent: SentEval's TopConst (Conneau et al. 2018).

    ``("NP", "VP", ".")`` for a plain clause.
    """
    while len(tree.children) == 1 and tree.children[0].children:
        tree = tree.children[0]
    return tuple(child.label for child in tree.children)


def leaves(tree: Tree) -> list[Tree]:
    """The constituents without children, left to right: the parts of speech of a whole tree."""
    return [node for node, opens in walk(tree) if opens and not node.children]


def drawn(tree: Tree, indent: int = 0) -> str:
    """The tree in brackets over several lines, as the treebank prints it; a line holds what fits."""
    line = str(tree)
    if len(line) + indent <= _WIDTH or not tree.children:
        return " " * indent + line
    below = "\n".join(drawn(child, indent + 2) for child in tree.children)
    return f"{' ' * indent}({tree.label}\n{below})"
