"""Histograms of similarity, of test sentences and training examples; and alignment against uniformity.

The axis of the first is even in the distance of the unit vectors, sqrt(2 - 2 cos), and labelled with the
cosine: variants lie so close that an axis even in the cosine would show them as one bar. The second are
drawn from mining's ``similarity.json``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from pipeline.core.errors import SynsemError
from pipeline.report.figures.charts import Histogram, histogram_picture
from pipeline.report.figures.plane import Dot, plane_picture
from pipeline.report.figures.svg import tick_text, ticks
from pipeline.report.inputs import Group, Run, read_facts, style, title, view_order
from pipeline.report.tables import groups, summary, values

ALIGNMENT, UNIFORMITY = "alignment.test.alignment", "alignment.test.uniformity"
KINDS = ("random", "different", "same")  # drawn in this order: the last on top
BIN = 0.05  # of distance
_COSINES = (-0.5, 0.0, 0.5, 0.8, 0.9, 0.99, 1.0)  # ticks
# How the two roles in a training example are coloured; the last is drawn on top.
ROLES = {"negative": "different", "positive": "same"}
MEASURES = {"overlap": "word overlap (Jaccard)", "cosine": "cosine, backbone untouched"}


@dataclass(frozen=True)
class ViewSimilarities:
    """Shares of the pairs by similarity, for one system and view, all seeds pooled."""

    system: str
    view: str
    edges: NDArray[np.float64]  # distances, ascending [bins + 1], the same for every histogram of a page
    shares: Mapping[str, NDArray[np.float64]]  # kind -> percent of its pairs in each bin
    means: Mapping[str, float]  # kind -> mean cosine
    pairs: Mapping[str, int]


def similarities(runs: Sequence[Run]) -> list[ViewSimilarities]:
    """One for each system and view with similarity samples, in the order of the runs; bins are shared."""
    pooled: dict[tuple[str, str], dict[str, list[float]]] = {}
    for run in runs:
        for row in run.evaluation.get("similarities", []):
            kinds = pooled.setdefault((run.system, row["view"]), {})
            kinds.setdefault(row["kind"], []).append(row["similarity"])
    return view_similarities(pooled, list(dict.fromkeys(run.system for run in runs)))


def view_similarities(
    pooled: Mapping[tuple[str, str], Mapping[str, Sequence[float]]], systems: Sequence[str]
) -> list[ViewSimilarities]:
    """Histograms of the cosines of each (system, view) by kind; bins are shared."""
    lowest = min((min(sample) for kinds in pooled.values() for sample in kinds.values()), default=0.0)
    bins = int(np.ceil(max(1.5, float(_distance(lowest))) / BIN))
    edges: NDArray[np.float64] = np.arange(bins + 1, dtype=np.float64) * BIN
    order = sorted(pooled, key=lambda pair: (systems.index(pair[0]), view_order(pair[1])))
    return [_histogram(*pair, pooled[pair], edges) for pair in order]


def _histogram(
    system: str, view: str, kinds: Mapping[str, Sequence[float]], edges: NDArray[np.float64]
) -> ViewSimilarities:
    samples = {kind: np.asarray(kinds[kind], dtype=np.float64) for kind in sorted(kinds, key=_kind_order)}
    shares = {
        kind: 100 * np.histogram(_distance(sample), edges)[0] / len(sample)
        for kind, sample in samples.items()
    }
    means = {kind: float(sample.mean()) for kind, sample in samples.items()}
    return ViewSimilarities(
        system, view, edges, shares, means, {kind: len(sample) for kind, sample in samples.items()}
    )


def _distance(cosine: ArrayLike) -> NDArray[np.float64]:
    # Rounding may lift a cosine a hair above 1.
    return np.sqrt(np.maximum(2 - 2 * np.asarray(cosine, dtype=np.float64), 0))


def _kind_order(kind: str) -> tuple[int, str]:
    return (KINDS.index(kind) if kind in KINDS else len(KINDS), kind)


def highest_share(found: Sequence[ViewSimilarities]) -> float:
    """The highest bar of all, so that every panel has one scale."""
    return max((float(shares.max()) for one in found for shares in one.shares.values()), default=1.0)


def similarity_picture(one: ViewSimilarities, highest: float) -> Markup:
    """A histogram for each kind, in one panel."""
    drawn = [
        Histogram(
            shares.tolist(),
            float(_distance(one.means[kind])),
            f"kind-{kind if kind in KINDS else 'other'}",
            f"{kind}: mean {one.means[kind]:.3f} over {one.pairs[kind]:,} pairs",
        )
        for kind, shares in one.shares.items()
    ]
    edges = one.edges.tolist()
    places = [(float(_distance(cosine)), tick_text(cosine)) for cosine in _COSINES]
    x_ticks = [(place, label) for place, label in places if place <= edges[-1]]
    name = f"Similarities of {one.system}, {one.view} view"
    return histogram_picture(name, "cosine", edges, drawn, x_ticks, highest, falling=True)


@dataclass(frozen=True)
class ExampleSimilarities:
    """One system's examples by one measure: percent of the positives and of the negatives in each bin."""

    system: str
    measure: str
    edges: tuple[float, ...]
    shares: Mapping[str, tuple[float, ...]]  # role -> percent by bin; a role without an example is absent
    means: Mapping[str, float]
    counts: Mapping[str, int]

    @property
    def label(self) -> str:
        """The measure in words."""
        return MEASURES[self.measure]


