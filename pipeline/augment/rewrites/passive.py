"""Active -> passive: ``The board approved the plans.`` -> ``The plans were approved by the board.``"""

from collections.abc import Iterator
from functools import partial

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import (
    VerbGroup,
    passivise,
    require_close,
    require_free_subject,
    subject_of,
    verb_group,
)
from pipeline.augment.draft import Draft, Word
from pipeline.augment.morphology import set_case, words
from pipeline.augment.phrases import (
    agreement,
    binds,
    has_anaphor,
    has_quantifier,
    is_bare,
    is_measure,
    may_be_person,
    require_sure_object,
)
from pipeline.augment.source_tree import Decline, Phrase, SourceTree

_BEFORE_BE = words("before_be")
_CLOSE_PREPOSITIONS = words("close_prepositions")
_LIGHT_VERBS = words("light_verbs")
_NO_PASSIVE = words("no_passive")
_PLACING = words("placing")
_SUBJECT_GENERIC = words("subject_generic")

_HEAVY = 14  # words: longer arguments make a clumsy passive
_SENSES = frozenset({"see", "hear", "watch", "notice"})
_WITH_PARTICLE = words("particle_passive")
_WH = frozenset({"what", "which", "who", "whom", "that"})


def sites(tree: SourceTree) -> Iterator[int]:
    """Verbs with a direct object and a subject."""
    for verb in tree.verbs:
        if tree.child(verb, "obj") is not None and tree.child(verb, "nsubj") is not None:
            yield verb


def rewrite(tree: SourceTree, verb: int) -> Draft:
    """Turn the clause of ``verb`` passive."""
    lemma = tree.lemmas[verb].lower()
    if lemma in _NO_PASSIVE or (lemma in _WITH_PARTICLE and tree.child(verb, "compound:prt") is None):
        raise Decline("verb has no natural passive")
    group = verb_group(tree, verb)
    subject = subject_of(tree, verb, "nsubj")
    require_free_subject(tree, verb, subject)
    target = _target(tree, verb)
    _require_plain(tree, group, subject, target)
    whole_subject, whole_target = tree.phrase(subject), tree.phrase(target)
    require_close(tree, whole_subject, verb)
    if len(whole_target) > _HEAVY or len(whole_subject) > _HEAVY:
        raise Decline("argument too heavy")
    if any(
        tree.xpos[i].startswith("W") and tree.parents[i] != verb for i in whole_subject.positions[:-1]
    ) and (tree.child(subject, "acl:relcl") is None):
        raise Decline("question or relative word")
    number = partial(agreement, tree, target)

    draft = Draft(tree)
    if tree.xpos[subject].startswith("W") or (tree.lower[subject] == "that" and tree.upos[subject] == "PRON"):
        raise Decline("subject is a relative or question word")
    agent = draft.take_phrase(whole_subject)
    follower = next(i for i in range(whole_subject.stop, len(tree)) if draft[i] in draft.order)
    if target > subject:
        new_subject = draft.take_phrase(whole_target)
        if any(word is draft[follower] for word in new_subject):
            raise Decline("word order in doubt")
        draft.put(new_subject, before=draft[follower])
    stop = whole_target.stop
    if target > verb and tree.words[stop] == "," and tree.upos[stop + 1] in ("ADP", "SCONJ"):
        raise Decline("loosely attached material")
    _promote(draft, draft[target])
    passivise(draft, group, number, _adverbs_from(tree, group))
    if tree.lower[subject] in _SUBJECT_GENERIC and len(whole_subject) == 1:
        return draft
    _add_agent(tree, draft, group, whole_target, agent, draft[subject])
    return draft


def _target(tree: SourceTree, verb: int) -> int:
    """The object that becomes the subject: the recipient of a double object, else the direct object."""
    objects = tree.children_with(verb, "obj")
    recipients = tree.children_with(verb, "iobj")
    if len(objects) != 1 or len(recipients) > 1:
        raise Decline("object in doubt")
    return recipients[0] if recipients else objects[0]


