"""Examples made of variants: a sentence, a form with its meaning, and forms that only look the same.

For ``sscp``, and for ``simcse`` on the same data. The paper (Adavala & Adavala 2026, sections 3.6, 4.6 and
5.1) pairs a sentence with one of its syntactic variants, with negatives of high word overlap. Further
positives are the corpus's paraphrases; further negatives are sentences of the same words in another
structure. A sentence without a ``same`` variant is paired with itself, so the two
views of it are the pair (eq. 4). Both views start from the same weights, so such a pair teaches little
without a negative; ``mine.identity`` says which of them to keep.

Negation applies to most sentences and most other rules to few. Drawn uniformly, most negatives would be
negations, and a model could learn to look for *not*. So frequent kinds are downsampled to a share
(``mine.kind_share``), and of the kinds that a sentence has, the rarest come first.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from pipeline.core.seeding import stable_hash
from pipeline.core.store import read_file, shards, to_values
from pipeline.mining import overlap_negatives, paraphrases
from pipeline.mining.examples import IDENTITY, example, tree_similarity
from pipeline.mining.inputs import TRAINING_SPLITS, Embed, Inputs, Lookup, Row
from pipeline.mining.output import NO_VARIANT, capped_kind, replay, write_examples, write_kept
from pipeline.mining.partners import Partners
from pipeline.mining.parts import examples_by_sentence
from pipeline.params import Mine
from pipeline.syntax.sentence import normalised


def mine(
    inputs: Inputs,
    out: Path,
    params: Mine,
    embed: Embed,
    workers: int | None = 1,
    mixed: Callable[[Iterator[Row]], Iterator[Row]] | None = None,
) -> Counter[str]:
    """Write ``schemas.TRIPLET`` rows to ``out``; returns counts of what was kept.

    ``embed`` is called for the sample of similarities, in this process alone.
    ``mixed`` may put examples of other origin among those of the corpus.
    """
    dropped: Counter[str] = Counter()
    paired = paraphrases.read_pairs(inputs, params)
    positives = Partners()
    if params.pairs.share:
        for pairs in paraphrases.paraphrases(inputs, paired, params, dropped):
            for anchor, other in pairs:
                positives.add(anchor.place, other.place)
    negatives = overlap_negatives.overlap_negatives(inputs, paired.pair_of, params, dropped)
    make = partial(_examples, negative_kinds(inputs, params.kind_share), Lookup(inputs), params)
    partners = (positives, negatives)
    with examples_by_sentence(make, inputs, out, params, dropped, workers, partners) as table:
        keep = np.ones(len(table), dtype=bool)
        if positives:
            keep = capped_kind(table, keep, paraphrases.KIND, params.pairs.share, params.seed, dropped)
        if mixed is None:
            return write_kept(table, keep, out, params, embed, dropped)
        return write_examples(mixed(replay(table, keep)), inputs, out, params, embed, dropped)


def _examples(
    kinds: "NegativeKinds",
    corpus: Lookup,
    params: Mine,
    sentence: Row,
    variants: list[Row],
    dropped: Counter[str],
    positives: list[tuple[int, ...]],
    overlapping: list[tuple[int, ...]],
) -> Iterator[Row]:
    """The examples of one sentence; ``positives`` and ``overlapping`` are row numbers of other sentences."""
    variants = variants if params.variants else []
    same = [variant for variant in variants if variant["meaning"] == "same"]
    different = [variant for variant in variants if variant["meaning"] == "different"]
    paired = [corpus[place] for (place,) in positives]
    # A text that one rule calls equal in meaning and another different is evidence of neither.
    same_meaning = {normalised(row["text"]) for row in (sentence, *same, *paired)}
    usable = [variant for variant in different if normalised(variant["text"]) not in same_meaning]
    dropped["negative equal to the anchor or a positive"] += len(different) - len(usable)
    negatives = draw_negatives(sentence["sent_id"], usable, kinds, params, dropped)
    known = same_meaning | {normalised(row["text"]) for row, _ in negatives}
    for (place,) in overlapping:
        row = corpus[place]
        if normalised(row["text"]) in known:
            dropped["overlap: a variant already"] += 1
        elif any(
            overlap_negatives.may_mean_the_same(positive, row, tree_similarity(positive, row), params)
            for positive in (*same, *paired)
        ):
            dropped["overlap: may mean the same as a positive"] += 1
        else:
            negatives.append((row, overlap_negatives.KIND))
    for positive in same:
        yield example(sentence, positive, positive["transformation"], negatives)
    for positive in paired:
        yield example(sentence, positive, paraphrases.KIND, negatives)
    if not same:
        if params.identity == "all" or (params.identity == "with_negatives" and negatives):
            yield example(sentence, sentence, IDENTITY, negatives)
        elif not paired:
            dropped[NO_VARIANT] += 1


class NegativeKinds(NamedTuple):
    """By transformation: the number of its variants, and the fraction of them to keep."""

    counts: dict[str, int]
    kept: dict[str, float]


def negative_kinds(inputs: Inputs, share: float | None) -> NegativeKinds:
    """Count the variants of another meaning by kind, and find how many of each keep it within ``share``."""
    counts: Counter[str] = Counter()
    for path in shards(inputs.augmented):
        table = read_file(path).select(["split", "transformation", "meaning"])
        wanted = pc.and_(
            pc.equal(table["meaning"], "different"),
            pc.is_in(pc.cast(table["split"], "string"), value_set=pc.cast(list(TRAINING_SPLITS), "string")),
        )
        counts.update(to_values(table.filter(wanted)["transformation"]))
    limit = float("inf") if share is None else kind_limit(list(counts.values()), share)
    return NegativeKinds(dict(counts), {kind: min(1.0, limit / count) for kind, count in counts.items()})


def kind_limit(counts: list[int], share: float) -> float:
    """The largest L with L <= share * sum(min(count, L)): how many variants of a kind may stay.

    Infinite where there are too few kinds for the share (n * share <= 1), because none could stay.
    """
    if len(counts) * share <= 1:
        return float("inf")
    limit, lower = float("inf"), float(max(counts))
    while lower < limit * (1 - 1e-9):  # from above, so that it ends at the largest
        limit = lower
        lower = share * float(np.minimum(counts, limit).sum())
    return limit


def draw_negatives(
    sent_id: str, variants: list[Row], kinds: NegativeKinds, params: Mine, dropped: Counter[str]
) -> list[tuple[Row, str]]:
    """Up to ``mine.hard_negatives`` of a sentence's variants with their kinds, the rarest kinds first.

    Which variants of a downsampled kind stay depends on their text alone; ``dropped`` counts the others.
    """
    kept = []
    for variant in variants:
        kind, draw = variant["transformation"], stable_hash(params.seed, sent_id, variant["text"])
        if draw / 2**64 < kinds.kept.get(kind, 1.0):
            kept.append((kinds.counts.get(kind, 0), kind, draw, variant))
        else:
            dropped[f"negative beyond mine.kind_share: {kind}"] += 1
    kept.sort(key=lambda item: item[:3])
    chosen = [(variant, kind) for _, kind, _, variant in kept[: params.hard_negatives]]
    dropped["negative beyond mine.hard_negatives"] += len(kept) - len(chosen)
    return chosen
