"""How like their anchors the positives and negatives are: the distributions that the report draws.

``similarity.json``: ``edges`` [21] are the bounds of 20 bins; ``overlap`` (Jaccard similarity of words, all
examples) and ``cosine`` (of the backbone's vectors, a sample) each hold ``positive`` and ``negative``, and in
``positive_kinds`` and ``negative_kinds`` the same by kind: ``{"count": n, "mean": m, "bins": [20 counts]}``.
An identity positive is left out, for its similarity is 1.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.mining.texts import Embed, Texts
from pipeline.mining.words import overlap
from pipeline.seeding import rank
from pipeline.store import write_json

BINS = 20
NAME = "similarity.json"
IDENTITY = "identity"


class Distribution:
    """Similarities of anchors with positives and negatives, in bins over 0..1; below 0 counts as 0."""

    def __init__(self) -> None:
        self._bins: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * BINS)
        self._sums: dict[tuple[str, str], float] = defaultdict(float)

    def add(self, side: str, kind: str, similarity: float) -> None:
        """Count a similarity of the anchor with its ``positive`` or a ``negative`` of some kind."""
        similarity = round(similarity, 4)  # no last digit of a machine's arithmetic moves a count
        place = min(BINS - 1, max(0, int(similarity * BINS + 1e-9)))
        for name in (kind, ""):
            self._bins[side, name][place] += 1
            self._sums[side, name] += similarity

    def row(self) -> dict[str, Any]:
        """As JSON."""
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


class Similarity:
    """Watches examples go by; keeps counts, and the sample whose cosines are taken at the end."""

    def __init__(self, sample: int, seed: int) -> None:
        self._overlap, self._size, self._seed = Distribution(), sample, seed
        self._sample: list[tuple[int, int, dict[str, Any]]] = []

    def watched(self, examples: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Pass the examples on."""
        for number, row in enumerate(examples):
            if row["positive_kind"] != IDENTITY:
                self._overlap.add("positive", row["positive_kind"], overlap(row["anchor"], row["positive"]))
            for negative, kind in zip(row["negatives"], row["negative_kinds"], strict=True):
                self._overlap.add("negative", kind, overlap(row["anchor"], negative))
            if row["negatives"] or row["positive_kind"] != IDENTITY:
                self._draw(number, row)
            yield row

    def _draw(self, number: int, row: dict[str, Any]) -> None:
        # The examples of lowest rank: their negation makes the highest of them the heap's first.
        lot = -rank(self._seed, "similarity", row["source_id"], row["positive"]["text"])
        if len(self._sample) < self._size:
            heapq.heappush(self._sample, (lot, -number, row))
        elif self._sample and (lot, -number) > self._sample[0][:2]:
            heapq.heapreplace(self._sample, (lot, -number, row))

    def write(self, out: Path, embed: Embed) -> None:
        """Write ``similarity.json`` into the folder; ``embed`` is asked where there is a sample."""
        edges = [place / BINS for place in range(BINS + 1)]
        cosine = self._cosines(embed) if self._sample else Distribution()
        write_json(out / NAME, {"edges": edges, "overlap": self._overlap.row(), "cosine": cosine.row()})

    def _cosines(self, embed: Embed) -> Distribution:
        texts, found = Texts(embed), []
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
