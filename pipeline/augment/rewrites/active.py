"""Passive -> active: ``The plans were approved by the board.`` -> ``The board approved the plans.``"""

from collections.abc import Iterator
from functools import partial

from pipeline.augment import clauses
from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, Word, decline_if
from pipeline.augment.phrases import NOMINAL, SourceTree
from pipeline.augment.surface import set_case, words

# What is done at a place (``found by Tower Bridge``).
_LOCATED = words("located_verbs")
# What vehicles and weapons do to people and things.
_HARM = frozenset({"crush", "hit", "injure", "kill", "run", "strike", "wound"})
_PLACE_ENDINGS = (
    "side", "post", "bank", "shore", "way", "yard", "front", "house", "path", "road", "room", "fall",
)  # fmt: skip


def agent_of(tree: SourceTree, verb: int) -> int | None:
    """The noun of the by-phrase that names who acts, or None."""
    agents = tree.children_with(verb, "obl:agent")
    return next((kid for kid in agents if tree.preposition(kid) == "by"), None)


def sites(tree: SourceTree) -> Iterator[tuple[int, int]]:
    """Passive verbs with the noun of their by-phrase."""
    for verb in tree.verbs:
        agent = agent_of(tree, verb)
        if tree.has(verb, "aux:pass") and agent is not None:
            yield verb, agent


def rewrite(tree: SourceTree, site: tuple[int, int]) -> Draft:
    """Turn the clause of the verb active."""
    verb, agent = site
    group = clauses.verb_group(tree, verb)
    subject = clauses.subject_of(tree, verb, "nsubj:pass")
    clauses.require_free_subject(tree, verb, subject)
    _require_plain(tree, verb, subject, agent, group.negation is not None)
    clauses.require_same_scope(tree, group, agent)
    clauses.require_licence(tree, verb, subject)
    old, new = tree.phrase(subject), tree.phrase(agent)
    decline_if(new.start != tree.child(agent, "case"), "by-phrase in doubt")
    clauses.require_close(tree, old, verb)
    clauses.require_no_question_word(tree, old, verb)
    number = partial(tree.agreement, agent)
    # ``agreed upon by the members``
    if any(tree.xpos[kid] in ("IN", "TO") and tree.deprels[kid] == "obl" for kid in tree.children[verb]):
        raise Decline("preposition without its noun")
    asked = verb == tree.root and tree.words[-1] == "?"
    relative = tree.lower[subject] in ("which", "that", "who", "what") and tree.upos[subject] == "PRON"

    draft = Draft(tree)
    actor = draft.take_phrase(new)[1:]  # without *by*
    finite = draft[group.finite]
    if relative:
        if any(tree.parents[i] == verb and tree.upos[i] != "PUNCT" for i in range(old.stop, group.finite)):
            raise Decline("word order in doubt")
        # ``The man who was chosen by the judges left.``, read as *judges left behind*
        decline_if(tree.has(agent, "acl") or (asked and group.negation is not None), "word order in doubt")
        draft.put(actor, **({"after": finite} if asked else {"before": finite}))
    else:
        # ``the islands which had been found in 1990``
        clause = tree.any_of(old.positions, "acl", "advcl")
        if clause and any(kid > verb and kid != agent for kid in tree.children_with(verb, "obl", "advmod")):
            raise Decline("adjunct would go with a clause")
        moved = draft.take_phrase(old)
        draft.put(actor, before=next(word for word in draft.words[old.stop :] if word in draft.order))
        anchor = draft[verb]
        particle = tree.child(verb, "compound:prt")
        if particle is not None and tree.upos[subject] == "PRON" and len(old) == 1:
            separable = f"{tree.lemma[verb]}_{tree.lower[particle]}" in words("separable_verbs")
            decline_if(not separable, "particle may be a preposition")
            particle = None
        draft.put(moved, after=anchor if particle is None else draft[particle])
        _manner(tree, draft, verb, moved[-1])
    draft[subject].deprel = "iobj" if tree.has(verb, "obj") else "obj"
    draft[agent].deprel = "nsubj"
    set_case(draft[subject], "accusative", draft.order)
    set_case(draft[agent], "nominative", draft.order)
    inverted = tree.lower[group.finite] in ("was", "were", "is", "are") and group.finite < subject
    decline_if(inverted and group.negation is None, "question needs do")
    clauses.activate(draft, group, number, asked and relative)
    return draft


def _require_plain(tree: SourceTree, verb: int, subject: int, agent: int, negated: bool) -> None:
    decline_if(tree.upos[agent] not in NOMINAL or tree.upos[subject] not in NOMINAL, "argument is not a noun")
    if agent < verb or (tree.has(agent, "acl", "advcl") and tree.xpos[agent] == "VBG"):
        raise Decline("by-phrase in doubt")
    tree.require_one_preposition(agent)
    tree.require_whole_list(agent)
    require_all_of_it(tree, verb, agent)
    of_agent = {tree.preposition(kid) for kid in tree.children_with(agent, "nmod")}
    decline_if(of_agent - {"", "of", "from", "like"}, "attachment in doubt")
    require_actor(tree, verb, agent)
    decline_if(tree.has_anaphor(subject) or tree.has_anaphor(agent), "argument refers to the other")
    scopes = [negated, tree.has_quantifier(subject), tree.has_quantifier(agent)]
    decline_if(sum(scopes) > 1, "scope of quantifiers")
    decline_if(tree.binds(subject) and tree.is_indefinite(agent), "scope of quantifiers")
    if tree.binds(agent) and not (tree.is_definite(subject) or tree.xpos[subject] == "PRP"):
        raise Decline("scope of quantifiers")
    decline_if(tree.deprels[verb] in ("xcomp", "acl"), "clause is not finite")
    decline_if(tree.has(verb, "ccomp"), "reported clause")


