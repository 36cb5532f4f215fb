"""Dependency trees and their UD relations: roles and lemmas of words, subtrees, distances, projectivity.

Positions of words are 0-based. Heads are 1-based and 0 marks the root, as in the stored data: ``heads[i]`` is
the head of word i.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from pipeline.syntax.sentence import LABELS, Sentence

Heads = Sequence[int] | NDArray[np.integer]
# Half of the draws of two words are the order that they have; 2^-20 remains.
_DRAWS = 20
CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "PRON", "SYM", "INTJ", "X"})
VERBAL = frozenset({"VERB", "AUX"})
FUNCTION = frozenset({"det", "case", "aux", "cop", "mark", "cc", "punct", "expl", "clf"})
# English. Negations count among the content words, because they reverse the meaning.
NEGATION = frozenset({"not", "n't", "no", "never"})
_ACTIVE = {"nsubj:pass": "obj", "csubj:pass": "obj", "obl:agent": "nsubj"}


@lru_cache(maxsize=1_000)
def universal(deprel: str) -> str:
    """Return a relation without its subtype: ``nsubj:pass`` -> ``nsubj``."""
    return deprel.partition(":")[0]


def role(tree: Sentence, word: int) -> str:
    """Return the relation of a word (0-based) to its head in the active voice, without subtype.

    The subject of a passive is its object. The agent is its subject; if the parser does not mark the
    agent, a ``by``-phrase is taken for it.
    """
    deprel, head = tree.deprels[word], tree.heads[word]
    if deprel in _ACTIVE:
        return _ACTIVE[deprel]
    if universal(deprel) == "obl" and head:
        words = list(zip(tree.words, tree.heads, tree.deprels, strict=True))
        passive = any(above == head and relation == "nsubj:pass" for _, above, relation in words)
        if passive and [form.lower() for form, *rest in words if rest == [word + 1, "case"]] == ["by"]:
            return "nsubj"
    return universal(deprel)


def lifted(tree: Sentence, word: int) -> tuple[int, str]:
    """Return the head (0-based, -1 above the root) and role of a word; a conjunct has those of the first."""
    while universal(tree.deprels[word]) == "conj" and tree.heads[word]:
        word = tree.heads[word] - 1
    return tree.heads[word] - 1, role(tree, word)


def content(tree: Sentence, word: int) -> int:
    """Return the word itself (0-based) or its nearest ancestor that is not a function word; -1 for none."""
    while word >= 0 and universal(tree.deprels[word]) in FUNCTION:
        word = tree.heads[word] - 1
    return word


def lemma(tree: Sentence, word: int) -> str:
    """Return the lemma in lower case, or the word if the tree has no lemmas."""
    return (tree.lemmas[word] if tree.lemmas else "").lower() or tree.words[word].lower()


def _numbers(heads: Heads) -> Sequence[int]:
    """The heads as Python numbers, which loops read faster than an array's."""
    numbers: Sequence[int] = heads.tolist() if isinstance(heads, np.ndarray) else heads
    return numbers


def is_tree(heads: Heads) -> bool:
    """Return whether ``heads`` is one well-formed tree: exactly one root, heads in range, no cycle."""
    numbers = _numbers(heads)
    n = len(numbers)
    if numbers.count(0) != 1 or min(numbers) < 0 or max(numbers) > n:
        return False
    # Climb from each word and mark the words on the way with the number of the climb.
    climb = [0] * (n + 1)
    climb[0] = -1
    for start in range(1, n + 1):
        if climb[start]:
            continue
        word = start
        while not climb[word]:
            climb[word] = start
            word = numbers[word - 1]
        # A climb that meets its own mark went round a cycle.
        if climb[word] == start:
            return False
    return True


