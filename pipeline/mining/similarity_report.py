"""How similar positives and negatives are to their anchors: the distributions that the report draws.

In ``similarity.json``, ``edges`` [21] are the bounds of 20 bins. ``overlap`` (Jaccard similarity of the
words, all examples) and ``cosine`` (of the backbone's vectors, a sample) each hold ``positive`` and
``negative``, and by kind ``positive_kinds`` and ``negative_kinds``: ``{"count": n, "mean": m, "bins": [20
counts]}``. Positives of the kind ``identity`` are left out, because their similarity is 1.
"""

import heapq
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.core.seeding import stable_hash
from pipeline.core.store import kept_batches, to_rows, to_values, write_json
from pipeline.mining.examples import IDENTITY
from pipeline.mining.inputs import DistinctTexts, Embed
from pipeline.params import Mine

BINS = 20
NAME = "similarity.json"
_UNITS = 10_000  # of a similarity that is rounded to four digits


class Distribution:
    """Histograms over 0..1 of the similarities of anchors with positives and negatives, by kind."""

    def __init__(self) -> None:
        self._bins: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * BINS)
        self._sums: dict[tuple[str, str], int] = defaultdict(int)  # whole: the same in any order

    def add(self, side: str, kind: str, similarity: float, count: int = 1) -> None:
        """Count a similarity; ``side`` is ``positive`` or ``negative``. The first bin has all below 0."""
        # Rounded, so that the floating point of a machine moves no value to another bin.
        similarity = round(similarity, 4)
        place = min(BINS - 1, max(0, int(similarity * BINS + 1e-9)))
        for name in (kind, ""):
            self._bins[side, name][place] += count
            self._sums[side, name] += round(similarity * _UNITS) * count

    def add_all(self, side: str, kinds: pa.Array, similarities: NDArray[np.floating[Any]]) -> None:
        """Count similarities [n] of these kinds [n]."""
        labels = np.asarray(to_values(kinds), dtype=object)
        whole = np.rint(similarities.astype(np.float64) * _UNITS).astype(np.int64)
        for kind in sorted(set(labels)):
            for value, count in zip(*np.unique(whole[labels == kind], return_counts=True), strict=True):
                self.add(side, kind, int(value) / _UNITS, int(count))

    def row(self) -> dict[str, Any]:
        """The histograms as a JSON object."""
        return {
            **{side: self._one(side, "") for side in ("positive", "negative")},
            **{
                f"{side}_kinds": {
                    kind: self._one(side, kind) for s, kind in sorted(self._bins) if s == side and kind
                }
                for side in ("positive", "negative")
            },
        }

    def _one(self, side: str, kind: str) -> dict[str, Any]:
        bins = list(self._bins.get((side, kind), [0] * BINS))
        count, total = sum(bins), self._sums[side, kind]
        return {
            "count": count,
            "mean": (2 * total + count) // (2 * count) / _UNITS if count else None,
            "bins": bins,
        }


def write_similarities(
    table: pa.Table, keep: NDArray[np.bool_], out: Path, params: Mine, embed: Embed
) -> None:
    """Write ``similarity.json`` into the folder, of the rows ``keep`` [rows] of a table of examples.

    The column ``positive_overlap`` [rows] and ``negative_hardness`` are the overlaps of all examples; cosines
    are those of ``mine.similarity_sample`` examples, drawn by content. ``embed`` is called only for these.
    """
    overlap = Distribution()
    lowest: list[tuple[int, int]] = []
    names = (
        "source_id",
        "positive",
        "positive_kind",
        "positive_overlap",
        "negative_kinds",
        "negative_hardness",
    )
    for places, batch in kept_batches(table, keep, names):
        other = pc.not_equal(pc.cast(batch["positive_kind"], pa.string()), IDENTITY)
        positives = batch.select(["positive_kind", "positive_overlap"]).filter(other)
        overlap.add_all("positive", positives[0], positives[1].to_numpy())
        negatives = [pc.list_flatten(batch[name]) for name in ("negative_kinds", "negative_hardness")]
        overlap.add_all("negative", negatives[0], negatives[1].to_numpy())
        if params.similarity_sample:
            told = pc.or_(other, pc.greater(pc.list_value_length(batch["negative_kinds"]), 0))
            texts = pc.struct_field(batch["positive"], "text").to_pylist()
            keys = zip(places.tolist(), told.to_pylist(), batch["source_id"].to_pylist(), texts, strict=True)
            hashes = (
                (stable_hash(params.seed, "similarity", source, text), place)
                for place, wanted, source, text in keys
                if wanted
            )
            lowest = heapq.nsmallest(params.similarity_sample, [*lowest, *hashes])
    sample = [to_rows(table.slice(place, 1))[0] for _, place in reversed(lowest)]
    cosine = _cosines(sample, embed) if sample else Distribution()
    edges = [place / BINS for place in range(BINS + 1)]
    write_json(out / NAME, {"edges": edges, "overlap": overlap.row(), "cosine": cosine.row()})


def _cosines(sample: list[dict[str, Any]], embed: Embed) -> Distribution:
    texts, found = DistinctTexts(embed), []
    for row in sample:
        anchor = texts.number(row["anchor"])
        if row["positive_kind"] != IDENTITY:
            found.append((anchor, texts.number(row["positive"]), "positive", row["positive_kind"]))
        for negative, kind in zip(row["negatives"], row["negative_kinds"], strict=True):
            found.append((anchor, texts.number(negative), "negative", kind))
    vectors = texts.vectors()
    distribution = Distribution()
    for anchor, other, side, kind in found:
        distribution.add(side, kind, float(np.dot(vectors[anchor], vectors[other])))
    return distribution
