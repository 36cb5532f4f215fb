"""Active -> passive: ``The board approved the plans.`` -> ``The plans were approved by the board.``"""

from collections.abc import Iterator
from functools import partial

from pipeline.augment import clauses
from pipeline.augment.base import Transformation
from pipeline.augment.clauses import FINITE, Agreement, VerbGroup, of_object, passivise
from pipeline.augment.draft import Decline, Draft, Phrase, Word, decline_if
from pipeline.augment.phrases import NOMINAL, SourceTree
from pipeline.augment.surface import set_case, words

_BEFORE_BE = words("before_be")
_TIMES = words("frame_adverbs") | words("frame_time_adverbs") | words("end_adverbs")

_HEAVY = 14  # words: longer arguments make a clumsy passive
_SENSES = frozenset({"see", "hear", "watch", "notice", "witness"})
_NEAR = frozenset({"about", "against", "among", "around", "between", "within"})
# Quantifiers of a subject that keep their scope in a by-phrase.
_PLAIN_BINDERS = words("plain_binders")
_WITHOUT_NEGATION = {"no": "any", "nobody": "anybody", "nothing": "anything"}
_WH = frozenset({"what", "which", "who", "whom", "that"})


def sites(tree: SourceTree) -> Iterator[int]:
    """Verbs with a direct object and a subject."""
    for verb in tree.verbs:
        if tree.has(verb, "obj") and tree.has(verb, "nsubj"):
            yield verb


def rewrite(tree: SourceTree, verb: int) -> Draft:
    """Turn the clause of ``verb`` passive."""
    lemma = tree.lemma[verb]
    described = any(of_object(tree, kid) for kid in tree.children_with(verb, "xcomp"))
    bare = lemma in words("particle_passive") and not tree.has(verb, "compound:prt")
    decline_if(not described and (bare or lemma in words("no_passive")), "verb has no natural passive")
    group = clauses.verb_group(tree, verb)
    subject = clauses.subject_of(tree, verb, "nsubj")
    clauses.require_free_subject(tree, verb, subject)
    target = _target(tree, verb)
    _require_plain(tree, group, subject, target)
    whole_subject, whole_target = tree.phrase(subject), tree.phrase(target)
    clauses.require_close(tree, whole_subject, verb)
    decline_if(len(whole_target) > _HEAVY or len(whole_subject) > _HEAVY, "argument too heavy")
    number = partial(tree.agreement, target)
    if _asked(tree, verb, whole_subject):
        return _question(tree, group, whole_subject, whole_target, number)
    clauses.require_no_question_word(tree, whole_subject, verb)
    # ``particles, which it found are made of protons``
    if target < subject and tree.words[target - 1] == "," and tree.xpos[verb + 1] in FINITE:
        raise Decline("reported clause")

    draft = Draft(tree)
    if tree.xpos[subject].startswith("W") or (tree.lower[subject] == "that" and tree.upos[subject] == "PRON"):
        raise Decline("subject is a relative or question word")
    agent = draft.take_phrase(whole_subject)
    follower = next(i for i in range(whole_subject.stop, len(tree)) if draft[i] in draft.order)
    if target > subject:
        new_subject = draft.take_phrase(whole_target)
        decline_if(draft[follower] not in draft.order, "word order in doubt")
        draft.put(new_subject, before=draft[follower])
    stop = whole_target.stop
    if target > verb and tree.words[stop] == "," and tree.upos[stop + 1] in ("ADP", "SCONJ"):
        raise Decline("loosely attached material")
    # ``match the salaries stockbrokers could offer``: the parser took the clause for a part of the object
    decline_if(target > verb and tree.xpos[stop] in FINITE, "clause after the object")
    _promote(draft, draft[target])
    finite = passivise(draft, group, number, _adverbs_from(tree, group))
    if tree.is_negative(subject):
        agent = _negate(tree, draft, draft[verb], finite, agent, subject)
    if tree.lower[subject] in words("subject_generic") and len(whole_subject) == 1:
        return draft
    _add_agent(tree, draft, group, whole_target, agent, draft[subject])
    return draft


def _target(tree: SourceTree, verb: int) -> int:
    """The object that becomes the subject: the recipient of a double object, otherwise the direct object."""
    objects = tree.children_with(verb, "obj")
    recipients = tree.children_with(verb, "iobj")
    decline_if(len(objects) != 1 or len(recipients) > 1, "object in doubt")
    return recipients[0] if recipients else objects[0]


