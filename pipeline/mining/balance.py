"""Variants of another meaning, drawn so that no transformation dominates.

Negation applies to most sentences and most other rules to few, so what is drawn blindly is mostly negation,
and a model may learn to look for *not*. Frequent kinds are thinned to a share, and of the kinds that a
sentence has the rarest come first.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Row
from pipeline.params import Mine
from pipeline.seeding import rank
from pipeline.store import read_file, shards


class Balance(NamedTuple):
    """``counts`` of each kind's variants and the fraction ``kept`` of them, by transformation."""

    counts: dict[str, int]
    kept: dict[str, float]


def level(counts: list[int], share: float) -> float:
    """The largest L with L <= share * sum(min(count, L)): what no kind may exceed.

    Infinite where the kinds are too few for the share (n * share <= 1), for then all would have to go.
    """
    if len(counts) * share <= 1:
        return float("inf")
    ceiling, lower = float("inf"), float(max(counts))
    while lower < ceiling * (1 - 1e-9):  # from above, so that it ends at the largest
        ceiling = lower
        lower = share * float(np.minimum(counts, ceiling).sum())
    return ceiling


def balance(inputs: Inputs, share: float | None) -> Balance:
    """Count the variants of another meaning by kind and say which share of each is to be kept."""
    counts: Counter[str] = Counter()
    for path in shards(inputs.augmented):
        table = read_file(path).select(["split", "transformation", "meaning"])
        wanted = pc.and_(
            pc.equal(table["meaning"], "different"),
            pc.is_in(pc.cast(table["split"], "string"), value_set=pc.cast(list(TRAINING_SPLITS), "string")),
        )
        counts.update(table.filter(wanted)["transformation"].to_pylist())
    ceiling = float("inf") if share is None else level(list(counts.values()), share)
    return Balance(dict(counts), {kind: min(1.0, ceiling / count) for kind, count in counts.items()})


def drawn(
    sent_id: str, variants: list[Row], balance: Balance, params: Mine, dropped: Counter[str]
) -> list[tuple[Row, str]]:
    """Up to ``mine.hard_negatives`` of a sentence's variants, the rarest kinds first, with their kinds.

    Which variants of a thinned kind are kept depends on their content alone; the others are counted.
    """
    lots = [(rank(params.seed, sent_id, variant["text"]), variant) for variant in variants]
    kept = []
    for lot, variant in lots:
        kind = variant["transformation"]
        if lot / 2**64 < balance.kept.get(kind, 1.0):
            kept.append((balance.counts.get(kind, 0), kind, lot, variant))
        else:
            dropped[f"negative beyond mine.kind_share: {kind}"] += 1
    kept.sort(key=lambda item: item[:3])
    chosen = [(variant, kind) for _, kind, _, variant in kept[: params.hard_negatives]]
    dropped["negative beyond mine.hard_negatives"] += len(kept) - len(chosen)
    return chosen
