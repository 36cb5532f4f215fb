"""Phrases: number, definiteness, quantifiers, pronouns, time; adjuncts; exchanging two noun phrases."""

from collections.abc import Iterable

from pipeline.augment.draft import Decline, Draft, Phrase, SourceTree, decline_if
from pipeline.augment.surface import is_known, words

NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
# Adverbs that mean the same at the front as elsewhere in the clause.
FRAME_ADVERBS = words("frame_adverbs")
_NUMBER = "number of the new subject in doubt"


def agreement(tree: SourceTree, noun: int) -> str:
    """How a verb agrees with this subject: ``first`` (I), ``singular`` or ``plural``; may raise Decline."""
    others = tree.children_with(noun, "conj")
    if not others:
        # ``Hong Kong, Malaysia and Singapore``, read as an apposition
        named = tree.children_with(noun, "appos", "flat")
        decline_if(any(tree.has(kid, "conj") for kid in named), _NUMBER)
        # ``custom and social practice``, and ``military and political success`` below, read as one noun
        mixed = [kid for kid in tree.children_with(noun, "compound") if tree.has(kid, "conj")]
        decline_if(
            any(tree.upos[k] == "ADJ" for kid in mixed for k in tree.children_with(kid, "conj")), _NUMBER
        )
        return agreement_alone(tree, noun)
    decline_if(is_half(tree, noun), _NUMBER)
    decline_if(any(tree.lower[tree.child(kid, "cc") or kid] == "or" for kid in others), _NUMBER)
    decline_if(any(tree.upos[kid] not in NOMINAL for kid in others), _NUMBER)
    return "plural"


def agreement_alone(tree: SourceTree, noun: int) -> str:
    """``agreement`` with a noun once its conjuncts are gone."""
    lower = tree.lower[noun]
    if lower in ("i", "me"):
        return "first"
    if tree.upos[noun] == "PRON":
        verb = tree.parents[noun]
        # After the verb *that* and *who* are not relative pronouns.
        if lower in words("relative_pronouns") and noun < verb and tree.deprels[verb] == "acl:relcl":
            decline_if(tree.upos[tree.parents[verb]] not in NOMINAL, "antecedent in doubt")
            return agreement(tree, tree.parents[verb])
        plural = lower in words("plural_pronouns")
        decline_if(not plural and lower not in words("singular_pronouns"), _NUMBER)
        return "plural" if plural else "singular"
    decline_if(lower in words("collective_quantifiers") and tree.has(noun, "nmod"), _NUMBER)
    several = [kid for kid in tree.children_with(noun, "nummod") if tree.lower[kid] not in ("one", "1")]
    decline_if(lower in words("invariant_nouns") and not several, _NUMBER)
    if lower in words("invariant_nouns") or lower in words("plural_nouns"):
        return "plural"
    feats = tree.feats[noun]
    plural = "Number=Plur" in feats or tree.xpos[noun] in ("NNS", "NNPS")
    singular = "Number=Sing" in feats or tree.xpos[noun] in ("NN", "NNP")
    decline_if(plural == singular, _NUMBER)
    decline_if(singular and any(kid < noun for kid in several), _NUMBER)
    decline_if(tree.xpos[noun] == "NNPS" and tree.has(noun, "compound", "amod", "flat"), _NUMBER)
    return "plural" if plural else "singular"


def is_half(tree: SourceTree, noun: int) -> bool:
    """Whether a first conjunct may not be a noun, or the second no conjunct.

    ``military and political success``, ``the stomach and functions as a gland``, ``overthrew the king and
    consolidated power``.
    """
    other = tree.child(noun, "conj")
    cc = tree.child(other, "cc") if other is not None else None
    if other is None or cc is None or not noun < cc < other or tree.upos[noun] != "NOUN":
        return False
    adjective = cc == noun + 1 and tree.upos[cc + 1] == "ADJ" and is_known(tree.lower[noun], "ADJ")
    verb = cc + 1 == other and is_known(tree.lemma[other], "VERB") and tree.upos[other + 1] == "ADP"
    singular = tree.xpos[noun] in ("NN", "NNP")
    return (
        (adjective and not tree.has(noun, "det"))
        or (verb and singular and tree.xpos[other] == "NNS")
        or ((tree.lower[cc + 1].endswith("ed") or tree.lower[cc + 1] == "another") and tree.has(noun, "det"))
        or (
            tree.lower[cc + 1] == "a"
            and tree.lower[tree.child(noun, "det") or 0] == "the"
            and tree.deprels[noun] == "obl"
        )
    )