def _require_plain(tree: SourceTree, group: VerbGroup, subject: int, target: int) -> None:
    verb = group.verb
    decline_if(not {tree.upos[subject], tree.upos[target]} <= NOMINAL, "argument is not a noun")
    no_one = tree.lower[subject] == "one" and tree.is_negative(subject)
    if tree.lower[subject] in ("it", "there", "one", "this", "that") and not no_one:
        raise Decline("subject is not a participant")
    if tree.lemmas[verb] in _SENSES and tree.upos[subject] != "PRON" and not tree.may_be_person(subject):
        raise Decline("subject is not a participant")
    decline_if(tree.is_measure(target), "object is a measure")
    clauses.require_same_event(tree, verb, subject, target)
    clauses.require_same_scope(tree, group, target)
    # The negation of ``nobody`` moves to the verb.
    if not tree.is_negative(subject):
        clauses.require_licence(tree, verb, subject)
    decline_if(tree.has_anaphor(target) or tree.has_anaphor(subject), "argument refers to the other")
    decline_if(tree.lemmas[verb] in words("light_verbs") and tree.is_bare(target), "idiom of a light verb")
    negated, quantified = group.negation is not None, tree.has_quantifier(target)
    decline_if(negated and tree.has_quantifier(subject), "scope of quantifiers")
    decline_if(quantified and (negated or tree.is_indefinite(subject)), "scope of quantifiers")
    tree.require_no_floating_quantifier(subject)
    obliques = tree.children_with(verb, "obl", "obj")
    decline_if(any(tree.preposition(kid) == "by" for kid in obliques), "by-phrase in doubt")
    later = [kid for kid in tree.children[verb] if kid > target and tree.universal[kid] in ("obl", "xcomp")]
    decline_if(any(tree.has_anaphor(kid) for kid in later), "argument refers to the other")
    tree.require_sure_object(verb, target)
    for kid in [kid for kid in tree.children_with(verb, "obl") if kid > target and tree.has(kid, "case")]:
        # ``hit the region around Bern``; ``give joy to the young and hope to the old``
        preposition, conjuncts = tree.preposition(kid), tree.children_with(kid, "conj")
        near = preposition in _NEAR and min(tree.subtree(kid)) == max(tree.subtree(target)) + 1
        gapped = any(tree.lower[max(tree.subtree(i)) + 1] == preposition for i in conjuncts)
        ends = preposition in ("to", "until") and tree.is_time(kid)  # ``led it from 1959 until 2004``
        decline_if(near or gapped or ends, "attachment in doubt")
    # ``Plants of the World accepts 116 species.``
    several = tree.xpos[subject] == "NNS" and tree.xpos[group.finite] == "VBZ"
    decline_if(several, "lemma or tag in doubt")
    # ``covers two families, the Old World porcupines ...``, of which parsers make verbs
    loose = [kid for kid in tree.children_with(verb, "ccomp", "obl:unmarked") if not tree.is_time(kid)]
    loose = [kid for kid in loose if kid > target and tree.after_comma(kid)]
    decline_if(loose, "loosely attached material")
    # ``the devil's jaws allow it to bite``
    owned = any(tree.upos[kid] != "PRON" for kid in tree.children_with(subject, "nmod:poss"))
    decline_if(tree.upos[target] == "PRON" and owned, "argument refers to the other")
    if tree.binds(subject):
        _require_clear_scope(tree, group, subject, target)
    decline_if(subject > verb, "subject after the verb")
    relative = tree.upos[target] == "PRON" and tree.lower[target] in _WH
    decline_if(target < subject and not relative, "object before the subject")


def _require_clear_scope(tree: SourceTree, group: VerbGroup, subject: int, target: int) -> None:
    """Raise Decline if ``every student`` or ``nobody`` may have scope over more than the verb."""
    verb = group.verb
    determiners = {tree.lower[kid] for kid in tree.children_with(subject, "det", "amod")}
    if _PLAIN_BINDERS.isdisjoint({tree.lower[subject], *determiners}) or group.negation is not None:
        raise Decline("scope of quantifiers")
    decline_if(not (tree.is_definite(target) or tree.xpos[target] == "PRP"), "scope of quantifiers")
    rest = [kid for kid in tree.children[verb] if kid not in (subject, target)]
    if any(tree.has_pronoun(kid) for kid in (*rest, *tree.children[target], *tree.children[subject])):
        raise Decline("argument refers to the other")
    decline_if(tree.has(verb, "advcl", "ccomp", "conj") or tree.has(subject, "conj"), "scope of quantifiers")
    if tree.is_negative(subject) and (
        group.finite < subject or tree.has(verb, "advmod") or tree.deprels[verb] == "conj"
    ):
        raise Decline("scope of negation or focus particle")


