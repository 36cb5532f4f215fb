"""Conditional structural agreement of two parsed sentences: a symbolic, untrained baseline for paraphrase
pairs.

A sentence becomes its set of dependency triples (lemma, lemma of the head, role), with three normalisations
that make rewordings alike: the passive's subject is an object and its agent a subject, function words are
skipped, and a conjunct takes the role of the first conjunct. Of two sentences only the triples whose two
words occur in both count, since lexical difference says little where word overlap is high; agreement is
(shared + 0.5) / (united + 1).
"""

from collections.abc import Set

from pipeline import roles
from pipeline.sentences import HasTree

Triple = tuple[str, str, str]
ROOT = ""  # the head of the root; it is no word, so a triple with it never has both words shared


def triples(tree: HasTree) -> frozenset[Triple]:
    """The normalised triples of a sentence's content words."""
    found = set()
    for word, deprel in enumerate(tree.deprels):
        if roles.base(deprel) in roles.FUNCTION:
            continue
        head, role = roles.lifted(tree, word)
        head = roles.content(tree, head)
        found.add((roles.lemma(tree, word), ROOT if head < 0 else roles.lemma(tree, head), role))
    return frozenset(found)


def agreement(a: frozenset[Triple], b: frozenset[Triple]) -> float:
    """Conditional structural agreement, from 0 to 1; labelled and unlabelled triples count alike."""
    shared_words = {word for word, _, _ in a} & {word for word, _, _ in b}

    def conditioned(side: frozenset[Triple]) -> set[Triple]:
        return {t for t in side if t[0] in shared_words and t[1] in shared_words}

    x, y = conditioned(a), conditioned(b)
    bare = [{(word, head) for word, head, _ in side} for side in (x, y)]
    return (_smoothed(x, y) + _smoothed(*bare)) / 2


def _smoothed(x: Set[object], y: Set[object]) -> float:
    return (len(x & y) + 0.5) / (len(x | y) + 1)
