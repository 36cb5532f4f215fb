"""Subject and object change roles: ``The dog bit the man.`` -> ``The man bit the dog.``"""

from collections.abc import Iterator
from functools import partial

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import agree, require_close, require_licence, verb_group
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import NOMINAL, SourceTree, swap_phrases
from pipeline.augment.rewrites.active import agent_of, require_actor, require_all_of_it
from pipeline.augment.surface import set_case, words

_INDEFINITE = frozenset({"everybody", "everyone", "nobody", "somebody", "someone"})
_NEEDS_NEGATION = frozenset({"any", "anybody", "anyone", "anything", "either"})


def sites(tree: SourceTree) -> Iterator[tuple[int, int, int]]:
    """Verbs with a subject and an object, or passive verbs with a subject and an agent."""
    for verb in tree.verbs:
        subject = tree.child(verb, "nsubj", "nsubj:pass")
        if subject is None:
            continue
        other = tree.child(verb, "obj") if tree.deprels[subject] == "nsubj" else agent_of(tree, verb)
        if other is not None:
            yield verb, subject, other


def rewrite(tree: SourceTree, site: tuple[int, int, int]) -> Draft:
    """Exchange the two arguments; case and agreement follow."""
    verb, subject, other = site
    group = verb_group(tree, verb)
    if tree.lemma[verb] in ("have", "include", "contain", "become", "comprise", "constitute"):
        raise Decline("verb of being or having")
    decline_if(tree.lemma[verb] in words("reciprocal_verbs"), "verb is symmetrical")
    for noun in (subject, other):
        decline_if(tree.upos[noun] not in NOMINAL or tree.is_measure(noun), "argument is not a participant")
        if tree.upos[noun] == "PRON" and tree.xpos[noun] != "PRP" and tree.lower[noun] not in _INDEFINITE:
            raise Decline("argument is not a participant")
        decline_if(tree.lower[noun] in ("it", "one"), "argument is not a participant")
        decline_if(tree.has_anaphor(noun), "argument refers to the other")
        if any(tree.xpos[i] in ("WDT", "WP$", "WRB") for i in (noun, *tree.children[noun])):
            raise Decline("question or relative word")
        if not _NEEDS_NEGATION.isdisjoint(tree.lower[i] for i in (noun, *tree.children_with(noun, "det"))):
            raise Decline("word that needs a negation")
    decline_if(tree.lemma[subject] == tree.lemma[other], "arguments are the same word")
    require_licence(tree, verb, subject)
    if tree.deprels[other] == "obl:agent":
        require_actor(tree, verb, other)
        require_all_of_it(tree, verb, other)
    light = tree.lemma[verb] in words("light_verbs")
    decline_if(tree.is_bare(other) and (light or tree.has(verb, "iobj")), "idiom of a light verb")
    if tree.deprels[other] == "obj":
        tree.require_sure_object(verb, other)
    particle = tree.child(verb, "compound:prt")
    # ``picked up him``, ``gave the boy her``
    crowded = tree.has(verb, "iobj") or (particle is not None and particle < other)
    decline_if(tree.upos[subject] == "PRON" and crowded, "word order in doubt")
    decline_if(tree.has(verb, "xcomp", "ccomp"), "clausal complement")
    conjunct = tree.has(verb, "conj") or tree.deprels[verb] == "conj"
    decline_if(conjunct, "coordinated verbs share the subject")
    tree.require_no_floating_quantifier(subject)
    if subject < verb:
        require_close(tree, tree.phrase(subject), verb)
    draft = Draft(tree)
    swap_phrases(tree, draft, subject, other)
    set_case(draft[other], "nominative", draft.order)
    set_case(draft[subject], "accusative", draft.order)
    agree(draft[group.finite], partial(tree.agreement, other))
    return draft


TRANSFORMATION = Transformation("argument_swap", "different", "no subject and object", sites, rewrite)
