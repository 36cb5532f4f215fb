"""The flexible fragments of a sentence (Sahin & Steedman 2018): arguments and adjuncts of its root."""

from pipeline.augment.tree import Tree

_FLEXIBLE = frozenset({"nsubj", "obj", "iobj", "obl", "csubj", "xcomp", "ccomp", "advcl"})


def fragments_of(tree: Tree) -> list[int]:
    """Heads of the root's fragments:
    subjects, objects and obliques, each with its subtree; Decline via span.
    """
    return [kid for kid in tree.kids[tree.root] if tree.bases[kid] in _FLEXIBLE]


def core_of(tree: Tree) -> list[int]:
    """The root with everything that belongs to no fragment, in order."""
    inside = {i for fragment in fragments_of(tree) for i in tree.subtree(fragment)}
    return [i for i in range(len(tree)) if i not in inside]
