"""Constituents derived from a dependency tree by head projection.

Each word is the head of a phrase over all that hangs on it (Xia & Palmer 2001, "Converting Dependency
Structures to Phrase Structures"); which levels that phrase has, and what they are called, follows from the
Penn tags by the conventions of the Penn Treebank (Bies et al. 1995).
"""

from pipeline.constituency.clauses import clause
from pipeline.constituency.heads import penn_heads
from pipeline.constituency.modifiers import adjectival, adverbial, other, prepositional
from pipeline.constituency.nominals import noun_phrase
from pipeline.constituency.placing import flat, is_quantity, place
from pipeline.constituency.projective import projective
from pipeline.constituency.skeleton import Skeleton
from pipeline.constituency.tags import penn_tags
from pipeline.constituency.tree import Tree
from pipeline.sentences import HasTree


def derive(sentence: HasTree) -> Tree:
    """The constituency tree of a sentence, its words at the leaves.

    A tree with UD relations is turned to Penn heads first; one without relations, or with none but ``root``
    and ``dep``, is taken to have Penn heads. Crossing arcs are lifted.
    """
    tags = penn_tags(sentence)
    heads = penn_heads(sentence, tags) if set(sentence.deprels) - {"root", "dep"} else list(sentence.heads)
    skeleton = Skeleton(sentence.words, tags, projective(heads))
    for word in skeleton.bottom_up():
        if not skeleton.leaf(word):
            skeleton.phrases[word] = _phrase(skeleton, word)
    return place(skeleton, skeleton.root, None)[0]


def _phrase(sentence: Skeleton, head: int) -> Tree:
    tag = sentence.tags[head]
    if sentence.verbal(head):
        return clause(sentence, head)
    if tag in ("IN", "TO"):
        return prepositional(sentence, head)
    if tag.startswith("RB") or tag in ("WRB", "RP"):
        return adverbial(sentence, head)
    if tag in ("JJ", "JJR", "JJS"):
        return adjectival(sentence, head)
    if tag == "CC":
        return other(sentence, head, "CONJP" if all(map(sentence.leaf, sentence.below[head])) else "UCP")
    if tag == "UH":
        return other(sentence, head, "INTJ")
    if tag == "CD" and is_quantity(sentence, head) and _number_last(sentence, head):
        return flat(sentence, head, "QP")
    return noun_phrase(sentence, head)


def _number_last(sentence: Skeleton, head: int) -> bool:
    """*more than a hundred*, *ten to twelve*; but not *three of them*."""
    return all(word < head or sentence.tags[word] in ("CD", "CC", "TO") for word in sentence.below[head])
