"""Noun phrases: number, definiteness, quantifiers, pronouns, time; exchanging two of them."""

from collections.abc import Iterable

from pipeline.augment.draft import Draft
from pipeline.augment.morphology import is_known, words
from pipeline.augment.source_tree import Decline, SourceTree

_ANAPHORS = words("anaphors")
_COLLECTIVE_QUANTIFIERS = words("collective_quantifiers")
_MEASURES = words("measures")
_QUANTIFIERS = words("quantifiers")
_TITLES = words("titles")
_TIME_NOUNS = words("time_nouns")

_INVARIANT_NOUNS = words("invariant_nouns")
_PLURAL_NOUNS = words("plural_nouns")
_NEGATIVE = frozenset({"no", "nobody", "nothing", "none", "neither"})
_FOCUS, _NEGATIVE_ADVERBS = words("focus_particles"), words("negative_adverbs")
_INDEFINITE = frozenset({"a", "an", "another", "some", "someone", "somebody", "something"})
_BINDING, _PEOPLE, _THINGS = words("binding_quantifiers"), words("people"), words("things_in_er")
_ANIMATE = words("animate")
_COMPLEMENTS = words("complement_of_verb")
_NAMING, _RESULTATIVE, _GIVING = words("naming_verbs"), words("object_complement"), words("dative_to")
_GIVING_HER = _GIVING | words("dative_for") | {"wish"}
_FLOATING = frozenset({"all", "both", "each"})
NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_RELATIVE = frozenset({"that", "which", "who", "whom"})
_PLURAL_PRONOUNS = frozenset(
    {"we", "they", "you", "us", "them", "these", "those", "both", "many", "several", "few"}
)
_SINGULAR_PRONOUNS = frozenset({
    "he", "she", "it", "him", "her", "this", "that", "one", "everyone", "someone", "anyone", "everybody",
    "somebody", "nobody", "something", "nothing", "everything", "another", "what", "who", "anybody",
    "anything",
})  # fmt: skip


def agreement(tree: SourceTree, noun: int) -> str:
    """How a verb agrees with this subject: ``first`` (I), ``singular`` or ``plural``; may raise Decline."""
    if any(tree.lower[tree.child(kid, "cc") or kid] == "or" for kid in tree.children_with(noun, "conj")):
        raise Decline("number of the new subject in doubt")
    if tree.child(noun, "conj") is not None:
        if all(tree.upos[kid] in NOMINAL for kid in tree.children_with(noun, "conj")):
            return "plural"
        raise Decline("number of the new subject in doubt")
    return agreement_alone(tree, noun)


def agreement_alone(tree: SourceTree, noun: int) -> str:
    """``agreement`` with a noun once its conjuncts are gone."""
    lower = tree.lower[noun]
    if lower in ("i", "me"):
        return "first"
    if tree.upos[noun] == "PRON":
        verb = tree.parents[noun]
        # After the verb *that* and *who* are no relative pronouns.
        if lower in _RELATIVE and noun < verb and tree.deprels[verb] == "acl:relcl":
            if tree.upos[tree.parents[verb]] in NOMINAL:
                return agreement_of_antecedent(tree, tree.parents[verb], verb)
            raise Decline("antecedent in doubt")
        if lower in _PLURAL_PRONOUNS:
            return "plural"
        if lower in _SINGULAR_PRONOUNS:
            return "singular"
        raise Decline("number of the new subject in doubt")
    if lower in _COLLECTIVE_QUANTIFIERS and tree.child(noun, "nmod") is not None:
        raise Decline("number of the new subject in doubt")
    if lower in _INVARIANT_NOUNS:
        if any(tree.lower[kid] not in ("one", "1") for kid in tree.children_with(noun, "nummod")):
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
        tree.lower[kid] not in ("one", "1") for kid in tree.children_with(noun, "nummod") if kid < noun
    ):
        raise Decline("number of the new subject in doubt")
    return "plural" if plural else "singular"


def agreement_of_antecedent(tree: SourceTree, noun: int, clause: int) -> str:
    """Agreement with a relative pronoun; raises Decline for other nouns between antecedent and clause."""
    if any(tree.upos[i] in ("NOUN", "PROPN") for i in range(noun + 1, tree.span(clause).start)):
        raise Decline("antecedent in doubt")
    return agreement(tree, noun)


def _the(tree: SourceTree, noun: int) -> bool:
    det = tree.child(noun, "det")
    return det is not None and tree.lower[det] == "the"


def is_definite(tree: SourceTree, noun: int) -> bool:
    """Whether a noun is a name or has a definite article, demonstrative or possessor."""
    det = tree.child(noun, "det")
    if det is not None:
        return tree.lower[det] in ("the", "this", "that", "these", "those")
    return tree.upos[noun] == "PROPN" or tree.child(noun, "nmod:poss") is not None


def has_quantifier(tree: SourceTree, noun: int) -> bool:
    """Whether the noun phrase holds a word with scope: every, no, many, three ..."""
    if tree.lower[noun] in _QUANTIFIERS:
        return True
    return any(
        tree.lower[kid] in _QUANTIFIERS or tree.deprels[kid] == "det:predet"
        for kid in tree.children[noun]
        if tree.deprels[kid] in ("det", "amod", "advmod", "nummod", "det:predet")
    )


