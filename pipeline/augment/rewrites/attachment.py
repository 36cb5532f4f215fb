"""A modifier moves to another noun.

``The boy saw the man with the dog.`` -> ``The boy with the dog saw the man.``
"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Draft
from pipeline.augment.phrases import has_anaphor, is_measure, may_be_person
from pipeline.augment.source_tree import Decline, SourceTree

_PREPOSITIONS = frozenset({"with", "from", "without"})
# Where a participant is, the event is: ``a girl in a pool throws a ball`` says the same as ``a girl throws a
# ball in a pool``. Only of two people the phrase tells which one is meant.
_PLACES = frozenset({"near", "behind", "beside", "under", "at", "on", "in"})


def sites(tree: SourceTree) -> Iterator[tuple[int, int, int]]:
    """Modifying phrases of a subject or object, with the other one as their new noun."""
    for verb in tree.verbs:
        subject, target = tree.child(verb, "nsubj"), tree.child(verb, "obj")
        if subject is None or target is None or not subject < verb < target:
            continue
        for noun, other in ((subject, target), (target, subject)):
            for kid in tree.children_with(noun, "nmod"):
                case = tree.child(kid, "case")
                if kid > noun and case is not None and tree.lower[case] in _PREPOSITIONS | _PLACES:
                    yield noun, other, kid


def rewrite(tree: SourceTree, site: tuple[int, int, int]) -> Draft:
    """Attach the phrase to the other noun."""
    noun, other, modifier = site
    for each in (noun, other):
        if tree.upos[each] != "NOUN" or is_measure(tree, each):
            raise Decline("argument is no plain noun")
    if (
        len(tree.children_with(noun, "nmod", "acl", "acl:relcl", "appos")) > 1
        or tree.child(noun, "conj") is not None
    ):
        raise Decline("noun has other complements")
    if tree.child(other, "nmod", "acl", "acl:relcl", "appos", "conj") is not None:
        raise Decline("noun has other complements")
    case = tree.child(modifier, "case")
    people = may_be_person(tree, noun) and may_be_person(tree, other)
    if case is not None and tree.lower[case] in _PLACES and not people:
        raise Decline("place of the whole event")
    phrase = tree.phrase(modifier)
    if phrase.start != noun + 1 or phrase.open or len(phrase) > 6 or has_anaphor(tree, modifier):
        raise Decline("phrase in doubt")
    if any(tree.universal[i] in ("acl", "advcl") for i in phrase.positions):
        raise Decline("phrase in doubt")
    draft = Draft(tree)
    moved = draft.take_phrase(phrase)
    draft[modifier].head = draft[other]
    draft.put(moved, after=draft[other])
    return draft


TRANSFORMATION = Transformation(
    "attachment",
    "different",
    "no modifier between subject and object",
    sites,
    rewrite,
    needs=frozenset({"nsubj", "obj", "nmod"}),
)
