"""Cropping: the main verb with one of its arguments, everything else left out (Sahin & Steedman 2018)."""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Draft, decline_if
from pipeline.augment.phrases import SourceTree

_FOCUS = ("nsubj", "nsubj:pass", "obj", "iobj", "obl", "obl:agent")
# The function words of the root, and the modifiers of a root that is a noun or adjective.
_KEPT = (
    "aux", "aux:pass", "cop", "compound:prt", "expl",
    "det", "amod", "case", "nmod:poss", "compound", "nummod", "flat",
)  # fmt: skip
# The second is Hungarian. A verb may itself be negative: the root stays anyway, and a clause is not a word.
_NEGATIVE = frozenset({"Polarity=Neg", "PronType=Neg"})


def sites(tree: SourceTree) -> Iterator[int]:
    """The subject, objects and obliques of the root, if it has more than one."""
    found = [kid for kid in tree.children[tree.root] if tree.deprels[kid] in _FOCUS]
    if len(found) > 1:
        yield from found


def rewrite(tree: SourceTree, focus: int) -> Draft:
    """Keep the root, its function words, its negation and one argument."""
    root = tree.root
    kept = {root, *_whole(tree, focus)}
    for kid in tree.children[root]:
        if tree.deprels[kid] in _KEPT or _negates(tree, kid):
            kept |= set(tree.subtree(kid))
    last = len(tree) - 1
    if tree.upos[last] == "PUNCT" and tree.parents[last] == root:
        kept.add(last)
    decline_if(len(kept) > len(tree) - 2, "nothing to leave out")
    draft = Draft(tree)
    draft.order = [word for i, word in enumerate(draft.order) if i in kept]
    return draft


def _whole(tree: SourceTree, focus: int) -> list[int]:
    """The words of the argument without marks at its edges, or a conjunction that nothing follows."""
    inside = tree.subtree(focus)
    while inside[0] != focus and tree.upos[inside[0]] == "PUNCT":
        del inside[0]
    while inside[-1] != focus and (
        tree.upos[inside[-1]] == "CCONJ"
        or (tree.words[inside[-1]] == "," and [tree.words[i] for i in inside].count(",") == 1)
    ):
        del inside[-1]
    return inside


def _negates(tree: SourceTree, kid: int) -> bool:
    """Whether it is a word like ``not``: in English by its form, otherwise an adverb by its UD features."""
    negative = not _NEGATIVE.isdisjoint(tree.feats[kid].split("|"))
    return tree.lower[kid] in ("not", "n't") or (negative and tree.universal[kid] == "advmod")


TRANSFORMATION = Transformation(
    "cropping", "order", "fewer than two arguments", sites, rewrite, any_text=True
)