def is_definite(tree: SourceTree, noun: int) -> bool:
    """Whether a noun is a name or has a definite article, demonstrative or possessor."""
    det = tree.child(noun, "det")
    if det is not None:
        return tree.lower[det] in ("the", "this", "that", "these", "those")
    return tree.upos[noun] == "PROPN" or tree.has(noun, "nmod:poss")


def has_quantifier(tree: SourceTree, noun: int) -> bool:
    """Whether the noun phrase holds a word with scope: every, no, many, three ..."""
    listed = _is_one_of(tree, noun, "quantifiers", "det", "amod", "advmod", "nummod")
    return listed or tree.has(noun, "det:predet")


def has_anaphor(tree: SourceTree, word: int) -> bool:
    """Whether the subtree holds a third-person possessive, reflexive or reciprocal."""
    for i in tree.subtree(word):
        if tree.lower[i] in words("anaphors") and not (tree.lower[i] == "her" and tree.xpos[i] == "PRP"):
            return True
        if tree.lower[i] == "other" and i and tree.lower[i - 1] == "each":
            return True
    return False


def has_pronoun(tree: SourceTree, word: int) -> bool:
    """Whether the subtree holds a third-person personal pronoun."""
    return any(tree.upos[i] == "PRON" and tree.lower[i] in words("third_person") for i in tree.subtree(word))


def is_time(tree: SourceTree, noun: int) -> bool:
    """Whether the noun names a time: a year, a month, ``week`` ..."""
    digits = tree.words[noun].removesuffix("s")
    year = len(digits) == 4 and digits.isdigit() and digits[0] in "12"
    return year or not words("time_nouns").isdisjoint((tree.lower[noun], tree.lemma[noun]))


def is_measure(tree: SourceTree, noun: int) -> bool:
    """Whether the noun is a measure (``five miles``, ``$20``) and no participant."""
    return (
        tree.lemma[noun] in words("measures")
        or is_time(tree, noun)
        or tree.upos[noun] in ("NUM", "SYM")
        or (tree.has(noun, "nummod") and tree.words[noun] in "$£€%")
    )


