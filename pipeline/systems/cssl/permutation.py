"""A sentence's words in another order that keeps its tree: the positive of L_CSSL (Ray et al. 2024, A.2)."""

from collections.abc import Sequence
from random import Random

from pipeline.syntax.sentence import LABELS, HasTree, Side
from pipeline.syntax.tree import DependencyTree, shuffled

# Half of the draws of two words are the order that they have; 2^-20 remains.
_DRAWS = 20


def permuted(sentence: HasTree, rng: Random) -> Side | None:
    """The sentence in an order drawn by ``shuffled``, with heads and labels moved along.

    The text is the words with a space between. None where no other sequence of words is found, as for a
    single word.
    """
    tree = DependencyTree.of(sentence)
    for _ in range(_DRAWS if len(tree) > 1 else 0):
        order = shuffled(tree, sentence.upos or ("",) * len(tree), rng)
        words = [sentence.words[old] for old in order]
        if words == list(sentence.words):
            continue
        place = {old: new for new, old in enumerate(order, start=1)} | {-1: 0}
        heads = [place[tree.parents[old]] for old in order]
        deprels, upos, xpos, lemmas = (_reordered(getattr(sentence, name), order) for name in LABELS)
        return Side(" ".join(words), words, heads, deprels, upos, xpos, lemmas)
    return None


def _reordered(labels: Sequence[str], order: Sequence[int]) -> list[str]:
    return [labels[old] for old in order] if labels else []
