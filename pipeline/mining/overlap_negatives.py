"""Hard negatives from the corpus: sentences with nearly the same words in another structure."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from pipeline.mining.examples import distinct, same_text, tree_similarity, word_set
from pipeline.mining.inputs import Inputs, Lookup, Row, without_variants
from pipeline.mining.overlap import SimilarPair, WordSets, hashed_pairs, similar_pairs
from pipeline.params import Mine

KIND = "overlap"
_EXAMINED = 16  # pairs examined for each sentence: in a corpus of one template all sentences overlap


def overlap_negatives(
    inputs: Inputs, pair_of: Mapping[str, int], params: Mine, dropped: Counter[str]
) -> dict[str, list[int]]:
    """Row numbers of up to ``mine.overlap.per_example`` negatives for each sentence, by sent_id.

    A negative is of the same split; the Jaccard similarity of the words is at least ``min_overlap``, the
    structural similarity of the trees at most ``max_structural_similarity``, and the least similar trees come
    first. Refused as possible false negatives: sentences of the same pair_id (``pair_of``), equal texts, and
    texts of which one has all words of the other and more. Memory: a few numbers for each sentence and word.
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
        similarity = tree_similarity(one, other)
        reason = _false_negative_reason(one, other, pair_of) or (
            "the same structure" if similarity > rule.max_structural_similarity else None
        )
        if reason:
            dropped[f"overlap: {reason}"] += 1
            continue
        for each, negative in ((a, b), (b, a)):
            best[each].append((similarity, negative))
    found = {}
    for each, others in best.items():
        kept = sorted(others)[: rule.per_example]
        dropped["overlap: beyond mine.overlap.per_example"] += len(others) - len(kept)
        found[sentences[places[each]]["sent_id"]] = [places[other] for _, other in kept]
    return found


def _word_sets(inputs: Inputs, params: Mine) -> tuple[WordSets, list[int], list[str]]:
    """The words of every distinct sentence that is not too long, its row number and its split."""
    numbers: dict[str, int] = {}
    words: list[np.ndarray] = []
    places, splits, starts = [], [], [0]
    for sentence, _ in distinct(without_variants(inputs), params, Counter()):
        # Sorted, because hashing depends on the numbers and the order of a set differs between processes.
        own = sorted(numbers.setdefault(word, len(numbers)) for word in sorted(word_set(sentence["words"])))
        words.append(np.array(own, dtype=np.int32))
        starts.append(starts[-1] + len(own))
        places.append(sentence["place"])
        splits.append(sentence["split"])
    flat = np.concatenate([*words, np.empty(0, dtype=np.int32)])
    return WordSets(flat, np.array(starts, dtype=np.int64)), places, splits


def _pairs(sets: WordSets, params: Mine) -> Iterator[SimilarPair]:
    threshold = params.overlap.min_overlap
    if len(sets) > params.overlap.exact_up_to:
        return hashed_pairs(sets, threshold, params.seed)
    return similar_pairs(
        [frozenset(each.tolist()) for each in np.split(sets.words, sets.starts[1:-1])], threshold
    )


def _false_negative_reason(a: Row, b: Row, pair_of: Mapping[str, int]) -> str | None:
    pair = pair_of.get(a["sent_id"])
    if pair is not None and pair == pair_of.get(b["sent_id"]):
        return "shared pair_id"
    if same_text(a, b):
        return "equal text"
    x, y = word_set(a["words"]), word_set(b["words"])
    # Equal sets pass: the same words in another structure are what is looked for.
    return "one text contains the other" if x < y or y < x else None
