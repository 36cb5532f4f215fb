"""Rotation: the arguments and adjuncts of the main verb move round it (Sahin & Steedman 2018)."""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.chance import generator
from pipeline.augment.draft import Draft
from pipeline.augment.fragments import core_of, fragments_of
from pipeline.augment.tree import Decline, Tree


def sites(tree: Tree) -> Iterator[int]:
    """The root, where it has a flexible fragment."""
    if fragments_of(tree):
        yield tree.root


def rewrite(tree: Tree, root: int) -> Draft:
    """Put the flexible fragments and the rest into another order."""
    fragments = [tree.span(fragment) for fragment in fragments_of(tree)]
    last = len(tree) - 1
    fixed = [last] if tree.upos[last] == "PUNCT" and tree.heads[last] == root else []
    core = [i for i in core_of(tree) if i not in fixed]
    parts = sorted([core, *map(list, fragments)], key=lambda part: root if part is core else part[0])
    order = generator(0, "rotation", tree.sentence.text).sample(range(len(parts)), len(parts))
    if order == sorted(order):
        order.reverse()
    draft = Draft(tree)
    arranged = [i for number in order for i in parts[number]]
    if [*arranged, *fixed] == list(range(len(tree))):
        raise Decline("rotated into the same order")
    draft.order = [draft[i] for i in (*arranged, *fixed)]
    return draft


TRANSFORMATION = Transformation("rotation", "order", "no fragment to rotate", sites, rewrite, any_text=True)
