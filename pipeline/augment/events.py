"""Whether a clause tells of the same event in the other voice, negation and adverbs in the same scope."""

from pipeline.augment.clauses import VerbGroup
from pipeline.augment.morphology import words
from pipeline.augment.phrases import is_definite, may_act, may_be_person
from pipeline.augment.polarity import has_any, is_negated
from pipeline.augment.source_tree import Decline, SourceTree

_ANIMATE_SUBJECT = words("animate_subject")
_AS_VERBS = words("as_verbs")
_BODY = words("body_parts")
# ``also`` is looked at by itself: before the verb it may stay there.
_FOCUS = (words("focus_particles") - {"also"}) | words("focus_adverbs")
_LIGHT_OBJECTS = words("light_objects")
_STATES = words("states_of_people")

# ``made a good teacher``, ``returned a widow``: with a person they tell what the subject became or was.
_BECOMING = frozenset({"make", "part", "prove", "return"})


def require_same_event(tree: SourceTree, verb: int, subject: int, target: int) -> None:
    """Raise Decline where the passive tells of another event: ``sold a million copies``."""
    lemma, noun = tree.lemmas[verb].lower(), tree.lemmas[target].lower()
    described = tree.child(verb, "xcomp", "compound:prt") is not None
    if lemma in _ANIMATE_SUBJECT and not described and not may_act(tree, subject):
        raise Decline("subject is no participant")
    person = may_be_person(tree, target)
    given = tree.child(verb, "iobj") is not None
    if lemma in _BECOMING and person and not (described or given or is_definite(tree, target)):
        raise Decline("object describes the subject")
    if not person and any(
        tree.lower[kid] in _STATES and tree.upos[kid] == "ADJ"
        for kid in (*tree.children[verb], *tree.children[target])
        if kid > target
    ):
        raise Decline("depictive")
    if f"{lemma}_{noun}" in _LIGHT_OBJECTS:
        raise Decline("idiom of a light verb")
    if not is_definite(tree, target) and tree.upos[target] == "NOUN" and (noun in _BODY or lemma == "lose"):
        raise Decline("object is a part of the subject")
    for kid in tree.children[verb]:
        if kid < verb or tree.universal[kid] not in ("obl", "advcl", "advmod", "nmod"):
            continue
        inner = tree.subtree(kid)
        first = tree.lower[inner[0]]
        if first == "like" or (
            first == "as"
            and lemma not in _AS_VERBS
            and any(tree.upos[i] == "NOUN" and may_act(tree, i) for i in inner)
        ):
            raise Decline("adjunct is understood from the subject")


def require_same_scope(tree: SourceTree, group: VerbGroup, target: int) -> None:
    """Raise Decline where the new subject leaves the scope of a negation, or an adverb gets another focus."""
    verb = group.verb
    if is_negated(tree, verb, besides=target):
        if has_any(tree, target):
            raise Decline("word that needs a negation")
        kids = tree.children[target]
        if any(tree.lower[kid] in ("a", "an") or tree.deprels[kid] == "nummod" for kid in kids):
            raise Decline("scope of negation or focus particle")
    for kid in tree.children_with(verb, "advmod"):
        recent = tree.lower[kid] == "just" and tree.lemmas[group.finite].lower() == "have" and kid < verb
        if tree.lower[kid : kid + 2] == ["as", "well"] or tree.lower[kid - 1 : kid + 1] == ["as", "well"]:
            raise Decline("scope of negation or focus particle")
        if (tree.lower[kid] in _FOCUS and not recent) or (tree.lower[kid] == "also" and kid > verb):
            raise Decline("scope of negation or focus particle")


def require_licence(tree: SourceTree, verb: int, subject: int) -> None:
    """Raise Decline where a word needs the negation of a subject that moves: ``few people ever visit it``."""
    others = [kid for kid in tree.children[verb] if kid != subject]
    negates = is_negated(tree, verb) and not is_negated(tree, verb, besides=subject)
    if negates and any(has_any(tree, kid) for kid in others):
        raise Decline("word that needs a negation")
