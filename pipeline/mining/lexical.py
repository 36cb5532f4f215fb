"""Negatives that the corpus itself holds: sentences of nearly the same words in another structure."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from pipeline.mining.examples import distinct
from pipeline.mining.false_negatives import structural_agreement
from pipeline.mining.hashing import WordSets, hashed_pairs
from pipeline.mining.inputs import Inputs, Lookup, Row, candidates
from pipeline.mining.overlap import Overlap, overlapping
from pipeline.mining.words import bag, same_text
from pipeline.params import Mine

KIND = "overlap"
_EXAMINED = 16  # pairs of a sentence that are looked at: in a corpus of one template all pairs overlap


def overlap_negatives(
    inputs: Inputs, pair_of: Mapping[str, int], params: Mine, dropped: Counter[str]
) -> dict[str, list[int]]:
    """For each sentence (sent_id) the places of up to ``overlap.per_example`` that only look the same.

    Of one split, Jaccard similarity of words ``min_overlap`` or more, structural agreement ``max_agreement``
    or less, the least first. Never one of the same pair_id (``pair_of``), nor one whose words are all the
    other's and more, for it may say the same and more. Memory: a few numbers a sentence and word.
    """
    rule = params.overlap
    if not rule.per_example:
        return {}
    sets, places, splits = _word_sets(inputs, params)
    sentences = Lookup(inputs)
    best: dict[int, list[tuple[float, int]]] = defaultdict(list)
    examined: Counter[int] = Counter()
    for a, b, _ in _pairs(sets, params):
        if splits[a] != splits[b]:
            dropped["overlap: another split"] += 1
            continue
        if max(examined[a], examined[b]) >= _EXAMINED:
            dropped[f"overlap: beyond {_EXAMINED} pairs of one sentence"] += 1
            continue
        examined.update((a, b))
        one, other = sentences[places[a]], sentences[places[b]]
        agreement = structural_agreement(one, other)
        reason = _refusal(one, other, pair_of) or (
            "the same structure" if agreement > rule.max_agreement else None
        )
        if reason:
            dropped[f"overlap: {reason}"] += 1
            continue
        for each, negative in ((a, b), (b, a)):
            best[each].append((agreement, negative))
    found = {}
    for each, others in best.items():
        chosen = sorted(others)[: rule.per_example]
        dropped["overlap: beyond mine.overlap.per_example"] += len(others) - len(chosen)
        found[sentences[places[each]]["sent_id"]] = [places[other] for _, other in chosen]
    return found


def _word_sets(inputs: Inputs, params: Mine) -> tuple[WordSets, list[int], list[str]]:
    """The words of every distinct sentence that is not too long, its place and its split."""
    numbers: dict[str, int] = {}
    words: list[np.ndarray] = []
    places, splits, starts = [], [], [0]
    for sentence, _ in distinct(candidates(inputs), params, Counter()):
        own = sorted(numbers.setdefault(word, len(numbers)) for word in bag(sentence["words"]))
        words.append(np.array(own, dtype=np.int32))
        starts.append(starts[-1] + len(own))
        places.append(sentence["place"])
        splits.append(sentence["split"])
    flat = np.concatenate([*words, np.empty(0, dtype=np.int32)])
    return WordSets(flat, np.array(starts, dtype=np.int64)), places, splits


def _pairs(sets: WordSets, params: Mine) -> Iterator[Overlap]:
    threshold = params.overlap.min_overlap
    if len(sets) > params.overlap.exact_up_to:
        return hashed_pairs(sets, threshold, params.seed)
    return overlapping(
        [frozenset(each.tolist()) for each in np.split(sets.words, sets.starts[1:-1])], threshold
    )


def _refusal(a: Row, b: Row, pair_of: Mapping[str, int]) -> str | None:
    unit = pair_of.get(a["sent_id"])
    if unit is not None and unit == pair_of.get(b["sent_id"]):
        return "shared pair_id"
    if same_text(a, b):
        return "equal text"
    x, y = bag(a["words"]), bag(b["words"])
    return "one text contains the other" if x < y or y < x else None
