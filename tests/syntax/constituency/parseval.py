"""PARSEVAL: labelled and unlabelled bracketing scores (Black et al. 1991), counted as ``evalb`` does.

The counts are those of the ``evalb`` program (Sekine & Collins 1997) with ``COLLINS.prm``. Words tagged as
punctuation (``, : `` '' .``) are left out before spans are taken. Parts of speech and a root above the tree
are not brackets. ``PRT`` equals ``ADVP``. Each bracket of a unary chain counts. Counts are summed over the
corpus before they are divided. Unlabelled scores compare the same brackets without labels.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

import nltk

from pipeline.syntax.constituency.tree import Tree, top_constituents, walk

_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "``": '"', "''": '"'}
PUNCTUATION = frozenset({",", ":", "``", "''", "."})  # COLLINS.prm
Bracket = tuple[int, int, str]  # first word, word after the last, label


def brackets(tree: Tree, gold: Tree | None = None) -> Counter[Bracket]:
    """The scored brackets of a tree and how often each occurs; positions count words without punctuation.

    The tags of ``gold``, a tree of the same words, say what is punctuation; without ``gold``, the tree's own.
    """
    counted = iter([leaf.label not in PUNCTUATION for leaf in leaves(gold or tree)])
    found: Counter[Bracket] = Counter()
    starts: list[int] = []
    position = 0
    for node, opens in walk(tree):
        if not node.children:
            position += opens and next(counted)
        elif opens:
            starts.append(position)
        elif (start := starts.pop()) < position:
            found[start, position, "ADVP" if node.label == "PRT" else node.label] += 1
    return found


@dataclass
class Scores:
    """Counts summed over sentences, and the scores from them, in points."""

    sentences: int = 0
    gold: int = 0  # brackets
    predicted: int = 0
    matched: int = 0  # with their labels
    matched_unlabelled: int = 0
    exact: int = 0  # sentences whose brackets are all right
    tops: int = 0  # sentences whose top constituents are right

    def __add__(self, other: "Scores") -> "Scores":
        return Scores(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def precision(self) -> float:
        """Share of the predicted brackets that are gold."""
        return 100 * self.matched / max(1, self.predicted)

    @property
    def recall(self) -> float:
        """Share of the gold brackets that were predicted."""
        return 100 * self.matched / max(1, self.gold)

    @property
    def labelled_f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 200 * self.matched / max(1, self.gold + self.predicted)

    @property
    def unlabelled_f1(self) -> float:
        """The same without labels."""
        return 200 * self.matched_unlabelled / max(1, self.gold + self.predicted)

    @property
    def top_accuracy(self) -> float:
        """Share of the sentences with the right sequence of top constituents, punctuation included."""
        return 100 * self.tops / max(1, self.sentences)


def score(gold: Tree, predicted: Tree) -> Scores:
    """Score one tree against the gold tree of the same words. Raises ValueError where the words differ."""
    if words(gold) != words(predicted):
        raise ValueError(f"not the same words: {gold}")
    right, guess = brackets(gold), brackets(predicted, gold)
    return Scores(
        sentences=1,
        gold=right.total(),
        predicted=guess.total(),
        matched=(right & guess).total(),
        matched_unlabelled=(_unlabelled(right) & _unlabelled(guess)).total(),
        exact=int(right == guess),
        tops=int(top_constituents(gold) == top_constituents(predicted)),
    )


def total(pairs: Iterable[tuple[Tree, Tree]]) -> Scores:
    """The sums over pairs of gold tree and predicted tree."""
    return sum((score(gold, predicted) for gold, predicted in pairs), Scores())


def _unlabelled(found: Counter[Bracket]) -> Counter[tuple[int, int]]:
    spans: Counter[tuple[int, int]] = Counter()
    for (start, end, _), count in found.items():
        spans[start, end] += count
    return spans


def read(text: str) -> Tree:
    """The tree of a text in brackets, without traces, functional tags, indices and a root above it."""
    tree = _converted(nltk.Tree.fromstring(text))
    assert tree is not None
    return tree


def _converted(node: nltk.Tree) -> Tree | None:
    label = node.label() if node.label().startswith("-") else re.split("[-=|]", node.label())[0]
    if node and isinstance(node[0], str):
        return None if label == "-NONE-" else Tree(label, (), node[0])
    children = tuple(tree for child in node if (tree := _converted(child)))
    if len(node) and not children:
        return None
    return children[0] if not label and len(children) == 1 else Tree(label or "X", children)


def leaves(tree: Tree) -> list[Tree]:
    """The parts of speech, left to right."""
    return [node for node, opens in walk(tree) if opens and not node.children]


def words(tree: Tree) -> list[str]:
    """The words, left to right, without the treebank's escapes."""
    found = [leaf.word or "" for leaf in leaves(tree)]
    return [_ESCAPES.get(word, word.replace("\\/", "/").replace("\\*", "*")) for word in found]


def read_all(text: str) -> Iterator[Tree]:
    """Every tree of a text, such as a file of a treebank."""
    depth, start = 0, 0
    for match in re.finditer(r"[()]", text):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            yield read(text[start : match.end()])
            start = match.end()
