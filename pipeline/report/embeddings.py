"""What the embeddings look like: a map of some test sentences, and histograms of their similarities.

The axis of a histogram is even in the distance of the unit vectors, sqrt(2 - 2 cos), and labelled with the
cosine: variants are so close that an axis even in the cosine would show them as one bar.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from pipeline.report.figures import WIDTH, Scale, draw, number, path, tick_text, ticks
from pipeline.report.results import SEED
from pipeline.report.runs import Group, Run, first_seeds, groups

Floats = NDArray[np.float64]
KINDS = ("random", "different", "same")  # of pairs; drawn in this order, the last on top
_BIN = 0.05  # of distance
_COSINES = (-0.5, 0.0, 0.5, 0.8, 0.9, 0.99, 1.0)  # ticks


@dataclass(frozen=True)
class Similarities:
    """How similar pairs of sentences are under one embedding, all seeds pooled, by kind of pair."""

    group: Group
    edges: Floats  # distances, ascending [bins + 1], the same for every histogram of a page
    shares: Mapping[str, Floats]  # percent of the pairs in each bin
    means: Mapping[str, float]  # mean cosine
    pairs: Mapping[str, int]


def similarities(runs: Sequence[Run]) -> list[Similarities]:
    """Return the histograms of every embedding that kept similarities, in the order of the runs."""
    pooled: dict[Group, dict[str, list[float]]] = {group: {} for group in groups(runs)}
    for run in runs:
        for row in run.kept("similarities"):
            pooled[run.system, row["view"]].setdefault(row["kind"], []).append(row["similarity"])
    farthest = max((_distance(own).max() for kinds in pooled.values() for own in kinds.values()), default=0)
    edges = np.arange(np.ceil(max(1.5, farthest) / _BIN) + 1) * _BIN
    found = []
    for group, kinds in pooled.items():
        if own := {kind: np.array(kinds[kind]) for kind in KINDS if kind in kinds}:
            shares = {
                kind: 100 * np.histogram(_distance(one), edges)[0] / len(one) for kind, one in own.items()
            }
            means = {kind: float(one.mean()) for kind, one in own.items()}
            found.append(
                Similarities(group, edges, shares, means, {kind: len(one) for kind, one in own.items()})
            )
    return found


def _distance(cosines: ArrayLike) -> Floats:
    # Rounding may lift a cosine a hair above 1.
    return np.sqrt(np.maximum(2 - 2 * np.asarray(cosines, dtype=np.float64), 0))


def histogram(one: Similarities, beside: Sequence[Similarities]) -> Markup:
    """Draw outlined steps over bins, with a mark at each mean; cosine 1 is on the right.

    Those ``beside`` it share its axes.
    """
    highest = max(float(shares.max()) for each in beside for shares in each.shares.values())
    edges, y_ticks = one.edges.tolist(), ticks(0, highest)
    x, y = Scale(edges[-1], edges[0], 36, WIDTH - 10), Scale(0, y_ticks[-1], 180, 12)
    places = {float(_distance(cosine)): tick_text(cosine) for cosine in _COSINES}
    kinds = []
    for kind, shares in one.shares.items():
        outline, last = f"M{number(x(edges[0]))} {number(y(0))}", number(y(0))
        for edge, share in zip(edges, [*shares, 0.0], strict=True):
            if (height := number(y(share))) != last:  # bins of one height are one line
                outline += f"H{number(x(edge))}V{height}"
                last = height
        note = f"{kind}: mean {one.means[kind]:.3f} over {one.pairs[kind]:,} pairs"
        kinds.append((kind, f"{outline}H{number(x(edges[-1]))}", float(_distance(one.means[kind])), note))
    x_ticks = {at: text for at, text in places.items() if at <= edges[-1]}
    return draw("histogram", f"Similarities of {' '.join(one.group)}", x, y, x_ticks, y_ticks, kinds)


# The joint view has the two others side by side: another space, and no place on their map.
_MAPPED = ("semantic", "syntactic", "structural")
_PERPLEXITY, _SIZE = 12.0, 520.0


def maps(runs: Sequence[Run]) -> tuple[list[tuple[Run, Markup, list[str]]], list[str]]:
    """Draw a map of each system's first seed; also return its views, and the texts that the marks point into.

    Every map shows the same sentences, so each text is on the page once and a mark has its number.
    """
    found: list[tuple[Run, Markup, list[str]]] = []
    texts: dict[str, int] = {}
    for run in first_seeds(runs).values():
        rows = [row for row in run.kept("projection") if row["view"] in _MAPPED]
        # Views of another width live in another space: only those of the first row's width are on the map.
        rows = [row for row in rows if len(row["embedding"]) == len(rows[0]["embedding"])]
        if len(rows) >= 4:
            for row in rows:
                texts.setdefault(row["text"], len(texts))
            found.append((run, _map(run.name, rows, texts), list(dict.fromkeys(row["view"] for row in rows))))
    return found, list(texts)


def _map(name: str, rows: Sequence[Mapping[str, Any]], texts: Mapping[str, int]) -> Markup:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    perplexity = min(_PERPLEXITY, (len(rows) - 1) / 3)
    model = TSNE(2, perplexity=perplexity, metric="cosine", init="random", random_state=SEED)
    with threadpool_limits(1):  # so few points gain nothing from threads
        placed = model.fit_transform(np.array([row["embedding"] for row in rows], np.float32)).astype(float)
    x, y = (Scale(axis.min(), axis.max(), 14, _SIZE - 14) for axis in placed.T)
    keys = [(row["view"], row["source_id"]) for row in rows]
    anchors = {
        key: at for key, at, row in zip(keys, placed.tolist(), rows, strict=True) if row["role"] == "anchor"
    }
    ids = {source: number for number, source in enumerate(dict.fromkeys(source for _, source in keys))}
    points = []
    for key, at, row in zip(keys, placed.tolist(), rows, strict=True):
        tie = path([anchors[key], at], x, y) if key in anchors and row["role"] != "anchor" else ""
        marks = {"id": ids[key[1]], "text": texts[row["text"]], "x": x(at[0]), "y": y(at[1]), "tie": tie}
        points.append({**row, **marks})
    return draw("map", name, points, _SIZE)
