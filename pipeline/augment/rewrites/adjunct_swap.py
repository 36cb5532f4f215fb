"""Two neighbouring adjuncts change places: ``born in Paris in 1850`` -> ``born in 1850 in Paris``."""

from collections.abc import Iterator
from itertools import pairwise

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, Phrase, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words

# After a time they begin or end it.
_SPANS = frozenset({"after", "before", "following", "since"})


def sites(tree: SourceTree) -> Iterator[tuple[int, int]]:
    """Pairs of oblique phrases of one verb, of which one says when."""
    for verb in tree.verbs:
        phrases = [kid for kid in tree.children[verb] if tree.universal[kid] == "obl" and kid > verb]
        for a, b in pairwise(phrases):
            if tree.is_time_adjunct(a) != tree.is_time_adjunct(b):
                yield a, b


def rewrite(tree: SourceTree, site: tuple[int, int]) -> Draft:
    """Exchange two adjuncts."""
    a, b = site
    left, right = tree.phrase(a), tree.phrase(b)
    decline_if(left.stop != right.start or left.commas or right.commas, "adjuncts are not side by side")
    tree.require_no_focus(tree.children[tree.parents[a]])
    # ``at Rock in Rio in 1985``, ``on Monday in May in Bern``
    others = [kid for kid in tree.children_with(tree.parents[a], "obl") if kid not in site]
    decline_if(any(tree.span(kid).stop == left.start for kid in others), "adjuncts belong together")
    after = right.stop
    clause = tree.words[after] == "," and tree.upos[after + 1] in ("CCONJ", "SCONJ")
    ends = clause or tree.words[after] in (".", "!", "?", "and", "but")
    decline_if(not ends, "more words follow the adjuncts")
    for phrase in (left, right):
        decline_if(phrase.open or len(phrase) > 6, "adjunct too heavy")
        if tree.any_of(phrase.positions, "acl", "advcl", "appos", "conj", "ccomp"):
            raise Decline("adjunct too heavy")
        if any(tree.lower[i] in ("than", "from", "between", "until", "as") for i in phrase.positions):
            raise Decline("adjuncts belong together")
        decline_if(not tree.has(phrase.head, "case"), "adjunct without preposition")
    # ``within sixty days after the dissolution``
    if (tree.lower[right.start] in _SPANS and tree.is_time(a)) or _has_amount(tree, left, right):
        raise Decline("adjuncts belong together")
    # ``moving on on Friday to Darwin``
    decline_if(tree.lower[left.start - 1] == tree.lower[right.start], "word order in doubt")
    other = b if tree.is_time_adjunct(a) else a
    decline_if(tree.upos[other] == "PRON", "adjunct in doubt")
    _require_no_complement(tree, other)
    draft = Draft(tree)
    moved = draft.take_phrase(right)
    draft.put(moved, before=draft[left.start])
    return draft


def _require_no_complement(tree: SourceTree, word: int) -> None:
    """Raise Decline if the phrase belongs to the verb: ``came into force``, ``put it on the table``."""
    verb, preposition = tree.parents[word], tree.preposition(word)
    bare = tree.xpos[word] == "NN" and len(tree.children[word]) == 1
    decline_if(bare, "noun without article may be part of an idiom")
    pair = f"{tree.lemma[verb]}_{preposition}"
    of_object = tree.lemma[verb] in words("placing") or pair in words("complement_of_verb")
    of_object = of_object and tree.has(verb, "obj", "nsubj:pass")
    decline_if(of_object or tree.is_complement(verb, preposition), "phrase may be a complement")


def _has_amount(tree: SourceTree, *phrases: Phrase) -> bool:
    """Whether an amount goes with a time: ``16.7 per cent in May against 8.1 per cent in April``."""
    return any(
        tree.lower[each.start] in ("against", "with") and any(tree.upos[i] == "NUM" for i in each.positions)
        for each in phrases
    )


TRANSFORMATION = Transformation("adjunct_swap", "same", "no two adjuncts side by side", sites, rewrite)
