"""Pseudo-cleft: ``The committee approved the plans.`` -> ``What the committee approved was the plans.``"""

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import declarative, is_past, main_object, verb_group
from pipeline.augment.draft import Decline, Draft, SourceTree, Word, decline_if
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
from pipeline.augment.surface import be, inside, set_tag, words

_BAD_VERBS = words("no_pseudo_cleft")


def rewrite(tree: SourceTree, target: int) -> Draft:
    """Make the object the predicate of a free relative clause."""
    root = tree.root
    subject = declarative(tree)
    group = verb_group(tree, root)
    decline_if(tree.span(subject).start != 0, "subject does not come first")
    decline_if(tree.has(root, "conj", "ccomp", "xcomp", "advcl", "iobj", "csubj"), "more than one clause")
    decline_if(group.negation is not None or tree.lemma[root] in _BAD_VERBS, "verb makes no pseudo-cleft")
    det = tree.child(target, "det", "nmod:poss")
    if tree.upos[target] != "NOUN" or det is None or is_measure(tree, target) or has_quantifier(tree, target):
        raise Decline("object is not a definite thing")
    decline_if(may_be_person(tree, target), "object may be a person")
    indefinite = tree.lower[det] in ("a", "an", "some") or has_anaphor(tree, target)
    decline_if(is_negative(tree, subject) or (binds(tree, subject) and indefinite), "scope of quantifiers")
    require_no_focus(tree, range(len(tree)))
    require_sure_object(tree, root, target)
    decline_if(has_anaphor(tree, target) and tree.upos[subject] != "PRON", "argument refers to the other")
    phrase = tree.phrase(target)
    rest = range(phrase.stop, len(tree) - 1)
    if phrase.start < root or phrase.open or len(rest) > 6 or any(tree.words[i] == "," for i in rest):
        raise Decline("clause too heavy")
    # ``constitutes approximately the third``
    between = any(root < kid < phrase.start for kid in tree.children_with(root, "advmod"))
    decline_if(between, "word order in doubt")
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
    "pseudo_cleft", "same", "main clause has no verb with an object", main_object, rewrite, needs="obj"
)