def has_anaphor(tree: SourceTree, word: int) -> bool:
    """Whether the subtree holds a third-person possessive, reflexive or reciprocal."""
    for i in tree.subtree(word):
        if tree.lower[i] in _ANAPHORS and not (tree.lower[i] == "her" and tree.xpos[i] == "PRP"):
            return True
        if tree.lower[i] == "other" and i and tree.lower[i - 1] == "each":
            return True
    return False


def has_pronoun(tree: SourceTree, word: int) -> bool:
    """Whether the subtree holds a third-person personal pronoun."""
    return any(
        tree.upos[i] == "PRON"
        and tree.lower[i] in ("he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "one")
        for i in tree.subtree(word)
    )


def is_time(tree: SourceTree, noun: int) -> bool:
    """Whether the noun names a time: a year, a month, ``week`` ..."""
    word = tree.words[noun]
    if tree.lower[noun] in _TIME_NOUNS or tree.lemmas[noun].lower() in _TIME_NOUNS:
        return True
    digits = word.removesuffix("s")
    return len(digits) == 4 and digits.isdigit() and digits[0] in "12"


def is_measure(tree: SourceTree, noun: int) -> bool:
    """Whether the noun is a measure (``five miles``, ``$20``) and no participant."""
    return (
        tree.lemmas[noun].lower() in _MEASURES
        or is_time(tree, noun)
        or tree.upos[noun] in ("NUM", "SYM")
        or (tree.child(noun, "nummod") is not None and tree.words[noun] in "$£€%")
    )


def is_bare_title(tree: SourceTree, noun: int) -> bool:
    """Whether the word is a title whose name is elsewhere: the first of ``Mr. and Mrs. Jones``."""
    return (
        tree.upos[noun] == "PROPN"
        and tree.lower[noun].removesuffix(".") in _TITLES
        and tree.child(noun, "det", "flat") is None
    )


def is_bare(tree: SourceTree, noun: int) -> bool:
    """Whether a noun is a singular common noun without article, possessor or other modifier before it."""
    return (
        tree.upos[noun] == "NOUN"
        and tree.xpos[noun] == "NN"
        and not any(kid < noun and tree.upos[kid] != "PUNCT" for kid in tree.children[noun])
    )


def binds(tree: SourceTree, noun: int) -> bool:
    """Whether the phrase may bind pronouns: ``every student``, ``nobody``."""
    return tree.lower[noun] in _BINDING or any(
        tree.lower[kid] in _BINDING for kid in tree.children[noun] if tree.deprels[kid] in ("det", "amod")
    )


def is_negative(tree: SourceTree, noun: int) -> bool:
    """Whether the phrase negates its clause: ``nobody``, ``no student``."""
    return tree.lower[noun] in _NEGATIVE or any(
        tree.lower[kid] in _NEGATIVE for kid in tree.children_with(noun, "det")
    )


def is_indefinite(tree: SourceTree, noun: int) -> bool:
    """Whether the phrase has an indefinite article, a number or a quantifier: ``a guard``, ``all guards``."""
    return (
        tree.lower[noun] in _INDEFINITE
        or has_quantifier(tree, noun)
        or any(
            tree.lower[kid] in _INDEFINITE or tree.deprels[kid] == "nummod"
            for kid in tree.children_with(noun, "det", "nummod")
        )
    )


def require_no_focus(tree: SourceTree, places: Iterable[int]) -> None:
    """Raise Decline for ``only``, ``even``, ``hardly`` ... among these words.

    What they say of one phrase they would say of another.
    """
    if any(tree.lower[i] in _FOCUS or tree.lower[i] in _NEGATIVE_ADVERBS for i in places):
        raise Decline("scope of negation or focus particle")


def require_scope(tree: SourceTree, moved: int) -> None:
    """Raise Decline where a moved phrase and an argument are both quantified: ``a guard in every room``."""
    verb = tree.parents[moved]
    others = [kid for kid in tree.children[verb] if tree.universal[kid] in ("nsubj", "obj", "iobj", "obl")]
    others = [kid for kid in others if kid != moved]
    quantified, vague = has_quantifier(tree, moved) or binds(tree, moved), is_indefinite(tree, moved)
    if (quantified and any(is_indefinite(tree, kid) for kid in others)) or (
        vague and any(binds(tree, kid) or has_quantifier(tree, kid) for kid in others)
    ):
        raise Decline("scope of quantifiers")
    if quantified and any(has_pronoun(tree, kid) for kid in others if tree.upos[kid] != "PRON"):
        raise Decline("pronoun may be bound")


def may_be_person(tree: SourceTree, noun: int) -> bool:
    """Whether a common noun may name a person: it is on the list, or ends like a profession."""
    lemma = tree.lemmas[noun].lower()
    if lemma in _PEOPLE:
        return True
    endings = ("er", "or", "ist", "ian", "ee", "man", "woman", "person", "ant")
    return len(lemma) > 4 and lemma.endswith(endings) and lemma not in _THINGS


def may_act(tree: SourceTree, noun: int) -> bool:
    """Whether a noun may name a person, an animal or an organisation; names and pronouns may."""
    # Taggers take ``Tajiks`` for a common noun, and ``oven`` for a name.
    name = tree.words[noun][0].isupper() and (noun > 0 or tree.upos[noun] == "PROPN")
    if name or tree.upos[noun] == "PRON":
        return tree.lower[noun] not in ("it", "this", "that", "these", "those", "something", "everything")
    return tree.lemmas[noun].lower() in _ANIMATE or tree.lower[noun] in _ANIMATE or may_be_person(tree, noun)


def require_sure_object(tree: SourceTree, verb: int, target: int) -> None:
    """Raise Decline where a part of the object may belong to the verb.

    ``distinguish X from Y``; and where two words may have been read as one phrase: ``call the dog Rex``,
    ``paint the fence green``, ``give the soldiers orders``, ``wish her luck``.
    """
    lemma, nouns = tree.lemmas[verb].lower(), tree.children_with(target, "compound")
    named = tree.upos[target] == "PROPN" and any(tree.upos[kid] == "NOUN" for kid in nouns)
    adjective = nouns and is_known(tree.lower[target], "ADJ")
    # ``drank the tea cold``; not ``found something new``
    after = tree.upos[target] == "NOUN" and any(
        kid > target and tree.upos[kid] == "ADJ" and not tree.children[kid]
        for kid in tree.children_with(target, "amod")
    )
    given = any(may_act(tree, kid) and tree.upos[kid] == "NOUN" for kid in nouns)
    hers = any(tree.lower[kid] == "her" for kid in tree.children_with(target, "nmod:poss"))
    if (
        (lemma in _NAMING and named)
        or (lemma in _RESULTATIVE and adjective)
        or (lemma in _GIVING and given)
        or (lemma in _GIVING_HER and hers)
        or after
        or tree.child(target, "nsubj") is not None
    ):
        raise Decline("object and its complement in doubt")
    for kid in tree.children_with(target, "nmod"):
        case = tree.child(kid, "case")
        if case is not None and f"{tree.lemmas[verb].lower()}_{tree.lower[case]}" in _COMPLEMENTS:
            raise Decline("attachment in doubt")


def require_one_preposition(tree: SourceTree, noun: int) -> None:
    """Raise Decline for conjuncts with prepositions of their own: ``by the wind and by the sea``."""
    if any(tree.child(kid, "case") is not None for kid in tree.children_with(noun, "conj")):
        raise Decline("conjuncts have prepositions of their own")


def require_no_floating_quantifier(tree: SourceTree, subject: int) -> None:
    """Raise Decline for a quantifier after its noun: ``the boys all ate it``. Only subjects have it there."""
    verb = tree.parents[subject]
    if any(subject < kid < verb and tree.lower[kid] in _FLOATING for kid in tree.children[verb]):
        raise Decline("word order in doubt")
    if tree.upos[subject] != "PRON" and any(
        kid > subject and tree.lower[kid] in _FLOATING for kid in tree.children[subject]
    ):
        raise Decline("word order in doubt")


def require_whole_list(tree: SourceTree, noun: int) -> None:
    """Raise Decline for a conjunction that no conjunct follows: ``by the bank or indirectly``."""
    if tree.child(noun, "cc") is not None and tree.child(noun, "conj") is None:
        raise Decline("coordination in doubt")


def swap_phrases(tree: SourceTree, draft: Draft, a: int, b: int) -> None:
    """Exchange two noun phrases in the sentence and in the tree; the prepositions stay."""
    first, second = sorted((a, b))
    left, right = tree.phrase(first), tree.phrase(second)
    for noun in (a, b):
        require_one_preposition(tree, noun)
        require_whole_list(tree, noun)
    if left.stop > right.start or tree.words[second] == tree.words[first]:
        raise Decline("arguments overlap")
    for comma in (*left.commas, *right.commas):
        draft.take([comma])
    parts = []
    for phrase in (left, right):
        case = {
            kid for kid in tree.children[phrase.head] if tree.deprels[kid] == "case" and kid < phrase.head
        }
        if case and (len(case) > 1 or min(case) != phrase.start or tree.children[min(case)]):
            raise Decline("preposition in doubt")
        parts.append([draft[i] for i in phrase.positions if i not in case])
        parts[-1][-1].closing = phrase.open
        # The preposition belongs to the noun that now follows it.
        for kid in case:
            draft[kid].head = draft[second if phrase.head == first else first]
    at = [draft.index(part[0]) for part in parts]
    for part, place, other in ((parts[1], at[1], parts[0]), (parts[0], at[0], parts[1])):
        draft.order[place : place + len(part)] = other
    draft.exchange(draft[a], draft[b])


def swap_nouns(draft: Draft, a: int, b: int) -> None:
    """Exchange two nouns; articles and modifiers stay, so the heads do not change."""
    first, second = draft[a], draft[b]
    for field in ("form", "lemma", "upos", "xpos", "feats", "source"):
        one, other = getattr(first, field), getattr(second, field)
        setattr(first, field, other)
        setattr(second, field, one)
