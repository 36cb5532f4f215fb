"""A comparison is reversed.

``Rome is older than Paris.`` -> ``Paris is older than Rome.``; ``older`` -> ``younger``.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import agree
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import NOMINAL, SourceTree, swap_phrases
from pipeline.augment.surface import set_case

_OPPOSITES = {
    "larger": "smaller", "bigger": "smaller", "higher": "lower", "older": "younger", "longer": "shorter",
    "taller": "shorter", "better": "worse", "faster": "slower", "stronger": "weaker", "heavier": "lighter",
    "warmer": "cooler", "hotter": "colder", "richer": "poorer", "deeper": "shallower", "wider": "narrower",
    "closer": "farther", "easier": "harder", "cheaper": "dearer", "greater": "smaller", "earlier": "later",
    "brighter": "darker", "louder": "quieter", "thicker": "thinner", "younger": "older", "smaller": "larger",
    "lower": "higher", "shorter": "longer", "worse": "better", "slower": "faster", "weaker": "stronger",
    "lighter": "heavier", "colder": "hotter", "poorer": "richer", "later": "earlier", "harder": "easier",
}  # fmt: skip

# Before a noun these often say something else than the adjective does.
_FIGURATIVE = frozenset({"better", "closer", "earlier", "greater", "higher", "later", "lower"})


def sites(tree: SourceTree) -> Iterator[tuple[str, int]]:
    """Comparative adjectives, and ``more`` or ``less`` before one."""
    for word, tag in enumerate(tree.xpos):
        if tag == "JJR" and tree.upos[word] == "ADJ":
            yield "exchange", word
            yield "reverse", word
        elif tree.lower[word] in ("more", "less") and tree.upos[tree.parents[word]] == "ADJ":
            yield "exchange", tree.parents[word]
            yield "reverse", word


def rewrite(tree: SourceTree, site: tuple[str, int]) -> Draft:
    """Exchange the two nouns that are compared, or replace the comparative by its opposite."""
    change, word = site
    return _exchange(tree, word) if change == "exchange" else _reverse(tree, word)


def _exchange(tree: SourceTree, adjective: int) -> Draft:
    subject, copula = tree.child(adjective, "nsubj"), tree.child(adjective, "cop")
    compared = tree.children_with(adjective, "obl", "advcl")
    markers = ((kid, tree.child(kid, "case", "mark")) for kid in compared)
    standard = next((kid for kid, word in markers if word is not None and tree.lower[word] == "than"), None)
    if subject is None or copula is None or standard is None or not subject < copula < adjective < standard:
        raise Decline("nothing is compared by name")
    for noun in (subject, standard):
        if tree.upos[noun] not in NOMINAL or tree.is_measure(noun) or tree.has_anaphor(noun):
            raise Decline("nothing is compared by name")
        decline_if(tree.upos[noun] == "PRON" and tree.xpos[noun] != "PRP", "nothing is compared by name")
        decline_if(tree.any_of(tree.subtree(noun), "acl", "appos", "advcl"), "phrase holds a clause")
    of_noun = tree.children_with(standard, "mark", "det", "amod", "compound", "nmod:poss", "nmod", "flat")
    clausal = tree.deprels[standard] == "advcl" and len(of_noun) < len(tree.children[standard])
    decline_if(clausal, "phrase holds a clause")
    decline_if(tree.lemma[subject] == tree.lemma[standard], "the words are the same")
    draft = Draft(tree)
    for kid in tree.children_with(standard, "mark"):
        draft[kid].deprel = "case"
    shadow = _with_case(tree, standard)
    swap_phrases(shadow, draft, subject, standard)
    for kid in tree.children_with(standard, "mark"):
        draft[kid].head = draft[subject]
    set_case(draft[standard], "nominative", draft.order)
    set_case(draft[subject], "accusative", draft.order)
    agree(draft[tree.finite(adjective)], partial(tree.agreement, standard))
    return draft


def _with_case(tree: SourceTree, standard: int) -> SourceTree:
    """The tree with the ``mark`` of the standard relabelled as its preposition."""
    deprels = list(tree.deprels)
    for kid in tree.children_with(standard, "mark"):
        deprels[kid] = "case"
    return SourceTree(replace(tree.sentence, deprels=tuple(deprels)))


def _reverse(tree: SourceTree, word: int) -> Draft:
    lower = tree.lower[word]
    if word and tree.lower[word - 1] in ("no", "any", "the", "not", "and", "or", "never", "much"):
        raise Decline("comparison in doubt")
    decline_if(word + 1 < len(tree) and tree.lower[word + 1] in ("and", "or", "-"), "comparison in doubt")
    if lower in ("more", "less", "fewer"):
        new = _less(tree, word) if lower == "more" else "more"
        if not any(tree.lower[i] == "than" for i in range(word, len(tree))):
            raise Decline("nothing to compare with")
    elif lower in _OPPOSITES:
        decline_if(word and tree.words[word][0].isupper(), "comparison in doubt")  # ``Lower Austria``
        new = _OPPOSITES[lower]
        # ``took a closer look``, ``a greater success``
        decline_if(tree.deprels[word] == "amod" and lower in _FIGURATIVE, "comparison in doubt")
    else:
        raise Decline("no opposite known")
    draft = Draft(tree)
    target = draft[word]
    target.form = new.capitalize() if word == 0 else new
    target.lemma = new
    return draft


def _less(tree: SourceTree, more: int) -> str:
    """The opposite of ``more``: ``fewer inhabitants``, ``less water``, ``less often``."""
    noun = tree.parents[more]
    counted = more < noun and tree.universal[more] in ("amod", "det") and tree.xpos[noun] in ("NNS", "NNPS")
    return "fewer" if counted else "less"


TRANSFORMATION = Transformation("comparative", "different", "no comparative", sites, rewrite)
