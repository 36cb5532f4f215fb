"""What a noun phrase is like: number, definiteness, quantifiers, pronouns that point elsewhere."""

from pipeline.augment.lexicon import words
from pipeline.augment.tree import Decline, Tree

_ANAPHORS = words("anaphors")
_COLLECTIVE_QUANTIFIERS = words("collective_quantifiers")
_MEASURES = words("measures")
_QUANTIFIERS = words("quantifiers")
_TIME_NOUNS = words("time_nouns")

_INVARIANT_NOUNS = words("invariant_nouns")
_PLURAL_NOUNS = words("plural_nouns")
_BINDING, _PEOPLE, _THINGS = words("binding_quantifiers"), words("people"), words("things_in_er")
_COMPLEMENTS = words("complement_of_verb")
NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_PLURAL_PRONOUNS = frozenset(
    {"we", "they", "you", "us", "them", "these", "those", "both", "many", "several", "few"}
)
_SINGULAR_PRONOUNS = frozenset(
    {
        "he",
        "she",
        "it",
        "him",
        "her",
        "this",
        "that",
        "one",
        "everyone",
        "someone",
        "anyone",
        "everybody",
        "somebody",
    }
    | {"nobody", "something", "nothing", "everything", "another", "what", "who", "anybody", "anything"}
)


def agreement(tree: Tree, noun: int) -> str:
    """``first`` (I), ``singular`` or ``plural``:
    how a verb agrees with this subject; Decline where in doubt.
    """
    if any(tree.lower[tree.child(kid, "cc") or kid] == "or" for kid in tree.children(noun, "conj")):
        raise Decline("number of the new subject in doubt")
    lower = tree.lower[noun]
    if tree.child(noun, "conj") is not None:
        if all(tree.upos[kid] in NOMINAL for kid in tree.children(noun, "conj")):
            return "plural"
        raise Decline("number of the new subject in doubt")
    if lower in ("i", "me"):
        return "first"
    if tree.upos[noun] == "PRON":
        if lower in _PLURAL_PRONOUNS:
            return "plural"
        if lower in _SINGULAR_PRONOUNS:
            return "singular"
        if lower in ("which", "that", "who", "whom") and tree.heads[noun] >= 0:
            verb = tree.heads[noun]
            if tree.deprels[verb] == "acl:relcl" and tree.upos[tree.heads[verb]] in NOMINAL:
                return agreement_of_antecedent(tree, tree.heads[verb], verb)
        raise Decline("number of the new subject in doubt")
    if lower in _COLLECTIVE_QUANTIFIERS and tree.child(noun, "nmod") is not None:
        raise Decline("number of the new subject in doubt")
    if lower in _INVARIANT_NOUNS:
        if any(tree.lower[kid] not in ("one", "1") for kid in tree.children(noun, "nummod")):
            return "plural"
        raise Decline("number of the new subject in doubt")
    if lower in _PLURAL_NOUNS:
        return "plural"
    feats = tree.feats[noun]
    plural = "Number=Plur" in feats or tree.xpos[noun] in ("NNS", "NNPS")
    singular = "Number=Sing" in feats or tree.xpos[noun] in ("NN", "NNP")
    if plural == singular:
        raise Decline("number of the new subject in doubt")
    if tree.xpos[noun] == "NNPS" and tree.child(noun, "compound", "amod", "flat") is None:
        return "plural"
    if tree.xpos[noun] == "NNPS" or (
        singular and tree.upos[noun] == "PROPN" and lower.endswith("s") and _the(tree, noun)
    ):
        raise Decline("number of the new subject in doubt")
    if singular and any(
        tree.lower[kid] not in ("one", "1") for kid in tree.children(noun, "nummod") if kid < noun
    ):
        raise Decline("number of the new subject in doubt")
    return "plural" if plural else "singular"


def agreement_of_antecedent(tree: Tree, noun: int, clause: int) -> str:
    """Agreement of a relative pronoun; in doubt where other nouns stand between antecedent and clause."""
    if any(tree.upos[i] in ("NOUN", "PROPN") for i in range(noun + 1, tree.span(clause).start)):
        raise Decline("antecedent in doubt")
    return agreement(tree, noun)


