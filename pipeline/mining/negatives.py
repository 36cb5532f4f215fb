"""Hard negatives: variants of another meaning, and corpus sentences of nearly the same words.

Negation applies to most sentences and most other rules to few. Drawn uniformly, most negatives would be
negations, and a model could learn to look for *not*. So frequent kinds are thinned to ``KIND_SHARE``,
and of the kinds that a sentence has, the rarest come first.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from pipeline.core.params import Mine
from pipeline.core.seeding import SEED, stable_hash
from pipeline.core.store import rows
from pipeline.mining.filter import distinct, may_mean_the_same, tree_similarity, word_set
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Lookup, Row
from pipeline.mining.pairs import pair_ids

OVERLAP = "overlap"  # the kind of a negative from elsewhere in the corpus
KIND_SHARE = 0.3  # of the negatives, at most
MIN_OVERLAP = 0.5  # Jaccard similarity of its words and the anchor's
EXACT_UP_TO = 10_000  # sentences that are all compared with each other
BANDS, ROWS = 32, 4  # of MinHash, for more sentences
WINDOW = 16  # following sentences of its bucket that one is compared with, so that time stays linear
EXAMINED = 16  # pairs examined for each sentence: in a corpus of one template all sentences overlap
_BLOCK = 2**11  # sentences compared at once


class Kinds(NamedTuple):
    """By transformation: the number of its variants, and the fraction of them to keep."""

    counts: Counter[str]
    kept: dict[str, float]


def negative_kinds(inputs: Inputs) -> Kinds:
    """Count the variants of another meaning by kind, and how many of each keep it within ``KIND_SHARE``."""
    counts = Counter(
        row["transformation"]
        for row in rows(inputs.augmented, "split", "transformation", "meaning")
        if row["meaning"] == "different" and row["split"] in TRAINING_SPLITS
    )
    limit = kind_limit(list(counts.values()), KIND_SHARE)
    return Kinds(counts, {kind: min(1.0, limit / count) for kind, count in counts.items()})


def kind_limit(counts: list[int], share: float) -> float:
    """Return the largest L with L <= share * sum(min(count, L)): how many variants of a kind may stay.

    Infinite if there are too few kinds for the share (n * share <= 1), because none could stay.
    """
    if len(counts) * share <= 1:
        return float("inf")
    limit, lower = float("inf"), float(max(counts))
    while lower < limit * (1 - 1e-9):  # from above, so that it ends at the largest
        limit = lower
        lower = share * float(np.minimum(counts, limit).sum())
    return limit


def draw_negatives(
    sent_id: str, variants: list[Row], kinds: Kinds, params: Mine, dropped: Counter[str]
) -> list[tuple[Row, str]]:
    """Return up to ``mine.hard_negatives`` of a sentence's variants with their kinds, the rarest kinds first.

    Which variants of a thinned kind stay depends on their text only; ``dropped`` counts the others.
    """
    kept = []
    for variant in variants:
        kind, draw = variant["transformation"], stable_hash(SEED, sent_id, variant["text"])
        if draw / 2**64 < kinds.kept.get(kind, 1.0):
            kept.append((kinds.counts[kind], kind, draw, variant))
        else:
            dropped[f"negative of a frequent kind: {kind}"] += 1
    kept.sort(key=lambda item: item[:3])
    chosen = [(variant, kind) for _, kind, _, variant in kept[: params.hard_negatives]]
    dropped["negative beyond mine.hard_negatives"] += len(kept) - len(chosen)
    return chosen


def overlap_negatives(
    inputs: Inputs, corpus: Lookup, params: Mine, dropped: Counter[str]
) -> dict[int, list[int]]:
    """Return up to ``mine.overlap_negatives`` sentences for each sentence, all by row number.

    A negative is of the same split and shares at least ``MIN_OVERLAP`` of the words; those of the least
    similar trees come first. Refused as possible false negatives are sentences of the same pair_id, and those
    of ``may_mean_the_same``.
    """
    if not params.overlap_negatives:
        return {}
    pairs_of, words = pair_ids(inputs), dict[str, int]()
    places, splits, sets = list[int](), list[str](), list[list[int]]()
    numbered = enumerate(rows(inputs.sentences, "split", "text", "words"))
    sentences = ((row | {"place": place}, list[Row]()) for place, row in numbered)
    for sentence, _ in distinct(sentences, params, Counter()):
        places.append(sentence["place"])
        splits.append(sentence["split"])
        # Sorted, because hashing depends on the numbers, and the order of a set differs between processes.
        sets.append([words.setdefault(word, len(words)) for word in sorted(word_set(sentence))])
    found: dict[int, list[tuple[float, int]]] = defaultdict(list)
    examined: Counter[int] = Counter()
    for a, b in similar_pairs(sets, MIN_OVERLAP, SEED):
        if splits[a] != splits[b]:
            dropped["overlap: another split"] += 1
            continue
        if max(examined[a], examined[b]) >= EXAMINED:
            dropped[f"overlap: beyond {EXAMINED} pairs of one sentence"] += 1
            continue
        examined.update((a, b))
        one, other = corpus[places[a]], corpus[places[b]]
        similarity = tree_similarity(one, other)
        pair_id = pairs_of.get(one["doc_id"])
        if pair_id is not None and pair_id == pairs_of.get(other["doc_id"]):
            dropped["overlap: shared pair_id"] += 1
        elif reason := may_mean_the_same(one, other, similarity):
            dropped[f"overlap: {reason}"] += 1
        else:
            found[places[a]].append((similarity, places[b]))
            found[places[b]].append((similarity, places[a]))
    best: dict[int, list[int]] = {}
    for place, others in found.items():
        best[place] = [other for _, other in heapq.nsmallest(params.overlap_negatives, others)]
        dropped["overlap: beyond mine.overlap_negatives"] += len(others) - len(best[place])
    return best


def similar_pairs(sets: list[list[int]], threshold: float, seed: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs a < b of word sets with Jaccard similarity ``threshold`` or more, in order of b and a.

    All of them up to ``EXACT_UP_TO`` sets. Beyond, nearly all: MinHash with bands (Broder 1997) hashes every
    set ``ROWS`` times in each of ``BANDS`` bands, and sets with equal minima fall into one bucket. A pair of
    similarity s shares one with probability 1 - (1 - s**ROWS)**BANDS: 0.87 at 0.5, 0.99 at 0.6.
    """
    starts = np.cumsum([0, *map(len, sets)])
    flat = np.fromiter((word for each in sets for word in each), dtype=np.int64, count=starts[-1])
    shape = (len(sets), int(flat.max(initial=0)) + 1)
    matrix = csr_matrix((np.ones(len(flat), dtype=np.int32), flat, starts), shape=shape)
    exact = len(sets) <= EXACT_UP_TO
    found = _all_pairs(matrix, threshold) if exact else _hashed_pairs(matrix, threshold, seed)
    codes = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *found]))
    for code in codes.tolist():
        yield code & 0xFFFFFFFF, code >> 32


