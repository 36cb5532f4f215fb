"""Adjuncts: which phrases say when, and which may move to another place in the clause."""

from pipeline.augment.morphology import words
from pipeline.augment.phrases import binds, has_pronoun, has_quantifier, is_negative, is_time
from pipeline.augment.source_tree import Decline, Phrase, SourceTree

_PREPOSITIONAL_VERBS = words("prepositional_verbs")
_TIME_PREPOSITIONS = frozenset(
    {"during", "after", "before", "since", "until", "throughout", "within", "in", "on", "at", "by"}
)
_FRAME_PREPOSITIONS = frozenset({"during", "despite", "according", "because", "due", "following"})
# Adverbs that mean the same at the front as elsewhere in the clause.
FRAME_ADVERBS = words("frame_adverbs")
_MANNER, _TIME_ADVERBS = words("manner_or_frame"), words("frame_time_adverbs")
_PLANNING, _OPINION = words("planning_verbs"), words("opinion_verbs")
_FREQUENCY = words("frequency_adverbs")
_PLURAL_ADJECTIVES = words("plural_adjectives")


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
    if is_complement(tree, verb, preposition) or tree.lemmas[verb].lower() in _PLANNING:
        return False  # it may say when what is planned happens
    return preposition in _TIME_PREPOSITIONS


def _is_at_a_time(tree: SourceTree, word: int) -> bool:
    """Whether the phrase is ``at a time``, which goes with an amount; ``at a time of crisis`` is not."""
    modified = any(kid > word for kid in tree.children[word])
    return tree.lower[max(0, word - 2) : word + 1] == ["at", "a", "time"] and not modified


def is_complement(tree: SourceTree, verb: int, preposition: str) -> bool:
    """Whether what the preposition opens belongs to the verb: ``depends on``, ``lasted until``."""
    return f"{tree.lemmas[verb].lower()}_{preposition}" in _PREPOSITIONAL_VERBS


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
    if tree.deprels[word] == "obl:agent":
        raise Decline("phrase may be a complement")
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
    copular = tree.upos[verb] != "VERB" or tree.child(verb, "cop") is not None
    if copular and tree.lower[adverb] not in _TIME_ADVERBS:
        raise Decline("adverb may say how")
    if tree.lower[adverb] not in _MANNER:
        return
    nothing_follows = max(verb, adverb) + 1 == len(tree) or tree.upos[max(verb, adverb) + 1] == "PUNCT"
    passive = tree.child(verb, "aux:pass") is not None
    if adverb > verb and tree.words[adverb - 1] != ",":
        raise Decline("adverb may say how")
    opinion = tree.lower[adverb] == "generally" and tree.lemmas[verb].lower() in _OPINION
    if adverb == verb - 1 and passive and (nothing_follows or opinion):
        raise Decline("adverb may say how")


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
    if len(phrase) > 8:
        raise Decline("phrase too long to move")
    for i in phrase.positions:
        rel = tree.universal[i]
        if rel in ("acl", "advcl", "ccomp", "xcomp", "csubj", "conj", "appos", "parataxis"):
            raise Decline("phrase holds a clause or a list")
        if tree.lower[i] in ("from", "to", "than", "as", "not", "only", "even", "just"):
            raise Decline("phrase in doubt")
    if has_pronoun(tree, phrase.head):
        raise Decline("phrase holds a pronoun")
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
