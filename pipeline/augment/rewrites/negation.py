"""Negation put in or taken out: ``They approved it.`` <-> ``They did not approve it.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import FINITE, bears_no_negation, needs_negation
from pipeline.augment.draft import Decline, Draft, Word, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import conjugate, consistent, expand, present, set_tag, words

# After ``not`` they take the negation to themselves.
_PARTS = words("negated_parts")
# ``cannot help laughing``, ``can't stand it``: without the negation they mean something else.
_CANNOT = frozenset({"abide", "bear", "help", "stand"})
_SHORT = {"ca": "can", "wo": "will", "sha": "shall"}


def sites(tree: SourceTree) -> Iterator[tuple[int, int]]:
    """The finite word of the main clause, and its subject."""
    finite, subject = tree.finite(tree.root), tree.child(tree.root, "nsubj", "nsubj:pass")
    if tree.xpos[finite] in FINITE and subject is not None:
        yield finite, subject


def rewrite(tree: SourceTree, site: tuple[int, int]) -> Draft:
    """Negate the main clause, or un-negate it."""
    root = tree.root
    finite, subject = site
    negations = [
        kid
        for kid in tree.children_with(root, "advmod")
        if tree.lemmas[kid] == "not" or tree.lower[kid] in ("not", "n't")
    ]
    before = next(iter(tree.children_with(root, "expl")), subject)
    decline_if(len(negations) > 1 or before > finite or tree.words[-1] == "?", "question or doubt")
    if any(tree.universal[kid] == "ccomp" for kid in tree.children[root] if kid < finite):
        raise Decline("question or doubt")
    # ``Cadmium telluride cells account for it``, with a noun taken for the verb
    one = tree.xpos[subject] in ("NN", "NNP") and not tree.has(subject, "conj", "nummod", "nmod")
    decline_if(one and tree.xpos[finite] == "VBP" and not tree.may_act(subject), "lemma or tag in doubt")
    if negations:
        return _affirm(tree, finite, negations[0], subject)
    return _negate(tree, finite)


def _affirm(tree: SourceTree, finite: int, negation: int, subject: int) -> Draft:
    root = tree.root
    decline_if(tree.lower[finite] == "ai", "lemma or tag in doubt")  # *ain't* is any of six verbs
    if (
        needs_negation(tree)
        or tree.lemma[finite] in ("dare", "need")
        or (tree.lower[finite] in ("ca", "can", "could") and tree.lemma[root] in _CANNOT)
        or negation < finite
        or "," in tree.words[finite:negation]
        or (tree.xpos[root] == "VBG" and finite == root)
    ):
        raise Decline("word that needs a negation")
    decline_if(tree.lower[negation + 1] in _PARTS, "negation of a part")
    draft = Draft(tree)
    helper = draft[finite]
    draft.drop(draft[negation])
    if tree.lemma[finite] == "do" and finite != root:
        tag = tree.xpos[finite]
        if tag != "VBD":
            tag = "VBP" if tree.agreement(subject) != "singular" else "VBZ"
        verb = next(iter(tree.children_with(root, "aux:pass")), root)
        conjugate(draft[verb], tag, "singular" if tag == "VBZ" else "plural")
        draft.drop(helper)
    elif helper.form.lower() in _SHORT:
        helper.form = _SHORT[helper.form.lower()]
    return draft


def _require_plain_contraction(tree: SourceTree, finite: int) -> None:
    """Raise Decline for ``'s`` and ``'d`` before a participle, as they may be *has* and *had*."""
    if tree.lower[finite] not in ("'s", "'d") or tree.lemmas[finite] == "have":
        return
    following = [kid for kid in tree.children_with(tree.root, "aux", "aux:pass", "cop") if kid > finite]
    decline_if(tree.xpos[min([*following, tree.root])] in ("VBN", "VBD"), "lemma or tag in doubt")


def _negate(tree: SourceTree, finite: int) -> Draft:
    root = tree.root
    the_more = [
        i for i, lower in enumerate(tree.lower[:-1]) if lower == "the" and tree.xpos[i + 1] in ("JJR", "RBR")
    ]
    if bears_no_negation(tree) or len(the_more) > 1 or tree.lemmas[root] == "hope":
        raise Decline("word that bears no negation")
    conjuncts = tree.children_with(root, "conj")
    decline_if(any(tree.upos[kid] in ("VERB", "AUX") for kid in conjuncts), "negation of a part")
    draft = Draft(tree)
    head = draft[root]
    word = Word("not", "not", "PART", "RB", "Polarity=Neg", "advmod", head)
    # ``got married`` has *do* as ``got the job`` has
    if (finite != root and tree.lemma[finite] not in ("get", "got")) or tree.lemmas[root] == "be":
        _require_plain_contraction(tree, finite)
        expand(draft[finite])
        draft.put([word], after=draft[finite])
        return draft
    tag, verb = tree.xpos[finite], draft[finite]
    if not consistent(tree.lemmas[finite], tag, tree.words[finite]) or tag == "MD":
        raise Decline("lemma or tag in doubt")
    if tag == "VBD":
        form = "did"
    else:
        form, tag = present("do", "singular" if tag == "VBZ" else "plural")
    do = Word(form, "do", "AUX", tag, "", "aux", head)
    set_tag(do, tag, form)
    conjugate(verb, "VB")
    at = finite
    for kid in reversed([kid for kid in tree.children[root] if kid < finite]):
        if tree.upos[kid] != "ADV" or tree.span(kid).stop != at:
            break
        at = tree.span(kid).start
    draft.put([do, word], before=draft[at])
    return draft


TRANSFORMATION = Transformation("negation", "different", "no finite main clause", sites, rewrite)
