"""How similar positives and negatives are to their anchors: the distributions that the report draws.

In ``similarity.json``, ``edges`` [21] are the bounds of 20 bins. ``overlap`` (Jaccard similarity of the
words, all examples) and ``cosine`` (of the backbone's vectors, a sample) each hold ``positive`` and
``negative``, and by kind ``positive_kinds`` and ``negative_kinds``: ``{"count": n, "mean": m, "bins": [20
counts]}``. Positives of the kind ``identity`` are left out, because their similarity is 1.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.core.seeding import stable_hash
from pipeline.core.store import write_json
from pipeline.mining.examples import IDENTITY, word_overlap
from pipeline.mining.inputs import DistinctTexts, Embed

BINS = 20
NAME = "similarity.json"


class Distribution:
    """Histograms over 0..1 of the similarities of anchors with positives and negatives, by kind."""

    def __init__(self) -> None:
        self._bins: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * BINS)
        self._sums: dict[tuple[str, str], float] = defaultdict(float)

    def add(self, side: str, kind: str, similarity: float) -> None:
        """Count a similarity; ``side`` is ``positive`` or ``negative``. Values below 0 count as 0."""
        # Rounded, so that the floating point of a machine moves no value to another bin.
        similarity = round(similarity, 4)
        place = min(BINS - 1, max(0, int(similarity * BINS + 1e-9)))
        for name in (kind, ""):
            self._bins[side, name][place] += 1
            self._sums[side, name] += similarity

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
        count = sum(bins)
        return {
            "count": count,
            "mean": round(self._sums[side, kind] / count, 4) if count else None,
            "bins": bins,
        }


class SimilarityReport:
    """Counts the word overlaps of all examples and the cosines of a sample."""

    def __init__(self, sample: int, seed: int) -> None:
        self._overlap, self._size, self._seed = Distribution(), sample, seed
        self._sample: list[tuple[int, int, dict[str, Any]]] = []

    def observe(self, examples: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Count each example and yield it unchanged."""
        for number, row in enumerate(examples):
            if row["positive_kind"] != IDENTITY:
                self._overlap.add(
                    "positive", row["positive_kind"], word_overlap(row["anchor"], row["positive"])
                )
            for negative, kind in zip(row["negatives"], row["negative_kinds"], strict=True):
                self._overlap.add("negative", kind, word_overlap(row["anchor"], negative))
            if row["negatives"] or row["positive_kind"] != IDENTITY:
                self._draw(number, row)
            yield row

    def _draw(self, number: int, row: dict[str, Any]) -> None:
        # A heap of the lowest hashes; negated, so that the highest of them comes first.
        key = -stable_hash(self._seed, "similarity", row["source_id"], row["positive"]["text"])
        if len(self._sample) < self._size:
            heapq.heappush(self._sample, (key, -number, row))
        elif self._sample and (key, -number) > self._sample[0][:2]:
            heapq.heapreplace(self._sample, (key, -number, row))

    def write(self, out: Path, embed: Embed) -> None:
        """Write ``similarity.json`` into the folder; ``embed`` is called only where there is a sample."""
        edges = [place / BINS for place in range(BINS + 1)]
        cosine = self._cosines(embed) if self._sample else Distribution()
        write_json(out / NAME, {"edges": edges, "overlap": self._overlap.row(), "cosine": cosine.row()})

    def _cosines(self, embed: Embed) -> Distribution:
        texts, found = DistinctTexts(embed), []
        for _, _, row in sorted(self._sample, key=lambda item: item[:2]):
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