def example_similarities(triplets: Path, systems: Sequence[str]) -> list[ExampleSimilarities]:
    """Every system's distributions that mining left, overlap before cosine."""
    found = []
    for system in systems:
        path = triplets / system / "similarity.json"
        facts = read_facts(path)
        for measure in MEASURES if facts else ():
            try:
                one = _examples(system, measure, facts or {})
            except (KeyError, TypeError, ValueError) as error:
                raise SynsemError(
                    f"{path}: not the distributions that mining writes ({type(error).__name__}: {error}); "
                    "run `synsem mine` again"
                ) from error
            if one.shares:
                found.append(one)
    return found


def _examples(system: str, measure: str, facts: Mapping[str, Any]) -> ExampleSimilarities:
    edges = tuple(float(edge) for edge in facts["edges"])
    roles = {role: facts[measure][role] for role in ROLES if facts[measure][role]["count"]}
    if any(len(each["bins"]) != len(edges) - 1 for each in roles.values()):
        raise ValueError("bins and edges do not fit")
    return ExampleSimilarities(
        system,
        measure,
        edges,
        {role: tuple(100 * number / one["count"] for number in one["bins"]) for role, one in roles.items()},
        {role: float(one["mean"]) for role, one in roles.items()},
        {role: int(one["count"]) for role, one in roles.items()},
    )


def example_picture(one: ExampleSimilarities) -> Markup:
    """Histograms of positives and negatives, in one panel."""
    drawn = [
        Histogram(
            shares,
            one.means[role],
            f"kind-{ROLES[role]}",
            f"{role}: mean {one.means[role]:.3f} over {one.counts[role]:,}",
        )
        for role, shares in one.shares.items()
    ]
    x_ticks = [(tick, tick_text(tick)) for tick in ticks(one.edges[0], one.edges[-1])]
    highest = max(max(shares) for shares in one.shares.values())
    name = f"{one.label} of anchors with positives and negatives, {one.system}"
    return histogram_picture(name, one.label, one.edges, drawn, x_ticks, highest)


def uniformities(runs: Sequence[Run]) -> dict[Group, tuple[float, float]]:
    """(uniformity, alignment) of each system's view, means over its seeds."""
    found = {}
    for group in groups(runs):
        both = [values(runs, *group, metric) for metric in (UNIFORMITY, ALIGNMENT)]
        if all(both):
            found[group] = (summary(both[0])[0], summary(both[1])[0])
    return found


def uniformity_picture(found: Mapping[Group, tuple[float, float]], colours: Mapping[str, int]) -> Markup:
    """Alignment against uniformity (Wang & Isola 2020), a named dot an embedding: in both, less is better."""
    dots = [
        Dot(at, style(group, colours), f"{title(*group)}: uniformity {at[0]:.3f}, alignment {at[1]:.4f}",
            title(*group))
        for group, at in found.items()
    ]  # fmt: skip
    return plane_picture("Alignment against uniformity", ("uniformity ↓", "alignment ↓"), dots=dots)