class DependencyTree:
    """A read-only dependency tree; its heads must pass ``is_tree``.

    ``heads`` are as stored. ``parents`` has the same as positions, -1 above the root. ``children`` lists the
    dependents of every word from left to right. ``lower`` are the words in lower case, ``universal`` the
    relations without subtypes; both are empty if words or relations are not given.
    """

    def __init__(self, heads: Heads, words: Sequence[str] = (), deprels: Sequence[str] = ()) -> None:
        self.heads = _numbers(heads)
        self.words = words
        self.deprels = deprels
        self.lower = list(map(str.lower, words))
        self.universal = list(map(universal, deprels))
        self.parents = [head - 1 for head in self.heads]
        self.children: list[list[int]] = [[] for _ in self.parents]
        self.root = 0
        for word, parent in enumerate(self.parents):
            if parent < 0:
                self.root = word
            else:
                self.children[parent].append(word)

    @classmethod
    def of(cls, sentence: Sentence) -> "DependencyTree":
        """Return the tree of a sentence."""
        return DependencyTree(sentence.heads, sentence.words, sentence.deprels)

    def __len__(self) -> int:
        return len(self.parents)

    def child(self, word: int, *relations: str) -> int | None:
        """Return the first child of ``word`` with one of these relations, subtypes counted."""
        for kid in self.children[word]:
            if self.deprels[kid] in relations:
                return kid
        return None

    def children_with(self, word: int, *relations: str) -> list[int]:
        """Return the children of ``word`` with one of these relations, subtypes counted, left to right."""
        return [kid for kid in self.children[word] if self.deprels[kid] in relations]

    def top_down(self) -> list[int]:
        """Return every word after its head."""
        order = [self.root]
        for word in order:
            order += self.children[word]
        return order

    def subtree(self, word: int) -> list[int]:
        """Return the positions of ``word`` and everything below it, ascending."""
        found = [word]
        for each in found:
            found += self.children[each]
        return sorted(found)

    @cached_property
    def extents(self) -> tuple[list[int], list[int], list[int]]:
        """Every subtree's first position, last position and number of words."""
        n = len(self)
        first, last, size = list(range(n)), list(range(n)), [1] * n
        for word in reversed(self.top_down()[1:]):
            parent = self.parents[word]
            first[parent] = min(first[parent], first[word])
            last[parent] = max(last[parent], last[word])
            size[parent] += size[word]
        return first, last, size

    def is_projective(self) -> bool:
        """Return whether every subtree is an unbroken span of words."""
        return all(last - first + 1 == size for first, last, size in zip(*self.extents, strict=True))

    def ancestors(self) -> NDArray[np.bool_]:
        """Return the ancestor-or-self matrix A, bool [n, n]: ``A[i, j]`` if word j is word i or above it."""
        closure = np.eye(len(self), dtype=bool)
        for word in self.top_down()[1:]:
            closure[word] |= closure[self.parents[word]]
        return closure

    def depths(self) -> NDArray[np.int64]:
        """Return the depth of each word, int64 [n]; the root has depth 0."""
        return self.ancestors().sum(axis=1) - 1

    def distances(self) -> NDArray[np.int64]:
        """Return the number of edges on the path between every two words, int64 [n, n].

        d(i, j) = depth(i) + depth(j) - 2 C(i, j), where C = A Aᵀ counts shared ancestors-or-selves and
        depth(i) = C(i, i).
        """
        closure = self.ancestors().astype(np.float32)
        shared = (closure @ closure.T).astype(np.int64)
        depth = np.diagonal(shared)
        return depth[:, None] + depth[None, :] - 2 * shared

    def drawn(self) -> str:
        """Return the tree as indented text: number, word and relation, children below their head."""
        lines = []
        stack = [(self.root, 1)]
        while stack:
            word, depth = stack.pop()
            lines.append(f"{'  ' * depth}{word + 1} {self.words[word]}  {self.deprels[word]}")
            stack += [(child, depth + 1) for child in reversed(self.children[word])]
        return "\n".join(lines)


def shuffled(tree: DependencyTree, upos: Sequence[str], rng: Random) -> list[int]:
    """Return a random order of the words that keeps subtrees whole: positions, each once.

    Every head is shuffled with its children, and each subtree stays together, so the result has no crossing
    arcs. A final punctuation mark without children stays where it is.
    """
    last = len(tree) - 1
    fixed = [last] if upos[last] == "PUNCT" and not tree.children[last] and last != tree.root else []
    order: list[int] = []
    stack = [(tree.root, False)]
    while stack:
        word, is_leaf = stack.pop()
        kids = [kid for kid in tree.children[word] if kid not in fixed]
        if is_leaf or not kids:
            order.append(word)
            continue
        parts = [(word, True), *((kid, False) for kid in kids)]
        stack += rng.sample(parts, len(parts))
    return [*order, *fixed]


def permuted(sentence: Sentence, rng: Random, subtrees: bool = False) -> Sentence | None:
    """Return the sentence in a random order of its words, with heads and labels moved along.

    Every order is as likely as another, and arcs may cross (Ray et al. 2024, A.2); with ``subtrees`` the
    order is drawn by ``shuffled``. The text is the words with a space between. None if no other sequence of
    words is found, as for a single word.
    """
    tree = DependencyTree.of(sentence)
    for _ in range(_DRAWS if len(tree) > 1 else 0):
        upos = sentence.upos or ("",) * len(tree)
        order = shuffled(tree, upos, rng) if subtrees else rng.sample(range(len(tree)), len(tree))
        words = [sentence.words[old] for old in order]
        if words == list(sentence.words):
            continue
        place = {old: new for new, old in enumerate(order, start=1)} | {-1: 0}
        heads = [place[tree.parents[old]] for old in order]
        deprels, upos, xpos, lemmas = (_reordered(getattr(sentence, name), order) for name in LABELS)
        return Sentence(" ".join(words), words, heads, deprels, upos, xpos, lemmas)
    return None


def _reordered(labels: Sequence[str], order: Sequence[int]) -> list[str]:
    return [labels[old] for old in order] if labels else []


def projective(heads: Sequence[int]) -> list[int]:
    """Return the heads of a tree without crossing arcs.

    The word of the shortest crossing arc is attached one step higher, until no arc crosses (Nivre & Nilsson
    2005, "Pseudo-Projective Dependency Parsing", without the encoded labels).
    """
    lifted = list(heads)
    while not (tree := DependencyTree(lifted)).is_projective():
        above = tree.ancestors()
        crossing = []
        for word, parent in enumerate(tree.parents):
            low, high = sorted((word, parent))
            if parent >= 0 and not above[low : high + 1, parent].all():
                crossing.append((high - low, word))
        word = min(crossing)[1]
        lifted[word] = lifted[lifted[word] - 1]
    return lifted
