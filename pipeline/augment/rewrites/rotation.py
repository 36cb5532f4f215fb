"""Rotation: the arguments and adjuncts of the root, and the rest, change order (Sahin & Steedman 2018)."""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.core.seeding import seeded_random

_FLEXIBLE = frozenset({"nsubj", "obj", "iobj", "obl", "csubj", "xcomp", "ccomp", "advcl"})


def sites(tree: SourceTree) -> Iterator[int]:
    """The root, if it has a fragment."""
    if _fragments(tree):
        yield tree.root


def rewrite(tree: SourceTree, root: int) -> Draft:
    """Put the fragments and the rest into another order."""
    fragments = [tree.span(fragment) for fragment in _fragments(tree)]
    core = [i for i in range(len(tree)) if not any(i in fragment for fragment in fragments)]
    last = len(tree) - 1
    stays = core[-1] == last and tree.upos[last] == "PUNCT" and tree.parents[last] == root
    fixed = [core.pop()] if stays else []
    parts = sorted([core, *map(list, fragments)], key=lambda part: root if part is core else part[0])
    order = seeded_random(0, "rotation", tree.sentence.text).sample(range(len(parts)), len(parts))
    if order == sorted(order):
        order.reverse()
    draft = Draft(tree)
    arranged = [i for number in order for i in parts[number]]
    decline_if([*arranged, *fixed] == list(range(len(tree))), "rotated into the same order")
    draft.order = [draft[i] for i in (*arranged, *fixed)]
    return draft


def _fragments(tree: SourceTree) -> list[int]:
    """Heads of the fragments of the root: its subjects, objects and obliques."""
    return [kid for kid in tree.children[tree.root] if tree.universal[kid] in _FLEXIBLE]


TRANSFORMATION = Transformation("rotation", "order", "no fragment to rotate", sites, rewrite, any_text=True)
