"""A conjunct joins another argument: ``Alice and Bob saw Carol.`` -> ``Alice saw Bob and Carol.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import agree, verb_group
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree


def sites(tree: SourceTree) -> Iterator[tuple[int, int, int]]:
    """Verbs whose subject or object, but not both, is a coordination of two."""
    for verb in tree.verbs:
        subject, target = tree.child(verb, "nsubj"), tree.child(verb, "obj")
        if subject is None or target is None or not subject < verb < target:
            continue
        pairs = [noun for noun in (subject, target) if tree.has(noun, "conj")]
        if len(pairs) == 1:
            yield verb, pairs[0], target if pairs[0] == subject else subject


def rewrite(tree: SourceTree, site: tuple[int, int, int]) -> Draft:
    """Move one conjunct over to the other argument."""
    verb, pair, single = site
    group = verb_group(tree, verb)
    conjuncts = tree.children_with(pair, "conj")
    second = conjuncts[0]
    cc = tree.child(second, "cc")
    decline_if(len(conjuncts) > 1 or cc is None or tree.lower[cc] != "and", "coordination in doubt")
    decline_if(tree.is_bare_title(pair) or tree.is_bare_title(second), "title without its name")
    for noun in (pair, second, single):
        if tree.upos[noun] not in ("NOUN", "PROPN") or tree.is_measure(noun) or tree.has_anaphor(noun):
            raise Decline("argument is not a participant")
        decline_if(tree.any_of(tree.children[noun], "acl", "appos", "cc:preconj"), "argument holds a clause")
        decline_if(tree.deprels[noun] == "conj" and tree.has(noun, "conj"), "coordination in doubt")
    decline_if(tree.has(pair, "cc:preconj", "det:predet", "case"), "coordination in doubt")
    if (not tree.has(pair, "det", "nmod:poss")) != (not tree.has(second, "det", "nmod:poss")):
        raise Decline("article may be shared")
    if tree.upos[second] != tree.upos[single] and "PROPN" not in (tree.upos[second], tree.upos[single]):
        raise Decline("argument is not a participant")
    whole = tree.phrase(second)
    decline_if(whole.start != cc or tree.span(pair).stop != whole.stop, "coordination in doubt")
    if tree.has(verb, "conj", "xcomp", "ccomp") or tree.deprels[verb] == "conj":
        raise Decline("coordinated verbs share the subject")
    draft = Draft(tree)
    connector, *moved = draft.take_phrase(whole)
    role, verb_word = draft[single].deprel, draft[verb]
    if single > pair:  # Bob and Carol: the mover comes first
        draft.put([*moved, connector], before=draft[tree.phrase(single).start])
        mover, kept = draft[second], draft[single]
    else:
        draft.put([connector, *moved], after=draft[tree.phrase(single).stop - 1])
        mover, kept = draft[single], draft[second]
    mover.head, mover.deprel = verb_word, role
    kept.head, kept.deprel = mover, "conj"
    connector.head = kept
    agree(draft[group.finite], lambda: tree.agreement_alone(pair) if single > pair else "plural")
    return draft


TRANSFORMATION = Transformation(
    "coordination_break",
    "different",
    "no coordinated subject or object",
    sites,
    rewrite,
    needs="nsubj obj conj",
)