def require_all_of_it(tree: SourceTree, verb: int, agent: int) -> None:
    """Raise Decline if the parser may have taken further agents, or parts of this one, for something else.

    ``to the north by Algeria, to the east by Niger``; ``by the people of Cebu, the north of Negros, the west
    of Leyte``; ``by a cell from a male``. Or it may be the agent of a noun: ``made for use by adults``.
    """
    span, before = tree.span(agent), tree.span(agent).start - 1
    later = [i for i in tree.subtree(verb) if i >= span.stop and tree.lower[i] == "by"]
    decline_if(later or len(tree.children_with(verb, "obl:agent")) > 1, "by-phrase in doubt")
    named = tree.children_with(agent, "appos")
    listed = tree.deprels[verb] == "advcl" or any(tree.has(kid, "conj") for kid in named)
    decline_if(named and listed, "by-phrase in doubt")
    for kid in tree.children_with(verb, "obl"):
        inside = tree.subtree(kid)
        part = inside[0] == span.stop and (
            tree.lower[span.stop] == "from" or tree.upos[kid] in ("DET", "PRON")
        )
        of_noun = inside[-1] == before and tree.upos[before] == "NOUN" and tree.xpos[before] == "NN"
        bare = of_noun and kid == before and len(tree.children[kid]) == 1 and not tree.is_time(kid)
        decline_if(part or bare, "by-phrase in doubt")
    for kid in tree.children_with(verb, "obl:unmarked", "appos"):
        if kid > agent and not tree.is_time(kid) and tree.words[tree.phrase(kid).start - 1] == ",":
            raise Decline("by-phrase in doubt")


def require_actor(tree: SourceTree, verb: int, agent: int) -> None:
    """Raise Decline if *by* may say where, how, when or by how much, which parsers do not distinguish."""
    act = tree.lemma[verb]
    described = tree.has(agent, "det", "nmod:poss", "amod", "compound")
    bare = tree.upos[agent] == "NOUN" and tree.xpos[agent] == "NN" and not described
    decline_if(bare or tree.is_measure(agent), "by-phrase may name a means")
    if tree.upos[agent] == "PROPN" and tree.words[agent][0].isupper():
        name = (agent, *tree.children_with(agent, "compound", "flat", "amod"))
        # ``found by Tower Bridge``, and not ``published by Random House``
        if act in _LOCATED and any(tree.lower[i] in words("place_nouns") for i in name):
            raise Decline("by-phrase may name a place")
        return
    if tree.upos[agent] == "PRON":
        return
    lemma = tree.lemma[agent]
    noun = {tree.lower[agent], lemma}
    decline_if(lemma in words("moment_nouns"), "by-phrase may name no participant")
    actor = tree.may_act(agent)
    alone = not tree.has(agent, "det", "nmod:poss", "nummod") and lemma not in words("plural_nouns")
    decline_if(actor and alone and tree.xpos[agent] == "NN", "by-phrase may name a means")
    place = (
        noun & words("place_nouns")
        or (lemma.endswith(_PLACE_ENDINGS) and not actor)
        or (lemma == "side" and tree.has(agent, "nmod"))
    )
    if place and act not in words("places_that_act") and not (act in _HARM and lemma == "fire"):
        raise Decline("by-phrase may name a place")
    # ``buried by the church``
    decline_if(act in _LOCATED and noun & words("actors_and_places"), "by-phrase may name a place")
    if act not in words("places_that_act") and act not in _HARM:
        means = noun & words("means_nouns") and (tree.xpos[agent] == "NN" or not actor)
        decline_if(means, "by-phrase may name a means")
        decline_if(act in words("personal_acts") and not actor, "by-phrase may name no participant")
    grasped = act in words("grasping_verbs") and noun & words("body_parts")
    decline_if(grasped, "by-phrase may name a means")
    changed = act in words("changing_verbs") and not actor
    decline_if(changed and tree.has(agent, "nummod"), "by-phrase may name a measure")


def _manner(tree: SourceTree, draft: Draft, verb: int, last: Word) -> None:
    for kid in tree.children_with(verb, "advmod"):
        if kid < verb and tree.lower[kid] in words("manner_after"):
            decline_if(tree.children[kid], "adverb has no place")
            draft.put(draft.take([kid]), after=last)


TRANSFORMATION = Transformation(
    "active", "same", "no passive with a by-phrase", sites, rewrite, needs="aux:pass obl:agent"
)
