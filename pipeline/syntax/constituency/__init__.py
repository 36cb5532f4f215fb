"""Constituency trees, derived from dependency trees.

A word heads a phrase over all that depends on it (Xia & Palmer 2001, "Converting Dependency Structures to
Phrase Structures"). Penn tags decide the levels and labels of that phrase, by the conventions of the Penn
Treebank (Bies et al. 1995).
"""

from pipeline.syntax.constituency.penn import PennTree, penn_heads, penn_tags
from pipeline.syntax.constituency.phrases import (
    adjectival,
    adverbial,
    clause,
    noun_phrase,
    other,
    place,
    prepositional,
)
from pipeline.syntax.constituency.tree import TOKENS, Tree, tag_counts, tokens, top_constituents
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import projective

__all__ = ["TOKENS", "Tree", "derive", "tag_counts", "template", "tokens", "top_constituents"]


def derive(sentence: Sentence) -> Tree:
    """Derive the constituency tree of a sentence from its heads; its leaves are the words.

    A tree with UD relations is converted to Penn heads first. A tree without relations, or only with
    ``root`` and ``dep``, already has Penn heads. Crossing arcs are lifted.
    """
    tags = penn_tags(sentence)
    heads = penn_heads(sentence, tags) if set(sentence.deprels) - {"root", "dep"} else list(sentence.heads)
    tree = PennTree(sentence.words, tags, projective(heads))
    for word in reversed(tree.top_down()):
        if not tree.leaf(word):
            tree.phrases[word] = _phrase(tree, word)
    return place(tree, tree.root, None)[0]


def _phrase(sentence: PennTree, head: int) -> Tree:
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
        return other(sentence, head, "CONJP" if all(map(sentence.leaf, sentence.children[head])) else "UCP")
    if tag == "UH":
        return other(sentence, head, "INTJ")
    return noun_phrase(sentence, head)


def template(sentence: Sentence) -> tuple[str, ...]:
    """Return the linearised tree without words (``tree.TOKENS``): what ParaBART's syntactic encoder reads."""
    return tokens(derive(sentence))
