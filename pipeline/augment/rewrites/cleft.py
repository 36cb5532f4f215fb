"""Cleft: ``The committee approved the plans.`` -> ``It was the committee that approved the plans.``

In the tree the focus heads the sentence, *it* is its subject, *be* its copula, the rest a relative clause.
"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import declarative, is_past, require_close, verb_group
from pipeline.augment.draft import Decline, Draft, Word, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import form_of_be


def sites(tree: SourceTree) -> Iterator[int]:
    """Subject, object and time phrases of the main verb."""
    if tree.upos[tree.root] == "VERB":
        _require_simple(tree)
        for kid in tree.children[tree.root]:
            if tree.deprels[kid] in ("nsubj", "obj", "obl", "nsubj:pass"):
                yield kid


def _require_simple(tree: SourceTree) -> None:
    root = tree.root
    subject = declarative(tree)
    decline_if(tree.span(subject).start != 0, "subject does not come first")
    decline_if(tree.has(root, "conj", "ccomp", "csubj", "advcl"), "more than one clause")
    if any(tree.is_negative(i) for i in (*tree.subtree(subject), *tree.children[root])):
        raise Decline("scope of negation or focus particle")
    if tree.lemma[root] in ("include", "comprise", "contain", "consist", "have"):
        raise Decline("verb of being or having")
    decline_if(verb_group(tree, root).negation is not None, "scope of negation or focus particle")
    tree.require_no_focus(range(len(tree)))


def rewrite(tree: SourceTree, focus: int) -> Draft:
    """Put one phrase of the main clause into focus."""
    root, role = tree.root, tree.deprels[focus]
    if role == "obl":
        if not tree.is_time_adjunct(focus) or tree.preposition(focus) in ("", "until", "by", "since"):
            raise Decline("phrase may be a complement")
        tree.require_free(tree.phrase(focus))
        tree.require_same_count(focus)
    elif (
        tree.upos[focus] not in ("NOUN", "PROPN") or not tree.is_definite(focus) or tree.has_quantifier(focus)
    ):
        raise Decline("focus is not definite")
    if role == "obj":
        tree.require_sure_object(root, focus)
    if role == "obj" and (tree.has_anaphor(focus) or tree.has(root, "iobj", "xcomp")):
        raise Decline("argument refers to the other")
    phrase = tree.phrase(focus)
    if role in ("nsubj", "nsubj:pass"):
        require_close(tree, phrase, root)
    # After a comma an object may be an apposition: ``at the facility, the nation's leading laboratory``.
    decline_if(role in ("obl", "obj") and tree.words[phrase.start - 1] == ",", "comma in doubt")
    if phrase.open or tree.any_of(phrase.positions, "acl", "appos") or len(phrase) > 7:
        raise Decline("focus too heavy")
    return _build(tree, Draft(tree), focus, role, is_past(tree, verb_group(tree, root).finite))


def _build(tree: SourceTree, draft: Draft, focus: int, role: str, past: bool) -> Draft:
    root, head = draft[tree.root], draft[focus]
    phrase = tree.phrase(focus)
    moved = draft.take_phrase(phrase)
    it = Word(
        "it", "it", "PRON", "PRP", "Case=Nom|Gender=Neut|Number=Sing|Person=3|PronType=Prs", "nsubj", head
    )
    copula = form_of_be("VBD" if past else "VBZ", "singular", "cop", head)
    that = Word("that", "that", "PRON", "WDT", "PronType=Rel", role, root)
    if role == "obl":
        that = Word("that", "that", "SCONJ", "IN", "", "mark", root)
    draft.order[:0] = [it, copula, *moved, that]
    if draft[-1].upos == "PUNCT":
        draft[-1].head = head
    head.head, head.deprel = None, "root"
    root.head, root.deprel = head, "acl:relcl"
    return draft


TRANSFORMATION = Transformation("cleft", "same", "main clause has no verb with arguments", sites, rewrite)