def is_bare_title(tree: SourceTree, noun: int) -> bool:
    """Whether the word is a title whose name is elsewhere: the first of ``Mr. and Mrs. Jones``."""
    return (
        tree.upos[noun] == "PROPN"
        and tree.lower[noun].removesuffix(".") in words("titles")
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
    return _is_one_of(tree, noun, "binding_quantifiers", "det", "amod")


def is_negative(tree: SourceTree, noun: int) -> bool:
    """Whether the phrase negates its clause: ``nobody``, ``no student``."""
    return _is_one_of(tree, noun, "negative_words", "det")


def _is_one_of(tree: SourceTree, noun: int, name: str, *relations: str) -> bool:
    """Whether the noun, or a child of one of these relations, is on the word list of this name."""
    return any(tree.lower[word] in words(name) for word in (noun, *tree.children_with(noun, *relations)))


def is_indefinite(tree: SourceTree, noun: int) -> bool:
    """Whether the phrase has an indefinite article, a number or a quantifier: ``a guard``, ``all guards``."""
    listed = _is_one_of(tree, noun, "indefinite_words", "det")
    return listed or has_quantifier(tree, noun) or tree.has(noun, "nummod")


def require_no_focus(tree: SourceTree, places: Iterable[int]) -> None:
    """Raise Decline for ``only``, ``even``, ``hardly`` ... among these words.

    What they say of one phrase they would say of another.
    """
    if any(
        tree.lower[i] in words("focus_particles") or tree.lower[i] in words("negative_adverbs")
        for i in places
    ):
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
    endings = ("er", "or", "ist", "ian", "ee", "man", "woman", "person", "ant")
    like_one = len(lemma) > 4 and lemma.endswith(endings) and lemma not in words("things_in_er")
    return like_one or lemma in words("people")


def may_act(tree: SourceTree, noun: int) -> bool:
    """Whether a noun may name a person, an animal or an organisation; names and pronouns may."""
    # Taggers take ``Tajiks`` for a common noun, and ``oven`` for a name.
    name = tree.words[noun][0].isupper() and (noun > 0 or tree.upos[noun] == "PROPN")
    if name or tree.upos[noun] == "PRON":
        return tree.lower[noun] not in ("it", "this", "that", "these", "those", "something", "everything")
    return (
        tree.lemma[noun] in words("animate")
        or tree.lower[noun] in words("animate")
        or may_be_person(tree, noun)
    )


def require_particle(tree: SourceTree, verb: int, target: int) -> None:
    """Raise Decline where a particle before the object may be its preposition: ``turned off the road``."""
    particle = tree.child(verb, "compound:prt")
    doubt = tree.lemma[verb] in words("motion_verbs") or tree.lemma[target] in words("way_nouns")
    decline_if(doubt and particle is not None and particle < target, "particle may be a preposition")


def require_sure_object(tree: SourceTree, verb: int, target: int) -> None:
    """Raise Decline where a part of the object may belong to the verb.

    ``distinguish X from Y``; and where two words may have been read as one phrase: ``call the dog Rex``,
    ``paint the fence green``, ``give the soldiers orders``, ``wish her luck``.
    """
    lemma, nouns = tree.lemma[verb], tree.children_with(target, "compound")
    require_no_other_phrase(tree, verb, target)
    require_particle(tree, verb, target)
    named = tree.upos[target] == "PROPN" and any(tree.upos[kid] == "NOUN" for kid in nouns)
    adjective = nouns and is_known(tree.lower[target], "ADJ")
    # ``drank the tea cold``; not ``found something new``
    after = tree.upos[target] == "NOUN" and any(
        kid > target and tree.upos[kid] == "ADJ" and not tree.children[kid]
        for kid in tree.children_with(target, "amod")
    )
    given = any(may_act(tree, kid) and tree.upos[kid] == "NOUN" for kid in nouns) or any(
        tree.lower[kid] in words("people") for kid in tree.children_with(target, "amod")
    )
    hers = any(tree.lower[kid] == "her" for kid in tree.children_with(target, "nmod:poss"))
    if (
        (lemma in words("naming_verbs") and named)
        or (lemma in words("object_complement") and adjective)
        or (lemma in words("dative_to") | {"cause", "cost"} and given)
        or (hers and lemma in words("dative_to") | words("dative_for") | {"wish"})
        or after
        or tree.has(target, "nsubj")
        or len(tree.children_with(verb, "obj")) > 1  # ``bought the girl it``
    ):
        raise Decline("object and its complement in doubt")
    pairs = {f"{lemma}_{tree.preposition(kid)}" for kid in tree.children_with(target, "nmod")}
    decline_if(pairs & words("complement_of_verb"), "attachment in doubt")


def require_no_other_phrase(tree: SourceTree, verb: int, target: int) -> None:
    """Raise Decline where an object may hold what is none of it, or miss a part.

    ``diagnose diseases using scans``, ``celebrates the Exodus of the Israelites from slavery``, ``term the
    events the turmoil``, ``overthrew the democracy and consolidated power``.
    """
    inside = tree.subtree(target)
    decline_if(verb < target and tree.after_comma(target), "object in doubt")
    used = any(tree.lower[kid] in ("using", "employing") for kid in tree.children_with(target, "acl"))
    named = any(not tree.after_comma(kid) for kid in tree.children_with(target, "appos"))
    after = inside[-1] + 1
    of_noun = tree.has(target, "nmod") and tree.lower[after] in words("noun_prepositions")
    after_all = any(tree.subtree(kid)[0] == after for kid in tree.children_with(verb, "obl"))
    decline_if(used or is_half(tree, target) or named or (of_noun and after_all), "attachment in doubt")


def require_one_preposition(tree: SourceTree, noun: int) -> None:
    """Raise Decline for conjuncts with prepositions of their own: ``by the wind and by the sea``."""
    if any(tree.has(kid, "case") for kid in tree.children_with(noun, "conj")):
        raise Decline("conjuncts have prepositions of their own")


def require_no_floating_quantifier(tree: SourceTree, subject: int) -> None:
    """Raise Decline for a quantifier after its noun: ``the boys all ate it``. Only subjects have it there."""
    verb, floating = tree.parents[subject], words("floating_quantifiers")
    after = any(subject < kid < verb and tree.lower[kid] in floating for kid in tree.children[verb])
    decline_if(after, "word order in doubt")
    own = any(kid > subject and tree.lower[kid] in floating for kid in tree.children[subject])
    decline_if(own and tree.upos[subject] != "PRON", "word order in doubt")


def swap_phrases(tree: SourceTree, draft: Draft, a: int, b: int) -> None:
    """Exchange two noun phrases in the sentence and in the tree; the prepositions stay."""
    first, second = sorted((a, b))
    left, right = tree.phrase(first), tree.phrase(second)
    for noun in (a, b):
        require_one_preposition(tree, noun)
    decline_if(left.stop > right.start or tree.words[second] == tree.words[first], "arguments overlap")
    draft.take([*left.commas, *right.commas])
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
    if not is_time(tree, word) or _is_at_a_time(tree, word):
        return False
    if not tree.has(word, "case"):
        if [tree.lower[kid] for kid in tree.children[word]] == ["the"]:
            return False  # ``the morning (that) the ship sank``
        return tree.deprels[word] in ("obl:unmarked", "obl:tmod")
    verb, preposition = tree.parents[word], tree.preposition(word)
    if any(tree.lower[kid] == "back" for kid in tree.children[verb]):
        return False  # ``goes back to the Romans in 100 BC``
    if is_complement(tree, verb, preposition) or tree.lemma[verb] in words("planning_verbs"):
        return False  # it may say when what is planned happens
    return preposition in words("time_prepositions")


def _is_at_a_time(tree: SourceTree, word: int) -> bool:
    """Whether the phrase is ``at a time``, which goes with an amount; ``at a time of crisis`` is not."""
    modified = any(kid > word for kid in tree.children[word])
    return tree.lower[max(0, word - 2) : word + 1] == ["at", "a", "time"] and not modified


def is_complement(tree: SourceTree, verb: int, preposition: str) -> bool:
    """Whether what the preposition opens belongs to the verb: ``depends on``, ``lasted until``."""
    return f"{tree.lemma[verb]}_{preposition}" in words("prepositional_verbs")


def require_same_count(tree: SourceTree, moved: int) -> None:
    """Raise Decline where an adverb counts other things after the move.

    ``she usually works on Monday`` is not ``on Monday, she usually works``, and ``every pupil sometimes
    fails`` not ``sometimes, every pupil fails``.
    """
    verb = tree.parents[moved]
    if tree.lower[moved] not in words("frequency_adverbs"):
        counted = any(tree.lower[kid] in words("frequency_adverbs") for kid in tree.children[verb])
        decline_if(counted, "scope of an adverb of frequency")
        return
    for kid in tree.children_with(verb, "nsubj", "nsubj:pass"):
        scoped = has_quantifier(tree, kid) or binds(tree, kid) or is_negative(tree, kid)
        decline_if(scoped, "scope of quantifiers")


def require_adjunct(tree: SourceTree, word: int) -> None:
    """Raise Decline unless the phrase is surely an adjunct."""
    if tree.universal[word] == "advmod":
        if tree.upos[word] != "ADV" or tree.lower[word] not in FRAME_ADVERBS or tree.children[word]:
            raise Decline("adverb that does not move freely")
        _require_no_manner(tree, word)
        return
    decline_if(tree.deprels[word] == "obl:agent", "phrase may be a complement")
    preposition = tree.preposition(word)
    decline_if(not preposition and is_amount(tree, word), "phrase says how long or how much")
    frame = preposition in words("frame_prepositions")
    decline_if(not frame and not is_time_adjunct(tree, word), "phrase may be a complement")


def _require_no_manner(tree: SourceTree, adverb: int) -> None:
    """Raise Decline where an adverb may say how: ``runs normally``, ``was traditionally dressed``."""
    verb = tree.parents[adverb]
    copular = tree.upos[verb] != "VERB" or tree.has(verb, "cop")
    decline_if(copular and tree.lower[adverb] not in words("frame_time_adverbs"), "adverb may say how")
    if tree.lower[adverb] not in words("manner_or_frame"):
        return
    nothing_follows = max(verb, adverb) + 1 == len(tree) or tree.upos[max(verb, adverb) + 1] == "PUNCT"
    passive = tree.child(verb, "aux:pass") is not None
    decline_if(adverb > verb and tree.words[adverb - 1] != ",", "adverb may say how")
    opinion = tree.lower[adverb] == "generally" and tree.lemma[verb] in words("opinion_verbs")
    decline_if(adverb == verb - 1 and passive and (nothing_follows or opinion), "adverb may say how")


def is_amount(tree: SourceTree, word: int) -> bool:
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
        or tree.lower[kid] in words("plural_adjectives")
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
