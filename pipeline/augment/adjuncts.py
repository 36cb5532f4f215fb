"""Adjuncts: which phrases say when, and which may move to another place in the clause."""

from pipeline.augment.morphology import words
from pipeline.augment.phrases import has_pronoun, is_time
from pipeline.augment.source_tree import Decline, Phrase, SourceTree

_PREPOSITIONAL_VERBS = words("prepositional_verbs")
_TIME_PREPOSITIONS = frozenset(
    {"during", "after", "before", "since", "until", "throughout", "within", "in", "on", "at", "by"}
)
_FRAME_PREPOSITIONS = frozenset({"during", "despite", "according", "because", "due", "following"})
# Adverbs that mean the same at the front as elsewhere in the clause.
FRAME_ADVERBS = words("frame_adverbs")


def is_time_adjunct(tree: SourceTree, word: int) -> bool:
    """Whether the phrase says when: ``on Monday``, ``in 1990``, ``last week``, ``recently``."""
    if tree.upos[word] == "ADV":
        return tree.lower[word] in FRAME_ADVERBS
    case = tree.child(word, "case")
    if not is_time(tree, word):
        return False
    verb = tree.parents[word]
    if case is not None and f"{tree.lemmas[verb].lower()}_{tree.lower[case]}" in _PREPOSITIONAL_VERBS:
        return False
    if case is None and tree.span(word).start and tree.upos[tree.span(word).start - 1] == "ADP":
        return False  # a preposition that the parser left alone
    return (
        tree.deprels[word] in ("obl:unmarked", "obl:tmod")
        if case is None
        else tree.lower[case] in _TIME_PREPOSITIONS
    )


def require_adjunct(tree: SourceTree, word: int) -> None:
    """Raise Decline unless the phrase is surely an adjunct."""
    if tree.universal[word] == "advmod":
        if tree.upos[word] != "ADV" or tree.lower[word] not in FRAME_ADVERBS or tree.children[word]:
            raise Decline("adverb that does not move freely")
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


def _is_amount(tree: SourceTree, word: int) -> bool:
    """Whether a bare phrase measures: ``30 years``, ``five times``, ``an hour``, ``your time``.

    ``one day`` and ``every two years`` say when.
    """
    kids = tree.children[word]
    return not any(tree.lower[kid] in ("each", "every") for kid in kids) and any(
        (tree.deprels[kid] == "nummod" and kid < word and tree.lower[kid] != "one")
        or tree.lower[kid] in ("a", "an")
        or tree.deprels[kid] == "nmod:poss"
        for kid in kids
    )


def require_free(tree: SourceTree, phrase: Phrase, verb: int) -> None:
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
