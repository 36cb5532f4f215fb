"""Object and prepositional phrase change roles.

``He put the cup on the book.`` -> ``He put the book on the cup.``
"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import NOMINAL, SourceTree, swap_phrases
from pipeline.augment.surface import set_case, words

_FITTING = frozenset({"as", "for", "like", "than", "with", "by", "of", "during", "after", "before"})
# Of two things side by side each is beside the other.
_SIDE_BY_SIDE = frozenset({"alongside", "among", "beside", "between", "near", "next", "opposite", "unlike"})


def sites(tree: SourceTree) -> Iterator[tuple[int, int, int]]:
    """Verbs with an object and a prepositional phrase after it."""
    for verb in tree.verbs:
        target = tree.child(verb, "obj")
        if target is None:
            continue
        for kid in tree.children_with(verb, "obl"):
            if kid > target > verb and tree.has(kid, "case"):
                yield verb, target, kid


def rewrite(tree: SourceTree, site: tuple[int, int, int]) -> Draft:
    """Exchange the two noun phrases; the preposition stays."""
    verb, target, oblique = site
    for noun in (target, oblique):
        decline_if(tree.upos[noun] not in NOMINAL or tree.is_measure(noun), "argument is not a participant")
        if tree.upos[noun] == "PRON" and (tree.xpos[noun] != "PRP" or tree.lower[noun] == "it"):
            raise Decline("argument is not a participant")
        decline_if(tree.has_anaphor(noun), "argument refers to the other")
        if not tree.has(noun, "det", "nmod:poss") and tree.upos[noun] == "NOUN" and tree.xpos[noun] == "NN":
            raise Decline("bare noun")
        decline_if(tree.any_of(tree.subtree(noun), "acl", "appos"), "argument holds a clause")
    preposition = tree.preposition(oblique)
    # ``produce fruits in different colors``
    plural = preposition == "in" and tree.xpos[oblique] == "NNS" and not tree.has(oblique, "det", "nmod:poss")
    decline_if(plural or preposition in _FITTING, "preposition that fits only its noun")
    beside = {preposition, tree.lower[tree.phrase(oblique).start]} & _SIDE_BY_SIDE
    pair = f"{tree.lemma[verb]}_{preposition}"
    decline_if(beside or pair in words("symmetric_complements"), "verb is symmetrical")
    decline_if(tree.lemma[target] == tree.lemma[oblique], "arguments are the same word")
    decline_if(any(tree.is_half(kid) for kid in tree.children[verb]), "coordination in doubt")
    decline_if(any(tree.words[i] == "," for i in range(target, tree.phrase(oblique).start)), "comma in doubt")
    draft = Draft(tree)
    swap_phrases(tree, draft, target, oblique)
    set_case(draft[oblique], "accusative", draft.order)
    return draft


TRANSFORMATION = Transformation(
    "oblique_swap", "different", "no object with a prepositional phrase", sites, rewrite, needs="obj obl case"
)
