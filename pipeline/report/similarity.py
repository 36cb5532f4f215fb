"""Histograms of cosine similarity: a sentence with its variants of either meaning, and with random ones.

The axis is even in the distance of the unit vectors, sqrt(2 - 2 cos), and labelled with the cosine: variants
lie so close that an axis even in the cosine would show them as one bar.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from pipeline.report.inputs import Run, view_rank
from pipeline.report.steps import Steps, steps_picture

KINDS = ("random", "different", "same")  # drawn in this order: the telling two on top
BIN = 0.05  # of distance
_COSINES = (-0.5, 0.0, 0.5, 0.8, 0.9, 0.99, 1.0)


@dataclass(frozen=True)
class Histogram:
    """Shares of the pairs by similarity, for one system and view, all seeds pooled."""

    system: str
    view: str
    edges: NDArray[np.float64]  # distances, ascending [bins + 1], the same for every histogram of a page
    shares: Mapping[str, NDArray[np.float64]]  # kind -> percent of its pairs in each bin
    means: Mapping[str, float]  # kind -> mean cosine
    pairs: Mapping[str, int]


def histograms(runs: Sequence[Run]) -> list[Histogram]:
    """One for each system and view with similarity samples, in the order of the runs; bins are shared."""
    pooled: dict[tuple[str, str], dict[str, list[float]]] = {}
    for run in runs:
        for row in run.evaluation.get("similarities", []):
            kinds = pooled.setdefault((run.system, row["view"]), {})
            kinds.setdefault(row["kind"], []).append(row["similarity"])
    lowest = min((min(sample) for kinds in pooled.values() for sample in kinds.values()), default=0.0)
    bins = int(np.ceil(max(1.5, float(_distance(lowest))) / BIN))
    edges: NDArray[np.float64] = np.arange(bins + 1, dtype=np.float64) * BIN
    systems = list(dict.fromkeys(run.system for run in runs))
    order = sorted(pooled, key=lambda pair: (systems.index(pair[0]), view_rank(pair[1])))
    return [_histogram(*pair, pooled[pair], edges) for pair in order]


def _histogram(
    system: str, view: str, kinds: Mapping[str, Sequence[float]], edges: NDArray[np.float64]
) -> Histogram:
    samples = {kind: np.asarray(kinds[kind], dtype=np.float64) for kind in sorted(kinds, key=_kind_rank)}
    shares = {
        kind: 100 * np.histogram(_distance(sample), edges)[0] / len(sample)
        for kind, sample in samples.items()
    }
    means = {kind: float(sample.mean()) for kind, sample in samples.items()}
    return Histogram(
        system, view, edges, shares, means, {kind: len(sample) for kind, sample in samples.items()}
    )


def _distance(cosine: ArrayLike) -> NDArray[np.float64]:
    # Rounding may lift a cosine a hair above 1.
    return np.sqrt(np.maximum(2 - 2 * np.asarray(cosine, dtype=np.float64), 0))


def _kind_rank(kind: str) -> tuple[int, str]:
    return (KINDS.index(kind) if kind in KINDS else len(KINDS), kind)


def tallest(found: Sequence[Histogram]) -> float:
    """The highest bar of all, so that every panel has one scale."""
    return max((float(shares.max()) for one in found for shares in one.shares.values()), default=1.0)


def histogram_picture(histogram: Histogram, highest: float) -> Markup:
    """Outlined steps, one a kind, with a mark at each mean."""
    drawn = [
        Steps(
            shares.tolist(),
            float(_distance(histogram.means[kind])),
            f"kind-{kind if kind in KINDS else 'other'}",
            f"{kind}: mean {histogram.means[kind]:.3f} over {histogram.pairs[kind]:,} pairs",
        )
        for kind, shares in histogram.shares.items()
    ]
    edges = histogram.edges.tolist()
    places = [(float(_distance(cosine)), f"{cosine:g}") for cosine in _COSINES]
    x_ticks = [(place, label) for place, label in places if place <= edges[-1]]
    name = f"Similarities of {histogram.system}, {histogram.view} view"
    return steps_picture(name, "cosine", edges, drawn, x_ticks, highest, falling=True)
