"""Maps by t-SNE: circles are semantic, triangles syntactic or structural views (SSCP, figures 2 and 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from pipeline.params import Report
from pipeline.report.figures.svg import Scale, element, number, path, picture
from pipeline.report.inputs import Run, first_seeds

# The joint view is the two side by side: another space, and no map of its own.
SHOWN_VIEWS = ("semantic", "syntactic", "structural")
ROLES = ("anchor", "variant", "negative")
_SIZE, _MARGIN = 520.0, 14.0


@dataclass(frozen=True)
class Point:
    """One embedded sentence on the map."""

    x: float
    y: float
    view: str
    role: str
    source_id: str
    transformation: str
    text: str


def maps(runs: Sequence[Run], params: Report) -> tuple[list[tuple[str, Markup, list[str]]], list[str]]:
    """Name, map and views of the first seed of every system; and the texts that the marks point into.

    Every map shows the same sentences: each text stands on the page once, and a mark has its number.
    """
    found = []
    texts: dict[str, int] = {}
    for run in first_seeds(runs):
        points = map_points(run.evaluation.get("projection", []), params)
        if points:
            views = list(dict.fromkeys(point.view for point in points))
            found.append((run.name, map_picture(run.name, points, texts), views))
    return found, list(texts)


def map_points(rows: Sequence[Mapping[str, Any]], params: Report) -> list[Point]:
    """Rows of ``projection.arrow`` to points, both views on one map where they share a space.

    Empty where there are fewer than four embeddings. A small sample lowers the perplexity: it must stay below
    the number of points.
    """
    shown = [row for row in rows if row["view"] in SHOWN_VIEWS]
    # Views of another width live in another space: only those of the first row's width go on the map.
    shown = [row for row in shown if len(row["embedding"]) == len(shown[0]["embedding"])]
    if len(shown) < 4:
        return []
    vectors = np.asarray([row["embedding"] for row in shown], dtype=np.float32)
    return [
        Point(
            float(x), float(y), row["view"], row["role"], row["source_id"], row["transformation"], row["text"]
        )
        for (x, y), row in zip(_tsne(vectors, params), shown, strict=True)
    ]


def _tsne(vectors: NDArray[np.float32], params: Report) -> NDArray[np.float32]:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    perplexity = min(params.tsne_perplexity, (len(vectors) - 1) / 3)
    model = TSNE(2, perplexity=perplexity, metric="cosine", init="random", random_state=params.seed)
    with threadpool_limits(1):  # so few points gain nothing from threads
        placed: NDArray[np.float32] = model.fit_transform(vectors)
    return placed


def map_picture(name: str, points: Sequence[Point], texts: dict[str, int]) -> Markup:
    """The map; a faint line joins an anchor with each of its variants and negatives, within a view.

    Texts that ``texts`` lacks are added to it, with the next number.
    """
    x = _scale([point.x for point in points])
    y = _scale([point.y for point in points])
    anchors = {(point.view, point.source_id): point for point in points if point.role == "anchor"}
    ids: dict[str, str] = {}
    for point in points:
        ids.setdefault(point.source_id, str(len(ids)))
    lines = [
        element(
            "path",
            class_=f"tie {point.role}",
            data_id=ids[point.source_id],
            d=path([(x(anchor.x), y(anchor.y)), (x(point.x), y(point.y))]),
        )
        for point in points
        if point.role != "anchor" and (anchor := anchors.get((point.view, point.source_id)))
    ]
    order = sorted(points, key=lambda point: -ROLES.index(point.role) if point.role in ROLES else 0)
    marks = [
        _mark(point, x(point.x), y(point.y), ids[point.source_id], texts.setdefault(point.text, len(texts)))
        for point in order
    ]
    return picture(_SIZE, _SIZE, f"Map of {name}", *lines, *marks, class_="figure map")


def _scale(values: Sequence[float]) -> Scale:
    return Scale(min(values), max(values), _MARGIN, _SIZE - _MARGIN)


def _mark(point: Point, x: float, y: float, source: str, text: int) -> Markup:
    role = point.role if point.role in ROLES else "other"
    what = f"{point.view} {point.role}" + (f", {point.transformation}" if point.transformation else "")
    common = {
        "class_": f"mark {role}",
        "data_id": source,
        "data_text": str(text),
    }
    # Anchors are small and on top, so that a variant in the same place still shows around them.
    size = 3.6 if role == "anchor" else 6.0
    if point.view != SHOWN_VIEWS[0]:
        top, side, base = y - 1.25 * size, 1.1 * size, 1.9 * size
        shape = f"M{number(x)} {number(top)}l{number(side)} {number(base)}h{number(-2 * side)}Z"
        return element("path", element("title", what), d=shape, **common)
    return element("circle", element("title", what), cx=x, cy=y, r=size, **common)
