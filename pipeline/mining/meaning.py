"""Paraphrases that nobody marked: sentences of near meaning by their vectors and of few common words."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from pipeline.mining.examples import distinct
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Lookup, Row, candidates
from pipeline.mining.neighbours import indexed_top_k, top_k
from pipeline.mining.pairs import unfit
from pipeline.mining.texts import Embed, Texts
from pipeline.mining.words import bag
from pipeline.params import Mine
from pipeline.sentences import Side

KIND = "near_meaning"


def near_meaning(
    inputs: Inputs, embed: Embed, params: Mine, dropped: Counter[str]
) -> Iterator[tuple[str, int]]:
    """Pairs of one split that are each other's nearest neighbours: one's sent_id and the other's place.

    Their cosine is ``mine.pairs.min_score`` or more, their words overlap by ``max_overlap`` at most, and the
    numbers in them are the same: two years or two sums are what vectors tell apart least. Memory holds the
    vectors. What was refused is counted in ``dropped``.
    """
    floor = params.pairs.min_score
    if floor is None:
        return
    texts, places, splits = Texts(embed), [], []
    sentences = Lookup(inputs)
    for sentence, _ in distinct(candidates(inputs, *Side._fields), params, Counter()):
        texts.number(sentence)
        places.append(sentence["place"])
        splits.append(sentence["split"])
    vectors, split = texts.vectors(), np.asarray(splits, dtype=object)
    for name in TRAINING_SPLITS:
        mine = np.flatnonzero(split == name)
        if len(mine) < 2:
            continue
        own = np.arange(len(mine))
        search = indexed_top_k if len(mine) > params.neighbours.index_above else top_k
        nearest, score = (part[:, 0] for part in search(vectors[mine], vectors[mine], 1, own=own))
        mutual = (nearest > own) & (nearest[nearest] == own)
        for a in np.flatnonzero(mutual & (score >= floor)):
            one, other = (sentences[places[mine[each]]] for each in (a, nearest[a]))
            reason = unfit(one, other, params.pairs, params.max_words) or _numbers_differ(one, other)
            if reason:
                dropped[f"near meaning: {reason}"] += 1
            else:
                yield one["sent_id"], places[mine[nearest[a]]]


def _numbers_differ(a: Row, b: Row) -> str | None:
    one, other = ({word for word in bag(row["words"]) if any(map(str.isdigit, word))} for row in (a, b))
    return "numbers differ" if one != other else None