def _similar(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    shared: NDArray[np.int64],
    sizes: NDArray[np.int64],
    threshold: float,
) -> NDArray[np.int64]:
    """Return ``b << 32 | a`` of the pairs whose similarity reaches the threshold."""
    # 0.56 * 25 is 14.000000000000002 in floating point.
    similar = shared >= threshold * (sizes[a] + sizes[b] - shared) - 1e-9
    return b[similar] << 32 | a[similar]


def _all_pairs(sets: csr_matrix, threshold: float) -> Iterator[NDArray[np.int64]]:
    sizes = np.diff(sets.indptr).astype(np.int64)
    for start in range(0, len(sizes), _BLOCK):
        shared = (sets[start : start + _BLOCK] @ sets.T).tocoo()
        b, a = shared.row.astype(np.int64) + start, shared.col.astype(np.int64)
        earlier = a < b
        yield _similar(a[earlier], b[earlier], shared.data[earlier], sizes, threshold)


def _hashed_pairs(sets: csr_matrix, threshold: float, seed: int) -> Iterator[NDArray[np.int64]]:
    sizes = np.diff(sets.indptr).astype(np.int64)
    filled = np.flatnonzero(sizes)
    known = np.empty(0, dtype=np.int64)
    draw = np.random.default_rng(seed)
    for _ in range(BANDS if len(filled) else 0):
        keys = _band_keys(sets, filled, draw)
        order = np.argsort(keys, kind="stable")
        found = [known]
        for start in range(0, len(order), _BLOCK):
            block = order[start : start + _BLOCK + WINDOW]
            apart = range(1, min(WINDOW + 1, len(block)))
            first = np.concatenate([block[:0], *(block[:-far][:_BLOCK] for far in apart)])
            second = np.concatenate([block[:0], *(block[far:][:_BLOCK] for far in apart)])
            same = keys[first] == keys[second]
            a, b = filled[first[same]], filled[second[same]]  # a < b, because the sort is stable
            shared = np.asarray(sets[a].multiply(sets[b]).sum(axis=1)).ravel()
            found.append(_similar(a, b, shared, sizes, threshold))
        known = np.unique(np.concatenate(found))  # a pair may share several bands
    yield known


def _band_keys(sets: csr_matrix, filled: NDArray[np.int64], draw: np.random.Generator) -> NDArray[np.uint64]:
    """Return the bucket of each set that has words in one band, uint64 [len(filled)]."""
    key = np.full(len(filled), 0xCBF29CE484222325, dtype=np.uint64)
    words = sets.indices.astype(np.uint64)
    for multiplier, offset in draw.integers(1, 2**63, size=(ROWS, 2), dtype=np.uint64):
        hashed = words * (multiplier | np.uint64(1)) + offset
        hashed = (hashed ^ (hashed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        hashed ^= hashed >> np.uint64(32)
        least = np.minimum.reduceat(hashed, sets.indptr[filled])
        key = (key ^ least) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(31)
    return key
