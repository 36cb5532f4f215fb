"""Genitive alternation, both ways: ``the king's daughter`` <-> ``the daughter of the king``."""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, Word, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import inside, words

_GROUPS = frozenset({"boy", "child", "girl", "lady", "man", "woman"})


def sites(tree: SourceTree) -> Iterator[int]:
    """Possessors with ``'s``, and ``of`` phrases after relational nouns."""
    for word, rel in enumerate(tree.deprels):
        of = rel == "nmod" and tree.lemma[tree.parents[word]] in words("relational_nouns")
        if tree.preposition(word) in (("of",) if of else ("'s", "'") if rel == "nmod:poss" else ()):
            yield word


def rewrite(tree: SourceTree, possessor: int) -> Draft:
    """Turn one genitive into the other."""
    head, case = tree.parents[possessor], tree.child(possessor, "case")
    assert case is not None
    decline_if(tree.upos[head] != "NOUN" or tree.is_time(possessor), "name or time")
    decline_if(tree.lemma[head] not in words("relational_nouns"), "noun takes only one genitive")
    decline_if(tree.upos[possessor] not in ("NOUN", "PROPN"), "possessor is a pronoun")
    phrase = tree.phrase(possessor)
    decline_if("CCONJ" in tree.upos[phrase.stop : phrase.stop + 2], "attachment in doubt")
    decline_if(tree.lower[possessor] in ("one", "other"), "possessor is a pronoun")
    decline_if(tree.xpos[possessor] == "NNS" and tree.has(possessor, "compound"), "lemma or tag in doubt")
    if phrase.open or len(phrase) > 5 or tree.any_of(phrase.positions, "acl", "appos", "conj"):
        raise Decline("possessor too heavy")
    if tree.has(head, "conj", "appos") or tree.deprels[head] in ("conj", "compound", "appos"):
        raise Decline("coordinated or apposed noun")
    # ``Anna's sister's sons`` are not ``the sister of Anna's sons``
    decline_if(tree.deprels[head] == "nmod:poss", "noun is a possessor itself")
    marks = [i for i in tree.subtree(possessor) if i != case and tree.xpos[i] == "POS"]
    decline_if(marks and tree.has(possessor, "nmod:poss"), "possessor too heavy")
    if tree.deprels[head] == "nmod" and tree.deprels[possessor] == "nmod:poss":
        outer, of = tree.parents[head], tree.child(head, "case") == phrase.start - 1
        named = tree.upos[outer] == "PROPN" or tree.may_be_person(outer)
        decline_if(of and named and tree.preposition(head) == "of", "attachment in doubt")
    _require_possessor(tree, possessor)
    if tree.deprels[possessor] == "nmod:poss":
        return _to_of(tree, possessor, head, case)
    return _to_s(tree, possessor, head, case)


def _require_possessor(tree: SourceTree, possessor: int) -> None:
    """Raise Decline if a plural says for whom a thing is: ``a children's book``, ``the women's team``."""
    if tree.deprels[possessor] != "nmod:poss" or tree.xpos[possessor] != "NNS":
        return
    head = tree.parents[possessor]
    article = any(tree.lower[kid] in ("a", "an") for kid in tree.children_with(possessor, "det"))
    if article or (tree.lemma[possessor] in _GROUPS and not tree.may_be_person(head)):
        raise Decline("possessor describes a kind")


def _to_of(tree: SourceTree, possessor: int, head: int, case: int) -> Draft:
    phrase = tree.phrase(possessor)
    if tree.upos[possessor] == "NOUN" and not tree.has(possessor, "det", "nmod:poss"):
        raise Decline("possessor describes a kind")
    decline_if(case != phrase.stop - 1 or tree.has(head, "nmod"), "noun has another complement")
    for kid in tree.children[head]:
        if kid < head and kid != possessor and tree.deprels[kid] != "case":
            other = tree.universal[kid] not in ("amod", "compound", "nummod") or tree.lower[kid] == "own"
            decline_if(other or kid < possessor, "noun has other modifiers")
    draft = Draft(tree)
    moved = draft.take_phrase(phrase)[:-1]  # without *'s*
    first = moved[0]
    if first.source == 1:
        first.form = inside(first, draft.source)
    the = Word("the", "the", "DET", "DT", "Definite=Def|PronType=Art", "det", draft[head])
    of = Word("of", "of", "ADP", "IN", "", "case", draft[possessor])
    # Where the possessor stood: in ``Chile's fastest-growing towns`` a modifier has words of its own.
    draft.put([the], before=draft[phrase.stop])
    draft.put([of, *moved], after=draft[head])
    draft[possessor].deprel = "nmod"
    return draft


def _to_s(tree: SourceTree, possessor: int, head: int, case: int) -> Draft:
    phrase = tree.phrase(possessor)
    det = tree.child(head, "det")
    if det is None or tree.lower[det] != "the" or case != phrase.start:
        raise Decline("noun is not definite")
    # ``the family of PC's``
    if any(tree.xpos[i] == "POS" for i in phrase.positions) and not tree.has(possessor, "nmod:poss"):
        raise Decline("possessor in doubt")
    decline_if(len(phrase) > 4 or tree.has(possessor, "nmod", "nummod"), "possessor too heavy")
    if tree.upos[possessor] == "NOUN" and not tree.has(possessor, "det", "nmod:poss"):
        raise Decline("possessor describes a kind")
    if any(tree.lower[i] in ("this", "that", "these", "those") for i in phrase.positions):
        raise Decline("possessor too heavy")
    modified = tree.has(head, "nmod:poss", "nummod")
    decline_if(modified or phrase.start != head + 1, "noun has other modifiers")
    if any(kid > possessor and tree.universal[kid] in ("nmod", "acl") for kid in tree.children[head]):
        raise Decline("noun has another complement")
    for kid in tree.children[head]:
        one = kid < head and tree.lower[kid] in ("first", "last", "only", "next")
        # ``the Dutch capital of Amsterdam`` is Amsterdam
        named = tree.deprels[kid] == "amod" and tree.words[kid][0].isupper()
        named = named and tree.upos[possessor] == "PROPN"
        decline_if(one or named or tree.xpos[kid] == "JJS", "noun has other modifiers")
    draft = Draft(tree)
    moved = draft.take_phrase(phrase)[1:]  # without *of*
    name = draft[possessor]
    several = tree.upos[possessor] == "PROPN" and tree.has(possessor, "det")
    plural = name.form.endswith("s") and (several or tree.xpos[possessor] in ("NNS", "NNPS"))
    mark = "’" if "’" in draft.source.text else "'"
    suffix = Word(mark if plural else f"{mark}s", "'s", "PART", "POS", "", "case", name)
    the = draft[det]
    name.deprel = "nmod:poss"
    draft.put([*moved, suffix], before=the)
    draft.drop(the)
    return draft


TRANSFORMATION = Transformation(
    "genitive", "same", "no genitive that alternates", sites, rewrite, needs="case"
)
