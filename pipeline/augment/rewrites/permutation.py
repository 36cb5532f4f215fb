"""Random word order on the same tree (Ray et al. 2024).

Every head is shuffled with its children. Subtrees stay unbroken, as in languages with free constituent order.
"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Draft
from pipeline.augment.source_tree import Decline, SourceTree
from pipeline.core.seeding import seeded_random


def sites(tree: SourceTree) -> Iterator[int]:
    """The root, where there is something to shuffle."""
    if len(tree) > 3:
        yield tree.root


def rewrite(tree: SourceTree, root: int) -> Draft:
    """Shuffle the tree; the final full stop stays where it is."""
    draft = Draft(tree)
    last = len(tree) - 1
    fixed = [last] if tree.upos[last] == "PUNCT" and not tree.children[last] and last != tree.root else []
    rng = seeded_random(0, "permutation", tree.sentence.text)
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
    if order == sorted(order):
        raise Decline("shuffled into the same order")
    draft.order = [draft[i] for i in (*order, *fixed)]
    return draft


TRANSFORMATION = Transformation("permutation", "order", "too short to shuffle", sites, rewrite, any_text=True)
