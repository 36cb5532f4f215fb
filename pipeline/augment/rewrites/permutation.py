"""Random word order on the same tree: at every head, it and its dependents are shuffled (Ray et al. 2024).

Subtrees stay in one piece, as in languages with free order of constituents.
"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.chance import generator
from pipeline.augment.draft import Draft
from pipeline.augment.tree import Decline, Tree


def sites(tree: Tree) -> Iterator[int]:
    """The root, where there is something to shuffle."""
    if len(tree) > 3:
        yield tree.root


def rewrite(tree: Tree, root: int) -> Draft:
    """Shuffle the tree; the final full stop stays where it is."""
    draft = Draft(tree)
    last = len(tree) - 1
    fixed = [last] if tree.upos[last] == "PUNCT" and not tree.kids[last] and last != tree.root else []
    rng = generator(0, "permutation", tree.sentence.text)
    order: list[int] = []
    stack = [(tree.root, False)]
    while stack:
        word, is_leaf = stack.pop()
        kids = [kid for kid in tree.kids[word] if kid not in fixed]
        if is_leaf or not kids:
            order.append(word)
            continue
        parts = [(word, True), *((kid, False) for kid in kids)]
        stack += rng.sample(parts, len(parts))
    if order == sorted(order):
        raise Decline("shuffled into the same order")
    draft.order = [draft[i] for i in (*order, *fixed)]
    return draft


TRANSFORMATION = Transformation("permutation", "order", "too short to shuffle", sites, rewrite, any_text=True)
