"""Phrases: number, definiteness, quantifiers, pronouns, time; adjuncts; exchanging two noun phrases."""

from collections.abc import Iterable

from pipeline.augment.draft import Decline, Draft, Phrase, SourceTree, decline_if
from pipeline.augment.surface import is_known, words

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
_PLURAL_PRONOUNS = words("plural_pronouns")
_SINGULAR_PRONOUNS = words("singular_pronouns")
_PREPOSITIONAL_VERBS = words("prepositional_verbs")
_TIME_PREPOSITIONS = words("time_prepositions")
_FRAME_PREPOSITIONS = frozenset({"during", "despite", "according", "because", "due", "following"})
# Adverbs that mean the same at the front as elsewhere in the clause.
FRAME_ADVERBS = words("frame_adverbs")
_MANNER, _TIME_ADVERBS = words("manner_or_frame"), words("frame_time_adverbs")
_PLANNING, _OPINION = words("planning_verbs"), words("opinion_verbs")
_FREQUENCY = words("frequency_adverbs")
_PLURAL_ADJECTIVES = words("plural_adjectives")


def agreement(tree: SourceTree, noun: int) -> str:
    """How a verb agrees with this subject: ``first`` (I), ``singular`` or ``plural``; may raise Decline."""
    if any(tree.lower[tree.child(kid, "cc") or kid] == "or" for kid in tree.children_with(noun, "conj")):
        raise Decline("number of the new subject in doubt")
    if tree.has(noun, "conj"):
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
    if lower in _COLLECTIVE_QUANTIFIERS and tree.has(noun, "nmod"):
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
    decline_if(plural == singular, "number of the new subject in doubt")
    if tree.xpos[noun] == "NNPS" and not tree.has(noun, "compound", "amod", "flat"):
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
    return tree.upos[noun] == "PROPN" or tree.has(noun, "nmod:poss")


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
    if tree.lower[noun] in _TIME_NOUNS or tree.lemma[noun] in _TIME_NOUNS:
        return True
    digits = word.removesuffix("s")
    return len(digits) == 4 and digits.isdigit() and digits[0] in "12"


def is_measure(tree: SourceTree, noun: int) -> bool:
    """Whether the noun is a measure (``five miles``, ``$20``) and no participant."""
    return (
        tree.lemma[noun] in _MEASURES
        or is_time(tree, noun)
        or tree.upos[noun] in ("NUM", "SYM")
        or (tree.has(noun, "nummod") and tree.words[noun] in "$£€%")
    )


def is_bare_title(tree: SourceTree, noun: int) -> bool:
    """Whether the word is a title whose name is elsewhere: the first of ``Mr. and Mrs. Jones``."""
    return (
        tree.upos[noun] == "PROPN"
        and tree.lower[noun].removesuffix(".") in _TITLES
        and not tree.has(noun, "det", "flat")
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
    lemma = tree.lemma[noun]
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
    return tree.lemma[noun] in _ANIMATE or tree.lower[noun] in _ANIMATE or may_be_person(tree, noun)


def require_sure_object(tree: SourceTree, verb: int, target: int) -> None:
    """Raise Decline where a part of the object may belong to the verb.

    ``distinguish X from Y``; and where two words may have been read as one phrase: ``call the dog Rex``,
    ``paint the fence green``, ``give the soldiers orders``, ``wish her luck``.
    """
    lemma, nouns = tree.lemma[verb], tree.children_with(target, "compound")
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
        or tree.has(target, "nsubj")
    ):
        raise Decline("object and its complement in doubt")
    for kid in tree.children_with(target, "nmod"):
        case = tree.child(kid, "case")
        if case is not None and f"{tree.lemma[verb]}_{tree.lower[case]}" in _COMPLEMENTS:
            raise Decline("attachment in doubt")


def require_one_preposition(tree: SourceTree, noun: int) -> None:
    """Raise Decline for conjuncts with prepositions of their own: ``by the wind and by the sea``."""
    if any(tree.has(kid, "case") for kid in tree.children_with(noun, "conj")):
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
    decline_if(tree.has(noun, "cc") and not tree.has(noun, "conj"), "coordination in doubt")


def swap_phrases(tree: SourceTree, draft: Draft, a: int, b: int) -> None:
    """Exchange two noun phrases in the sentence and in the tree; the prepositions stay."""
    first, second = sorted((a, b))
    left, right = tree.phrase(first), tree.phrase(second)
    for noun in (a, b):
        require_one_preposition(tree, noun)
        require_whole_list(tree, noun)
    decline_if(left.stop > right.start or tree.words[second] == tree.words[first], "arguments overlap")
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


def is_time_adjunct(tree: SourceTree, word: int) -> bool:
    """Whether the phrase says when: ``on Monday``, ``in 1990``, ``last week``, ``recently``."""
    if tree.upos[word] == "ADV":
        return tree.lower[word] in FRAME_ADVERBS
    case = tree.child(word, "case")
    if not is_time(tree, word) or _is_at_a_time(tree, word):
        return False
    if case is None:
        start = tree.span(word).start
        if start and tree.upos[start - 1] == "ADP":
            return False  # a preposition that the parser left alone
        return tree.deprels[word] in ("obl:unmarked", "obl:tmod")
    verb, preposition = tree.parents[word], tree.lower[case]
    if is_complement(tree, verb, preposition) or tree.lemma[verb] in _PLANNING:
        return False  # it may say when what is planned happens
    return preposition in _TIME_PREPOSITIONS


