"""Which part of a linearised tree a word belongs to: what a decoder is told as it goes along."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from pipeline.constituency.labels import CLOSE, PHRASES, is_tag
from pipeline.constituency.tree import Tree, walk

_UNSEEN = 2.0  # words of a phrase of which none has been seen


def leaf_slots(template: Sequence[str], widths: Mapping[str, float]) -> list[int]:
    """Where the leaf of each word stands among the tokens; the last entry is the end of the tree.

    A part of speech is one word. A phrase without constituents, as in ``(S (NP) (VP (VBD)))``, is taken for
    as many words as its label has in ``widths``, rounded so that they are right in sum.
    """
    slots: list[int] = []
    words = 0.0
    for place, (token, after) in enumerate(pairwise(template)):
        if token != CLOSE and after == CLOSE:
            label = token.removeprefix("(")
            words += 1.0 if is_tag(label) else widths[label]
            slots += [place] * (round(words) - len(slots))
    return [*slots, len(template) - 1]


def mean_widths(trees: Iterable[Tree]) -> dict[str, float]:
    """Words that a phrase of each label has in whole trees, in the mean; two where there is none of it."""
    words: defaultdict[str, int] = defaultdict(int)
    phrases: defaultdict[str, int] = defaultdict(int)
    for tree in trees:
        begun: list[int] = []
        seen = 0
        for node, opens in walk(tree):
            if opens:
                begun.append(seen)
                seen += not node.children
            else:
                words[node.label] += seen - begun.pop()
                phrases[node.label] += 1
    return {label: words[label] / phrases[label] if phrases[label] else _UNSEEN for label in PHRASES}
