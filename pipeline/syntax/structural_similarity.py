"""Structural similarity of two parsed sentences: a symbolic baseline for paraphrase pairs, without training.

A sentence becomes its set of dependency triples (lemma, lemma of the head, role). Three normalisations make
rewordings alike: a passive's subject is an object and its agent a subject, function words are skipped, and a
conjunct has the role of the first conjunct. Of two sentences only triples count whose two words occur in both
sentences, as other words say little about structure. The score is (shared + 0.5) / (all + 1).
"""

from collections.abc import Set

from pipeline.syntax.relations import FUNCTION, content, lemma, lifted, universal
from pipeline.syntax.sentence import HasTree

Triple = tuple[str, str, str]
ROOT = ""  # the head of the root; it is no word, so no triple with it counts


def triples(tree: HasTree) -> frozenset[Triple]:
    """The normalised triples of the content words of a sentence."""
    found = set()
    for word, deprel in enumerate(tree.deprels):
        if universal(deprel) in FUNCTION:
            continue
        head, role = lifted(tree, word)
        head = content(tree, head)
        found.add((lemma(tree, word), ROOT if head < 0 else lemma(tree, head), role))
    return frozenset(found)


def structural_similarity(a: frozenset[Triple], b: frozenset[Triple]) -> float:
    """Similarity of two sets of triples, from 0 to 1: the mean of the scores with and without roles."""
    shared_words = {word for word, _, _ in a} & {word for word, _, _ in b}

    def over_shared_words(side: frozenset[Triple]) -> set[Triple]:
        return {t for t in side if t[0] in shared_words and t[1] in shared_words}

    x, y = over_shared_words(a), over_shared_words(b)
    unlabelled = [{(word, head) for word, head, _ in side} for side in (x, y)]
    return (_smoothed_jaccard(x, y) + _smoothed_jaccard(*unlabelled)) / 2


def _smoothed_jaccard(x: Set[object], y: Set[object]) -> float:
    return (len(x & y) + 0.5) / (len(x | y) + 1)
