"""Pseudo-cleft: ``The committee approved the plans.`` -> ``What the committee approved was the plans.``"""

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import declarative, is_past, main_object, verb_group
from pipeline.augment.draft import Decline, Draft, Word, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import form_of_be, inside, words


def rewrite(tree: SourceTree, target: int) -> Draft:
    """Make the object the predicate of a free relative clause."""
    root = tree.root
    subject = declarative(tree)
    group = verb_group(tree, root)
    decline_if(tree.span(subject).start != 0, "subject does not come first")
    decline_if(tree.has(root, "conj", "ccomp", "xcomp", "advcl", "iobj", "csubj"), "more than one clause")
    no_cleft = group.negation is not None or tree.lemma[root] in words("no_pseudo_cleft")
    decline_if(no_cleft, "verb makes no pseudo-cleft")
    det = tree.child(target, "det", "nmod:poss")
    if tree.upos[target] != "NOUN" or det is None or tree.is_measure(target) or tree.has_quantifier(target):
        raise Decline("object is not a definite thing")
    decline_if(tree.may_be_person(target), "object may be a person")
    indefinite = tree.lower[det] in ("a", "an", "some") or tree.has_anaphor(target)
    decline_if(tree.is_negative(subject) or (tree.binds(subject) and indefinite), "scope of quantifiers")
    tree.require_no_focus(range(len(tree)))
    tree.require_sure_object(root, target)
    decline_if(tree.has_anaphor(target) and tree.upos[subject] != "PRON", "argument refers to the other")
    phrase = tree.phrase(target)
    rest = range(phrase.stop, len(tree) - 1)
    if phrase.start < root or phrase.open or len(rest) > 6 or any(tree.words[i] == "," for i in rest):
        raise Decline("clause too heavy")
    light = tree.lemmas[root] in words("light_verbs")
    decline_if(light and not tree.has(target, "det"), "idiom of a light verb")
    # ``constitutes approximately the third``
    between = any(root < kid < phrase.start for kid in tree.children_with(root, "advmod"))
    decline_if(between, "word order in doubt")
    draft = Draft(tree)
    verb, head = draft[root], draft[target]
    moved = draft.take_phrase(phrase)
    first = draft.order[0]
    first.form = inside(first, draft.source)
    what = Word("what", "what", "PRON", "WP", "PronType=Rel", "nsubj", head)
    copula = form_of_be("VBD" if is_past(tree, group.finite) else "VBZ", "singular", "cop", head)
    draft.put([copula, *moved], before=draft[-1])
    draft.order.insert(0, what)
    head.head, head.deprel = None, "root"
    verb.head, verb.deprel = what, "acl:relcl"
    draft[-1].head = head
    return draft


TRANSFORMATION = Transformation(
    "pseudo_cleft", "same", "main clause has no verb with an object", main_object, rewrite, needs="obj"
)
