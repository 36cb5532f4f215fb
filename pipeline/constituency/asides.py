"""Parentheses (``PRN``): what stands in brackets, and *he said* between commas."""

from collections.abc import Sequence

from pipeline.constituency.placing import place
from pipeline.constituency.skeleton import Skeleton
from pipeline.constituency.tree import Tree

_REPORTING = frozenset({
    "say", "says", "said", "think", "thinks", "thought", "believe", "believes", "believed", "add",
    "adds", "added", "argue", "argues", "argued", "contend", "contends", "insists", "explains", "noted",
    "notes", "know", "guess", "hope", "suggests"
})  # fmt: skip


def with_asides(sentence: Skeleton, words: Sequence[int], head: int) -> tuple[Tree, ...]:
    """The constituents of some dependents of ``head``, those that are asides in a bracket of their own."""
    items = [(word, tree) for word in words for tree in place(sentence, word, head)]
    found: list[Tree] = []
    at = 0
    while at < len(items):
        end = _bracketed(sentence, items, at) or _reported(sentence, items, at)
        if end:
            found.append(Tree("PRN", tuple(_understood(tree) for _, tree in items[at:end])))
        else:
            found.append(items[at][1])
        at = end or at + 1
    return tuple(found)


def _bracketed(sentence: Skeleton, items: Sequence[tuple[int, Tree]], at: int) -> int | None:
    """Where an aside in brackets that opens here ends, counted in items; None where none does."""
    if items[at][1].label != "-LRB-":
        return None
    return next((end + 1 for end in range(at + 1, len(items)) if items[end][1].label == "-RRB-"), None)


def _reported(sentence: Skeleton, items: Sequence[tuple[int, Tree]], at: int) -> int | None:
    if items[at][1].label != "," or at + 1 == len(items):
        return None
    verb = items[at + 1][0]
    closed = at + 2 == len(items) or items[at + 2][1].label == ","
    if closed and sentence.finite(verb) and sentence.lower[verb] in _REPORTING:
        return min(at + 3, len(items))
    return None


def _understood(tree: Tree) -> Tree:
    """No *that* is understood in an aside."""
    return tree.children[0] if tree.label == "SBAR" and len(tree.children) == 1 else tree
