"""UPOS tag sequences of sentences: which are held out for evaluation, and the edit distances between them.

Liu et al. 2019, section 4.1, group sentences by tag sequence, draw some groups, and keep these whole out
of training. Here a hash of the sequence decides, so mining and evaluation agree on every corpus and language,
and a sequence stays on its side when the corpus grows.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash

HELD_OUT_SHARE = 0.1  # of all tag sequences


def untagged(upos: Sequence[str]) -> bool:
    """Whether words have no tags: a file or a parser without any gives each the tag for what has none, X."""
    return {"X", ""}.issuperset(upos)


def held_out(upos: Sequence[str]) -> bool:
    """Whether a tag sequence is held out: no training example may have it, and evaluation draws from it.

    That of ``untagged`` words never is.
    """
    return not untagged(upos) and stable_hash(0, "shape", *upos) < HELD_OUT_SHARE * 2**64


def normalised_distances(sequences: Sequence[Sequence[Hashable]]) -> NDArray[np.float32]:
    """Levenshtein distance over the longer length, float32 [n, n], from 0 to 1; 0 for two empty sequences.

    Raises SynsemError where rapidfuzz is not installed, as on a machine that only trains.
    """
    try:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist
    except ImportError as error:
        raise SynsemError("edit distances: rapidfuzz is not installed; pip install rapidfuzz") from error
    # One character a tag: rapidfuzz compares strings fastest.
    characters: dict[Hashable, str] = {}
    for each in sequences:
        for tag in each:
            characters.setdefault(tag, chr(len(characters)))
    texts = ["".join(map(characters.__getitem__, each)) for each in sequences]
    return np.asarray(cdist(texts, texts, scorer=Levenshtein.normalized_distance, dtype=np.float32))
