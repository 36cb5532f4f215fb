"""Pseudo-cleft: ``The committee approved the plans.`` -> ``What the committee approved was the plans.``"""

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import declarative, is_past, main_object, verb_group
from pipeline.augment.draft import Draft, Word
from pipeline.augment.morphology import be, set_tag, words
from pipeline.augment.phrases import (
    binds,
    has_anaphor,
    has_quantifier,
    is_measure,
    is_negative,
    may_be_person,
    require_no_focus,
    require_sure_object,
)
from pipeline.augment.source_tree import Decline, SourceTree
from pipeline.augment.surface import inside

_LIGHT = words("light_verbs")
_BAD_VERBS = words("no_pseudo_cleft")


def rewrite(tree: SourceTree, target: int) -> Draft:
    """Make the object the predicate of a free relative clause."""
    root = tree.root
    subject = declarative(tree)
    group = verb_group(tree, root)
    if tree.span(subject).start != 0:
        raise Decline("subject does not come first")
    if tree.child(root, "conj", "ccomp", "xcomp", "advcl", "iobj", "csubj") is not None:
        raise Decline("more than one clause")
    if group.negation is not None or tree.lemmas[root].lower() in _BAD_VERBS:
        raise Decline("verb makes no pseudo-cleft")
    det = tree.child(target, "det", "nmod:poss")
    if tree.upos[target] != "NOUN" or det is None or is_measure(tree, target) or has_quantifier(tree, target):
        raise Decline("object is no definite thing")
    if may_be_person(tree, target):
        raise Decline("object may be a person")
    indefinite = tree.lower[det] in ("a", "an", "some") or has_anaphor(tree, target)
    if is_negative(tree, subject) or (binds(tree, subject) and indefinite):
        raise Decline("scope of quantifiers")
    require_no_focus(tree, range(len(tree)))
    require_sure_object(tree, root, target)
    if has_anaphor(tree, target) and not tree.upos[subject] == "PRON":
        raise Decline("argument refers to the other")
    phrase = tree.phrase(target)
    rest = range(phrase.stop, len(tree) - 1)
    if phrase.start < root or phrase.open or len(rest) > 6 or any(tree.words[i] == "," for i in rest):
        raise Decline("clause too heavy")
    if tree.lemmas[root] in _LIGHT and tree.child(target, "det") is None:
        raise Decline("idiom of a light verb")
    draft = Draft(tree)
    past = is_past(tree, group.finite)
    verb, head = draft[root], draft[target]
    moved = draft.take_phrase(phrase)
    first = draft.order[0]
    first.form = inside(first, draft.source)
    what = Word("what", "what", "PRON", "WP", "PronType=Rel", "nsubj", head)
    copula = Word("", "be", "AUX", "", "", "cop", head)
    set_tag(copula, "VBD" if past else "VBZ", be("VBD" if past else "VBZ", "singular"))
    stop = draft[len(tree) - 1]
    draft.put([copula, *moved], before=stop)
    draft.order.insert(0, what)
    head.head, head.deprel = None, "root"
    verb.head, verb.deprel = what, "acl:relcl"
    stop.head = head
    return draft


TRANSFORMATION = Transformation(
    "pseudo_cleft",
    "same",
    "main clause has no verb with an object",
    main_object,
    rewrite,
    needs=frozenset({"obj"}),
)
