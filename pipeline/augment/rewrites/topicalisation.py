"""Topicalisation: ``I have read this book.`` -> ``This book, I have read.``"""

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import declarative, main_object, verb_group
from pipeline.augment.draft import Decline, Draft, comma, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words


def rewrite(tree: SourceTree, target: int) -> Draft:
    """Move the object to the front."""
    root = tree.root
    subject = declarative(tree)
    verb_group(tree, root)
    whole_subject, phrase = tree.phrase(subject), tree.phrase(target)
    decline_if(tree.xpos[subject] != "PRP" or len(tree) - phrase.stop > 5, "subject or clause too heavy")
    if whole_subject.start != 0 or len(whole_subject) > 2 or phrase.start < root:
        raise Decline("subject does not come first")
    if tree.has(root, "conj", "ccomp", "xcomp", "advcl", "iobj", "csubj", "compound:prt"):
        raise Decline("more than one clause")
    if tree.upos[target] not in ("NOUN", "PROPN") or not tree.is_definite(target) or tree.is_measure(target):
        raise Decline("object is not definite")
    if tree.has_quantifier(target) or tree.has_anaphor(target) or tree.lemmas[root] in words("light_verbs"):
        raise Decline("argument refers to the other")
    tree.require_no_focus(range(len(tree)))
    tree.require_sure_object(root, target)
    if phrase.open or len(phrase) > 6 or tree.any_of(phrase.positions, "acl", "appos", "conj"):
        raise Decline("object too heavy")
    draft = Draft(tree)
    moved = draft.take_phrase(phrase)
    draft.put([*moved, comma(draft[target])], before=draft[0])
    return draft


TRANSFORMATION = Transformation(
    "topicalisation", "same", "main clause has no verb with an object", main_object, rewrite, needs="obj"
)