def _the(tree: Tree, noun: int) -> bool:
    det = tree.child(noun, "det")
    return det is not None and tree.lower[det] == "the"


def is_definite(tree: Tree, noun: int) -> bool:
    """A name, or a noun with a definite article, demonstrative or possessor, and no quantifier."""
    det = tree.child(noun, "det")
    if det is not None:
        return tree.lower[det] in ("the", "this", "that", "these", "those")
    return tree.upos[noun] == "PROPN" or tree.child(noun, "nmod:poss") is not None


def has_quantifier(tree: Tree, noun: int) -> bool:
    """Whether a word with scope (every, no, many, three ...) stands in the noun phrase or heads it."""
    if tree.lower[noun] in _QUANTIFIERS:
        return True
    return any(
        tree.lower[kid] in _QUANTIFIERS or tree.deprels[kid] == "det:predet"
        for kid in tree.kids[noun]
        if tree.deprels[kid] in ("det", "amod", "advmod", "nummod", "det:predet")
    )


def has_anaphor(tree: Tree, word: int) -> bool:
    """Whether a third-person possessive, reflexive or reciprocal stands anywhere in the subtree."""
    for i in tree.subtree(word):
        if tree.lower[i] in _ANAPHORS and not (tree.lower[i] == "her" and tree.xpos[i] == "PRP"):
            return True
        if tree.lower[i] == "other" and i and tree.lower[i - 1] == "each":
            return True
    return False


def has_pronoun(tree: Tree, word: int) -> bool:
    """Whether a third-person personal pronoun stands anywhere in the subtree."""
    return any(
        tree.upos[i] == "PRON"
        and tree.lower[i] in ("he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "one")
        for i in tree.subtree(word)
    )


def is_time(tree: Tree, noun: int) -> bool:
    """Whether the noun names a time: a year, a month, ``week`` ..."""
    word = tree.words[noun]
    if tree.lower[noun] in _TIME_NOUNS or tree.lemmas[noun].lower() in _TIME_NOUNS:
        return True
    digits = word.removesuffix("s")
    return len(digits) == 4 and digits.isdigit() and digits[0] in "12"


def is_measure(tree: Tree, noun: int) -> bool:
    """Whether the noun measures (``five miles``, ``$20``) rather than takes part."""
    return (
        tree.lemmas[noun].lower() in _MEASURES
        or is_time(tree, noun)
        or tree.upos[noun] in ("NUM", "SYM")
        or (tree.child(noun, "nummod") is not None and tree.words[noun] in "$£€%")
    )


def is_bare(tree: Tree, noun: int) -> bool:
    """A singular common noun with no article, possessor or other word on its left."""
    return (
        tree.upos[noun] == "NOUN"
        and tree.xpos[noun] == "NN"
        and not any(kid < noun and tree.upos[kid] != "PUNCT" for kid in tree.kids[noun])
    )


def binds(tree: Tree, noun: int) -> bool:
    """Whether the phrase binds others: ``every student``, ``nobody``."""
    return tree.lower[noun] in _BINDING or any(
        tree.lower[kid] in _BINDING for kid in tree.kids[noun] if tree.deprels[kid] in ("det", "amod")
    )


def may_be_person(tree: Tree, noun: int) -> bool:
    """Whether a common noun may name a person: it is on the list, or ends like a profession."""
    lemma = tree.lemmas[noun].lower()
    if lemma in _PEOPLE:
        return True
    endings = ("er", "or", "ist", "ian", "ee", "man", "woman", "person", "ant")
    return len(lemma) > 4 and lemma.endswith(endings) and lemma not in _THINGS


def require_sure_object(tree: Tree, verb: int, target: int) -> None:
    """Decline where a phrase hung on the object is more likely the verb's (``distinguish X from Y``)."""
    for kid in tree.children(target, "nmod"):
        case = tree.child(kid, "case")
        if case is not None and f"{tree.lemmas[verb].lower()}_{tree.lower[case]}" in _COMPLEMENTS:
            raise Decline("attachment in doubt")


def require_one_preposition(tree: Tree, noun: int) -> None:
    """Decline ``by the wind and by the sea``: conjuncts with prepositions of their own."""
    if any(tree.child(kid, "case") is not None for kid in tree.children(noun, "conj")):
        raise Decline("conjuncts have prepositions of their own")
