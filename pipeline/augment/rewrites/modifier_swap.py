"""Adjectives change nouns: ``a black cat and a white dog`` -> ``a white cat and a black dog``."""

from collections.abc import Iterator
from itertools import combinations

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import decapitalise, words


def sites(tree: SourceTree) -> Iterator[tuple[int, int]]:
    """Pairs of adjectives, each the only one right before its own noun."""
    found = [
        word
        for word, rel in enumerate(tree.deprels)
        if rel == "amod" and tree.upos[word] == "ADJ" and tree.upos[tree.parents[word]] == "NOUN"
    ]
    for a, b in combinations(found, 2):
        if tree.parents[a] != tree.parents[b]:
            yield a, b


def rewrite(tree: SourceTree, site: tuple[int, int]) -> Draft:
    """Exchange two adjectives."""
    a, b = site
    for word in (a, b):
        head = tree.parents[word]
        if tree.children[word] or word > head or len(tree.children_with(head, "amod")) > 1:
            raise Decline("adjective is not alone")
        listed = tree.lower[word] in words("no_swap_adjectives")
        named = decapitalise(tree.words[word], "ADJ")[0].isupper()
        numbered = any(letter.isdigit() for letter in tree.words[word])
        decline_if(listed or named or numbered, "adjective that does not describe")
        decline_if(tree.xpos[word] != "JJ", "graded adjective")
        decline_if((word and tree.words[word - 1] == "-") or tree.words[word + 1] == "-", "hyphenated")
        decline_if(tree.has(head, "compound"), "compound noun")
    if tree.lower[a] == tree.lower[b] or tree.lemmas[tree.parents[a]] == tree.lemmas[tree.parents[b]]:
        raise Decline("the words are the same")
    draft = Draft(tree)
    draft.order[a], draft.order[b] = draft[b], draft[a]
    draft.exchange(draft[a], draft[b])
    return draft


TRANSFORMATION = Transformation(
    "modifier_swap", "different", "no two modified nouns", sites, rewrite, needs="amod"
)
