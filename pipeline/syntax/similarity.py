"""Similarity of two parsed sentences: by dependency triples, and by tag sequences.

Structural similarity is a symbolic baseline for paraphrase pairs, without training.

A sentence becomes its set of dependency triples (lemma, lemma of the head, role). Three normalisations make
rewordings alike: a passive's subject is an object and its agent a subject, function words are skipped, and a
conjunct has the role of the first conjunct. Of two sentences only triples count whose two words occur in both
sentences, as other words say little about structure. The score is (shared + 0.5) / (all + 1).

Tag sequences: Liu et al. 2019, section 4.1, group sentences by tag sequence, draw some groups, and keep these
whole out of training. Here a hash of the sequence decides, so mining and evaluation agree on every corpus and
language, and a sequence stays on its side when the corpus grows.
"""

from collections.abc import Hashable, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from pipeline.core.seeding import stable_hash
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import FUNCTION, content, lemma, lifted, universal

Triple = tuple[str, str, str]
ROOT = ""  # the head of the root; it is not a word, so no triple with it counts


def triples(tree: Sentence) -> frozenset[Triple]:
    """Return the normalised triples of the content words of a sentence."""
    found = set()
    for word, deprel in enumerate(tree.deprels):
        if universal(deprel) in FUNCTION:
            continue
        head, role = lifted(tree, word)
        head = content(tree, head)
        found.add((lemma(tree, word), ROOT if head < 0 else lemma(tree, head), role))
    return frozenset(found)


def structural_similarity(a: frozenset[Triple], b: frozenset[Triple]) -> float:
    """Return the similarity of two sets of triples, 0 to 1: the mean of the scores with and without roles."""
    shared_words = {word for word, _, _ in a} & {word for word, _, _ in b}

    def over_shared_words(side: frozenset[Triple]) -> set[Triple]:
        return {t for t in side if t[0] in shared_words and t[1] in shared_words}

    x, y = over_shared_words(a), over_shared_words(b)
    unlabelled = [{(word, head) for word, head, _ in side} for side in (x, y)]
    return (_smoothed_jaccard(x, y) + _smoothed_jaccard(*unlabelled)) / 2


def _smoothed_jaccard(x: Set[object], y: Set[object]) -> float:
    return (len(x & y) + 0.5) / (len(x | y) + 1)


HELD_OUT_SHARE = 0.1  # of all tag sequences


def untagged(upos: Sequence[str]) -> bool:
    """Return whether words have no tags: a file or parser without tags gives each word X."""
    return {"X", ""}.issuperset(upos)


def held_out(upos: Sequence[str]) -> bool:
    """Return whether a tag sequence is held out: no training example may have it, and evaluation uses it.

    That of ``untagged`` words never is.
    """
    return not untagged(upos) and stable_hash(0, "shape", *upos) < HELD_OUT_SHARE * 2**64


def normalised_distances(sequences: Sequence[Sequence[Hashable]]) -> NDArray[np.float32]:
    """Return Levenshtein distances over the longer length, float32 [n, n], 0 to 1; 0 for two empty ones."""
    from rapidfuzz.distance import Levenshtein  # a machine that only trains does without
    from rapidfuzz.process import cdist

    # One character a tag: rapidfuzz compares strings fastest.
    characters: dict[Hashable, str] = {}
    for each in sequences:
        for tag in each:
            characters.setdefault(tag, chr(len(characters)))
    texts = ["".join(map(characters.__getitem__, each)) for each in sequences]
    return np.asarray(cdist(texts, texts, scorer=Levenshtein.normalized_distance, dtype=np.float32))
