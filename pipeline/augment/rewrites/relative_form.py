"""Another form of a relative clause.

``the book that he wrote``, ``which he wrote``, ``he wrote``; ``the men (who are) waiting``.
"""

from collections.abc import Callable, Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import FINITE
from pipeline.augment.draft import Decline, Draft, Word, decline_if
from pipeline.augment.phrases import SourceTree

# After these and after superlatives the relative pronoun is ``that``.
_ONLY_THAT = frozenset({"first", "last", "little", "much", "only"})
# Tree, clause, first word of the clause, whether no comma stands before it.
_Change = Callable[[SourceTree, int, int, bool], Draft]


def sites(tree: SourceTree) -> Iterator[tuple[_Change, int, int]]:
    """The possible changes of each relative clause, and its first word: the pronoun, if it has one."""
    for clause, rel in enumerate(tree.deprels):
        if rel != "acl:relcl":
            continue
        try:
            first = tree.span(clause).start
        except Decline:
            continue
        while tree.words[first] == ",":
            first += 1
        if tree.lower[first] in ("that", "which", "who", "whom") and tree.parents[first] == clause:
            for change in (_reword, _drop, _reduce):
                yield change, clause, first
        else:
            yield _add, clause, first


def rewrite(tree: SourceTree, site: tuple[_Change, int, int]) -> Draft:
    """Change one relative clause."""
    change, clause, pronoun = site
    noun = tree.parents[clause]
    decline_if(tree.upos[noun] not in ("NOUN", "PROPN") or clause < noun, "antecedent in doubt")
    decline_if(any(tree.upos[i] in ("VERB", "ADP") for i in range(noun + 1, pronoun)), "antecedent in doubt")
    # ``whatever deal you want``
    if any(tree.xpos[kid] == "WDT" for kid in tree.children_with(noun, "det")):
        raise Decline("question or relative word")
    finite = min([clause, *tree.children_with(clause, "aux", "aux:pass", "cop")])
    # ``approval under new regulations which is expected``
    several = tree.universal[pronoun] == "nsubj" and tree.xpos[noun] in ("NNS", "NNPS")
    one = tree.xpos[finite] == "VBZ" or tree.lower[finite] == "was"
    decline_if(several and one, "antecedent in doubt")
    return change(tree, clause, pronoun, tree.words[pronoun - 1] != ",")


def _reword(tree: SourceTree, clause: int, pronoun: int, restrictive: bool) -> Draft:
    noun = tree.parents[clause]
    if not restrictive or tree.lower[pronoun] not in ("that", "which"):
        raise Decline("relative pronoun is the only one possible")
    decline_if(tree.upos[noun] != "NOUN" or tree.may_be_person(noun), "antecedent may be a person")
    if tree.deprels[pronoun] not in ("nsubj", "obj", "nsubj:pass") and not _strands(tree, pronoun):
        raise Decline("relative pronoun in doubt")
    before = [kid for kid in tree.children[noun] if kid < noun]
    only = any(tree.lower[kid] in _ONLY_THAT or tree.xpos[kid] == "JJS" for kid in before)
    decline_if(only and tree.lower[pronoun] == "that", "relative pronoun is the only one possible")
    draft = Draft(tree)
    word = draft[pronoun]
    word.form = word.lemma = "which" if tree.lower[pronoun] == "that" else "that"
    return draft


def _drop(tree: SourceTree, clause: int, pronoun: int, restrictive: bool) -> Draft:
    subject = tree.child(clause, "nsubj", "nsubj:pass")
    if not (tree.deprels[pronoun] == "obj" or _strands(tree, pronoun)) or not restrictive:
        raise Decline("relative pronoun is the only one possible")
    if subject is None or tree.span(subject).start != pronoun + 1 or pronoun != tree.parents[clause] + 1:
        raise Decline("relative pronoun in doubt")
    if tree.upos[subject] not in ("PRON", "PROPN") and not tree.has(subject, "det"):
        raise Decline("clause would read as a compound")
    draft = Draft(tree)
    draft.drop(draft[pronoun])
    # A preposition without its noun is the oblique itself, as in UD.
    for kid in tree.children_with(pronoun, "case"):
        draft[kid].deprel = "obl"
    return draft


def _strands(tree: SourceTree, pronoun: int) -> bool:
    """Whether a preposition is left behind: ``the house that he lives in``."""
    kids = tree.children[pronoun]
    return tree.deprels[pronoun] == "obl" and len(kids) == 1 and kids[0] > pronoun


def _reduce(tree: SourceTree, clause: int, pronoun: int, restrictive: bool) -> Draft:
    helper = tree.child(clause, "aux:pass", "aux")
    if tree.upos[clause] != "VERB" or helper is None or tree.universal[pronoun] != "nsubj":
        raise Decline("relative clause has no participle")
    alone = len(tree.children_with(clause, "aux", "aux:pass")) == 1 and tree.lemmas[helper] == "be"
    adverb = clause == helper + 2 and tree.lower[helper + 1].endswith("ly")
    close = helper == pronoun + 1 and (clause == helper + 1 or adverb)
    decline_if(not (alone and close), "relative clause has no participle")
    span = tree.span(clause)
    if span.stop <= clause + 1 or tree.upos[clause + 1] not in ("ADP", "DET", "NOUN", "PROPN", "PRON"):
        raise Decline("participle would stand alone")
    decline_if(tree.has(clause, "conj", "ccomp", "xcomp"), "coordinated verbs share the subject")
    decline_if(tree.xpos[clause] not in ("VBN", "VBG"), "relative clause has no participle")
    decline_if(pronoun != tree.parents[clause] + 1 and restrictive, "antecedent in doubt")
    draft = Draft(tree)
    draft.drop(draft[pronoun])
    draft.drop(draft[helper])
    draft[clause].deprel = "acl"
    return draft


def _add(tree: SourceTree, clause: int, start: int, restrictive: bool) -> Draft:
    subject = tree.child(clause, "nsubj", "nsubj:pass")
    if subject is None or not restrictive or start != tree.parents[clause] + 1:
        raise Decline("no bare relative clause")
    decline_if(tree.span(subject).start != start, "no bare relative clause")
    decline_if(tree.upos[subject] == "PRON" and tree.xpos[subject] != "PRP", "no bare relative clause")
    decline_if(any(tree.xpos[i].startswith("W") for i in tree.subtree(clause)), "no bare relative clause")
    # ``the language Python developed by Guido``
    verbs = (clause, *tree.children_with(clause, "aux", "aux:pass"))
    decline_if(not any(tree.xpos[i] in FINITE for i in verbs), "no bare relative clause")
    # ``His own fate he accepted.``
    no_clause = tree.parents[clause] == tree.root and not tree.has(tree.root, "cop")
    if no_clause or tree.has(clause, "obj") or tree.upos[clause] != "VERB":
        raise Decline("place of the antecedent in the clause in doubt")
    draft = Draft(tree)
    that = Word("that", "that", "PRON", "WDT", "PronType=Rel", "obj", draft[clause])
    stranded = [kid for kid in tree.children_with(clause, "obl") if tree.upos[kid] == "ADP"]
    for kid in stranded[-1:]:
        that.deprel = "obl"
        draft[kid].head, draft[kid].deprel = that, "case"
    draft.put([that], before=draft[start])
    return draft


TRANSFORMATION = Transformation(
    "relative_form", "same", "no relative clause", sites, rewrite, needs="acl:relcl"
)