def _negate(
    tree: SourceTree, draft: Draft, verb: Word, finite: Word, agent: list[Word], subject: int
) -> list[Word]:
    """Move the negation from the agent to the verb: ``nobody saw`` -> ``was not seen by anybody``."""
    draft.put([Word("not", "not", "PART", "RB", "Polarity=Neg", "advmod", verb)], after=finite)
    for word in agent:
        if word.form.lower() in _WITHOUT_NEGATION and (word is draft[subject] or word.head is draft[subject]):
            word.form = word.lemma = _WITHOUT_NEGATION[word.form.lower()]
    if tree.lower[subject] != "one":
        return agent
    head = draft[subject]
    head.form = head.lemma = "anyone"
    head.upos = "PRON"
    return [head, *(word for word in agent if word is not head and word.lemma != "any")]


def _asked(tree: SourceTree, verb: int, subject: Phrase) -> bool:
    """Whether the subject is what a question asks for: ``Who built it?``, ``Which firm built it?``"""
    if verb != tree.root or tree.words[-1] != "?" or subject.start != 0:
        return False
    return (tree.xpos[subject.head] == "WP" and len(subject) == 1) or (
        len(subject) > 1 and tree.xpos[0] == "WDT" and tree.parents[0] == subject.head
    )


def _question(
    tree: SourceTree, group: VerbGroup, subject: Phrase, target: Phrase, number: Agreement
) -> Draft:
    """The passive of a question for the subject: ``Who built it?`` -> ``By whom was it built?``"""
    decline_if(group.negation is not None or target.head < group.verb, "word order in doubt")
    draft = Draft(tree)
    agent, new_subject = draft.take_phrase(subject), draft.take_phrase(target)
    _promote(draft, draft[target.head])
    finite = passivise(draft, group, number, _adverbs_from(tree, group))
    rest = [word for word in draft.order if word is not finite]
    draft.order = [*_by_phrase(agent, draft[subject.head]), finite, *new_subject, *rest]
    return draft


def _adverbs_from(tree: SourceTree, group: VerbGroup) -> int:
    """The word before which *be* goes: a first auxiliary before all adverbs, *been* before manner adverbs."""
    at = group.verb
    stays = frozenset() if group.finite == group.verb or tree.lemmas[group.finite] == "do" else _BEFORE_BE
    for kid in reversed([kid for kid in tree.children[group.verb] if kid < group.verb]):
        if tree.upos[kid] != "ADV" or tree.span(kid).stop != at:
            break
        if stays and (tree.lower[kid] in stays or not tree.lower[kid].endswith("ly")):
            break
        at = tree.span(kid).start
    return at


def _promote(draft: Draft, word: Word) -> None:
    word.deprel = "nsubj:pass"
    set_case(word, "nominative", draft.order)


def _by_phrase(agent: list[Word], head: Word) -> list[Word]:
    head.deprel = "obl:agent"
    set_case(head, "accusative", agent)
    return [Word("by", "by", "ADP", "IN", "", "case", head), *agent]


def _add_agent(
    tree: SourceTree, draft: Draft, group: VerbGroup, target: Phrase, agent: list[Word], head: Word
) -> None:
    """Put the by-phrase after the verb, its particle, and the phrases that stay next to the verb."""
    verb = group.verb
    anchor = draft[verb]
    for kid in tree.children[verb]:
        if kid < verb or kid == target.head or tree.upos[kid] == "PUNCT":
            continue
        rel = tree.deprels[kid]
        stays_next = rel == "compound:prt" or rel == "obj" or (rel == "xcomp" and tree.upos[kid] != "VERB")
        if rel == "obl":
            # ``described the law as unfair``: *as* is the oblique itself.
            preposition = "as" if tree.lower[kid] == "as" else tree.preposition(kid)
            placed = preposition and tree.lemmas[verb] in words("placing")
            stays_next = bool(placed) or preposition in words("close_prepositions")
            stays_next = stays_next and len(tree.span(kid)) <= 5
        if rel == "advmod" and tree.upos[kid] == "ADJ" and tree.span(kid).start == target.stop:
            stays_next = True
        # ``treated well by the host``, ``held two hours by the police``; a time goes behind
        if rel == "advmod" and tree.upos[kid] == "ADV" and tree.lower[kid] not in _TIMES:
            stays_next = not tree.has(kid, "obl", "advcl")  # ``better than she``
        if rel == "obl:unmarked" and tree.is_amount(kid):
            stays_next = True
        if not stays_next:
            break
        clausal = ("acl", "advcl", "ccomp")
        if rel in ("obj", "xcomp") and any(tree.universal[i] in clausal for i in tree.subtree(kid)):
            raise Decline("by-phrase would go with a clause")
        anchor = draft[tree.span(kid).stop - 1]
    draft.put(_by_phrase(agent, head), after=anchor)


TRANSFORMATION = Transformation(
    "passive", "same", "no subject, verb and object", sites, rewrite, needs="nsubj obj"
)
