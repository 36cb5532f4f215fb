"""Random word order on the same tree.

Every head is shuffled with its children. Subtrees stay unbroken, as in languages with free constituent order;
Ray et al. 2024 break them (``pipeline.syntax.tree.permuted``).
"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.core.seeding import seeded_random
from pipeline.syntax.tree import shuffled


def sites(tree: SourceTree) -> Iterator[int]:
    """The root, if there is something to shuffle."""
    if len(tree) > 3:
        yield tree.root


def rewrite(tree: SourceTree, root: int) -> Draft:
    """Shuffle the tree; the final full stop stays where it is."""
    draft = Draft(tree)
    order = shuffled(tree, tree.upos, seeded_random(0, "permutation", tree.sentence.text))
    decline_if(order == sorted(order), "shuffled into the same order")
    draft.order = [draft[i] for i in order]
    return draft


TRANSFORMATION = Transformation("permutation", "order", "too short to shuffle", sites, rewrite, any_text=True)
