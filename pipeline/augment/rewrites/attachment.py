"""A modifier moves to another noun.

``The boy saw the man with the dog.`` -> ``The boy with the dog saw the man.``
"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words

_PREPOSITIONS = frozenset({"with", "from", "without"})
# Where a participant is, the event is: ``a girl in a pool throws a ball`` says the same as ``a girl throws a
# ball in a pool``. Only what two people wear tells which one is meant.
_PLACES = frozenset({"near", "behind", "beside", "under", "at", "on", "in"})


def sites(tree: SourceTree) -> Iterator[tuple[int, int, int]]:
    """Modifying phrases of a subject or object, with the other one as their new noun."""
    for verb in tree.verbs:
        subject, target = tree.child(verb, "nsubj"), tree.child(verb, "obj")
        if subject is None or target is None or not subject < verb < target:
            continue
        for noun, other in ((subject, target), (target, subject)):
            for kid in tree.children_with(noun, "nmod"):
                if kid > noun and tree.preposition(kid) in _PREPOSITIONS | _PLACES:
                    yield noun, other, kid


def rewrite(tree: SourceTree, site: tuple[int, int, int]) -> Draft:
    """Attach the phrase to the other noun."""
    noun, other, modifier = site
    for each in (noun, other):
        decline_if(tree.upos[each] != "NOUN" or tree.is_measure(each), "argument is not a plain noun")
    if len(tree.children_with(noun, "nmod", "acl", "acl:relcl", "appos")) > 1 or tree.has(noun, "conj"):
        raise Decline("noun has other complements")
    decline_if(tree.has(other, "nmod", "acl", "acl:relcl", "appos", "conj"), "noun has other complements")
    preposition = tree.preposition(modifier)
    people = tree.may_be_person(noun) and tree.may_be_person(other)
    worn = preposition == "in" and tree.lemma[modifier] in words("clothes")
    decline_if(preposition in _PLACES and not (people and worn), "place of the whole event")
    _require_of_noun(tree, tree.parents[noun], modifier, preposition)
    of_verb = f"{tree.lemma[tree.parents[noun]]}_{preposition}" in words("complement_of_verb")
    decline_if(of_verb, "attachment in doubt")
    phrase = tree.phrase(modifier)
    if phrase.start != noun + 1 or phrase.open or len(phrase) > 6 or tree.has_anaphor(modifier):
        raise Decline("phrase in doubt")
    decline_if(tree.any_of(phrase.positions, "acl", "advcl"), "phrase in doubt")
    draft = Draft(tree)
    moved = draft.take_phrase(phrase)
    draft[modifier].head = draft[other]
    draft.put(moved, after=draft[other])
    return draft


def _require_of_noun(tree: SourceTree, verb: int, modifier: int, case: str) -> None:
    """Raise Decline if the moved phrase may say with what, with whom or from where the deed is done.

    ``the man with the gun shot the guard`` and ``the man shot the guard with the gun`` are the same deed.
    """
    lemma, borne = tree.lemma[verb], tree.lemma[modifier]
    decline_if(case == "from" and lemma in words("from_verbs"), "phrase may say from where")
    feature = borne in words("features") and lemma not in words("contact_verbs")
    companion = borne in words("companions") and lemma in words("mental_verbs")
    told = case in ("with", "without") and not (feature or companion)
    decline_if(told, "phrase may say with what or with whom")


TRANSFORMATION = Transformation(
    "attachment",
    "different",
    "no modifier between subject and object",
    sites,
    rewrite,
    needs="nsubj obj nmod",
)