def _require_plain(tree: SourceTree, group: VerbGroup, subject: int, target: int) -> None:
    verb = group.verb
    for noun in (subject, target):
        if tree.upos[noun] not in ("NOUN", "PROPN", "PRON"):
            raise Decline("argument is no noun")
        if tree.lower[noun] in ("there", "one", "this", "that") and noun == subject:
            raise Decline("subject is no participant")
    if tree.lower[subject] == "it":
        raise Decline("subject is no participant")
    if tree.lemmas[verb] in _SENSES and tree.upos[subject] != "PRON" and not may_be_person(tree, subject):
        raise Decline("subject is no participant")
    if is_measure(tree, target):
        raise Decline("object is a measure")
    if has_anaphor(tree, target) or has_anaphor(tree, subject):
        raise Decline("argument refers to the other")
    if tree.lemmas[verb] in _LIGHT_VERBS and is_bare(tree, target):
        raise Decline("idiom of a light verb")
    if has_quantifier(tree, subject) and (has_quantifier(tree, target) or group.negation is not None):
        raise Decline("scope of quantifiers")
    if has_quantifier(tree, target) and (group.negation is not None or has_quantifier(tree, subject)):
        raise Decline("scope of quantifiers")
    if any(
        has_anaphor(tree, kid)
        for kid in tree.children[verb]
        if kid > target and tree.universal[kid] in ("obl", "xcomp")
    ):
        raise Decline("argument refers to the other")
    require_sure_object(tree, verb, target)
    if binds(tree, subject):
        raise Decline("scope of quantifiers")
    if subject > verb:
        raise Decline("subject after the verb")
    if target < subject and not (tree.upos[target] == "PRON" and tree.lower[target] in _WH):
        raise Decline("object before the subject")


def _adverbs_from(tree: SourceTree, group: VerbGroup) -> int:
    """The word before which *be* goes: a first auxiliary before all adverbs, *been* before manner adverbs."""
    at = group.verb
    stays = frozenset() if group.finite == group.verb or tree.lemmas[group.finite] == "do" else _BEFORE_BE
    while (
        at and tree.parents[at - 1] == group.verb and tree.upos[at - 1] == "ADV" and not tree.children[at - 1]
    ):
        if stays and (tree.lower[at - 1] in stays or not tree.lower[at - 1].endswith("ly")):
            break
        at -= 1
    return at


def _promote(draft: Draft, word: Word) -> None:
    word.deprel = "nsubj:pass"
    set_case(word, "nominative", draft.order)


def _add_agent(
    tree: SourceTree, draft: Draft, group: VerbGroup, target: Phrase, agent: list[Word], head: Word
) -> None:
    """Put the by-phrase after the verb, its particle, and the phrases that stay next to the verb."""
    verb = group.verb
    head.deprel = "obl:agent"
    set_case(head, "accusative", agent)
    by = Word("by", "by", "ADP", "IN", "", "case", head)
    anchor = draft[verb]
    rest = [
        kid for kid in tree.children[verb] if kid > verb and kid != target.head and tree.upos[kid] != "PUNCT"
    ]
    for kid in rest:
        rel = tree.deprels[kid]
        stays_next = rel == "compound:prt" or rel == "obj" or (rel == "xcomp" and tree.upos[kid] != "VERB")
        if rel == "obl" and not stays_next:
            case = tree.child(kid, "case")
            close = case is not None and (
                tree.lower[case] in _CLOSE_PREPOSITIONS or tree.lemmas[verb] in _PLACING
            )
            stays_next = close and len(tree.span(kid)) <= 5
        if rel == "advmod" and kid == verb + 1 and tree.upos[kid] == "ADV" and not tree.children[kid]:
            stays_next = True
        if not stays_next:
            break
        anchor = draft[tree.span(kid).stop - 1]
    draft.put([by, *agent], after=anchor)


TRANSFORMATION = Transformation(
    "passive", "same", "no subject, verb and object", sites, rewrite, needs=frozenset({"nsubj", "obj"})
)