def _is_at_a_time(tree: SourceTree, word: int) -> bool:
    """Whether the phrase is ``at a time``, which goes with an amount; ``at a time of crisis`` is not."""
    modified = any(kid > word for kid in tree.children[word])
    return tree.lower[max(0, word - 2) : word + 1] == ["at", "a", "time"] and not modified


def is_complement(tree: SourceTree, verb: int, preposition: str) -> bool:
    """Whether what the preposition opens belongs to the verb: ``depends on``, ``lasted until``."""
    return f"{tree.lemma[verb]}_{preposition}" in _PREPOSITIONAL_VERBS


def require_same_count(tree: SourceTree, moved: int) -> None:
    """Raise Decline where an adverb counts other things after the move.

    ``she usually works on Monday`` is not ``on Monday, she usually works``, and ``every pupil sometimes
    fails`` not ``sometimes, every pupil fails``.
    """
    verb = tree.parents[moved]
    if tree.lower[moved] not in _FREQUENCY:
        if any(tree.lower[kid] in _FREQUENCY for kid in tree.children[verb]):
            raise Decline("scope of an adverb of frequency")
    elif any(
        has_quantifier(tree, kid) or binds(tree, kid) or is_negative(tree, kid)
        for kid in tree.children_with(verb, "nsubj", "nsubj:pass")
    ):
        raise Decline("scope of quantifiers")


def require_adjunct(tree: SourceTree, word: int) -> None:
    """Raise Decline unless the phrase is surely an adjunct."""
    if tree.universal[word] == "advmod":
        if tree.upos[word] != "ADV" or tree.lower[word] not in FRAME_ADVERBS or tree.children[word]:
            raise Decline("adverb that does not move freely")
        _require_no_manner(tree, word)
        return
    decline_if(tree.deprels[word] == "obl:agent", "phrase may be a complement")
    case = tree.child(word, "case")
    if case is None and _is_amount(tree, word):
        raise Decline("phrase says how long or how much")
    if is_time_adjunct(tree, word):
        return
    if case is not None and tree.lower[case] in _FRAME_PREPOSITIONS:
        return
    raise Decline("phrase may be a complement")


def _require_no_manner(tree: SourceTree, adverb: int) -> None:
    """Raise Decline where an adverb may say how: ``runs normally``, ``was traditionally dressed``."""
    verb = tree.parents[adverb]
    copular = tree.upos[verb] != "VERB" or tree.has(verb, "cop")
    decline_if(copular and tree.lower[adverb] not in _TIME_ADVERBS, "adverb may say how")
    if tree.lower[adverb] not in _MANNER:
        return
    nothing_follows = max(verb, adverb) + 1 == len(tree) or tree.upos[max(verb, adverb) + 1] == "PUNCT"
    passive = tree.child(verb, "aux:pass") is not None
    decline_if(adverb > verb and tree.words[adverb - 1] != ",", "adverb may say how")
    opinion = tree.lower[adverb] == "generally" and tree.lemma[verb] in _OPINION
    decline_if(adverb == verb - 1 and passive and (nothing_follows or opinion), "adverb may say how")


def _is_amount(tree: SourceTree, word: int) -> bool:
    """Whether a bare phrase measures: ``30 years``, ``many hours``, ``an hour``, ``your time``.

    ``one day`` and ``every two years`` say when.
    """
    kids = tree.children[word]
    if any(tree.lower[kid] in ("each", "every") for kid in kids):
        return False
    return has_quantifier(tree, word) or any(
        (tree.deprels[kid] == "nummod" and kid < word and tree.lower[kid] != "one")
        or tree.lower[kid] in ("a", "an")
        or tree.deprels[kid] == "nmod:poss"
        or tree.lower[kid] in _PLURAL_ADJECTIVES
        for kid in kids
    )


def require_free(tree: SourceTree, phrase: Phrase) -> None:
    """Raise Decline for a phrase that is too long, holds a clause or a pronoun, or is part of a list."""
    decline_if(len(phrase) > 8, "phrase too long to move")
    for i in phrase.positions:
        rel = tree.universal[i]
        if rel in ("acl", "advcl", "ccomp", "xcomp", "csubj", "conj", "appos", "parataxis"):
            raise Decline("phrase holds a clause or a list")
        if tree.lower[i] in ("from", "to", "than", "as", "not", "only", "even", "just"):
            raise Decline("phrase in doubt")
    decline_if(has_pronoun(tree, phrase.head), "phrase holds a pronoun")
    before = phrase.start - 1
    if before >= 0 and tree.lower[before] in (
        "only",
        "even",
        "just",
        "and",
        "or",
        "but",
        "not",
        "both",
        "either",
    ):
        raise Decline("phrase in the scope of a particle")
