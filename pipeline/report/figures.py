"""Draw figures as SVG (``templates/figures.html``): rows of dots, loss curves, trees, histograms and maps.

They need no script and no library, so the page opens without a network. The axis of a histogram is even in
the distance of the unit vectors, sqrt(2 - 2 cos), and labelled with the cosine: variants are so close that an
axis even in the cosine would show them as one bar.
"""

import math
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from pipeline.core.seeding import SEED
from pipeline.report.runs import Group, Run, first_seeds, groups

WIDTH = 340.0  # pixels, of every chart
_LETTER, _LONGEST = 6.4, 26  # pixels of a letter in a wide font; letters of a label at most
Points = Sequence[tuple[float, float]]


def number(value: float) -> str:
    """Return a coordinate with at most one decimal, so that files stay small and equal across machines."""
    text = f"{value:.1f}"
    return "0" if text in ("-0.0", "0.0") else text.removesuffix(".0")


@dataclass(frozen=True)
class Scale:
    """Linear map from data [low, high] to pixels [start, end]."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value; the middle if the data's range has no width."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def path(points: Points, x: Scale, y: Scale) -> str:
    """Return the ``d`` of straight lines through the points."""
    return "M" + "L".join(f"{number(x(a))} {number(y(b))}" for a, b in points)


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Return about ``count`` round numbers (1, 2 or 5 times a power of ten) that span [low, high]."""
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):  # no width worth an axis
        high = low + max(1.0, abs(low))
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(position * step, 10) for position in range(first, last + 1)]


def tick_text(value: float) -> str:
    """Return a tick in few letters: thousands are grouped, and the minus is the page's."""
    return f"{value:,.10g}".replace("-", "−")


TEMPLATES = Environment(
    loader=PackageLoader("pipeline.report"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters |= {"px": number, "tick": tick_text, "path": path}
_FIGURES = TEMPLATES.get_template("figures.html").module


def draw(figure: str, *values: Any) -> Markup:
    """Draw a figure by its macro in the template."""
    return Markup(getattr(_FIGURES, figure)(*values))


def loss_picture(name: str, curves: Sequence[tuple[str, str, Points]]) -> Markup:
    """Draw curves of (run, ``train`` or ``validation``, points); validation is bold, with dots."""
    steps, losses = zip(*(point for _, _, curve in curves for point in curve), strict=True)
    y_ticks = ticks(min(losses), max(losses), 5)
    x, y = Scale(0, max(steps), 46, WIDTH - 12), Scale(y_ticks[0], y_ticks[-1], 210, 12)
    x_ticks = {tick: tick_text(tick) for tick in ticks(0, max(steps), 5) if tick <= max(steps)}
    return draw("loss", name, sorted(curves, key=lambda curve: curve[1]), x, y, x_ticks, y_ticks)


class Mark(NamedTuple):
    """A dot in a row of a chart, with a whisker if its interval is known."""

    value: float
    style: str  # classes that colour it
    note: str  # shown when pointed at
    whisker: tuple[float, ...] | None = None


def rows_picture(
    name: str,
    label: str,
    rows: Mapping[str, Sequence[Mark]],
    reference: float | None,
    ends: Sequence[float] = (),
) -> Markup:
    """Draw rows of marks over one axis, which includes ``ends``, with a dashed line at the reference."""
    marks = [mark for row in rows.values() for mark in row]
    spans = [*ends, *(end for mark in marks for end in (mark.value, *(mark.whisker or ())))]
    axis, most = ticks(min(spans), max(spans)), max(map(len, rows.values()))
    left = 14 + _LETTER * min(_LONGEST, max(map(len, rows)))
    x = Scale(axis[0], axis[-1], left, WIDTH - (58 if most == 1 else 14))
    return draw("rows", name, label, rows, reference, x, axis, 24 if most == 1 else 12 + 4 * most, most == 1)


def tree_picture(row: Mapping[str, Any], marked: Collection[int] = ()) -> Markup:
    """Draw a tree as arcs over its words; ``marked`` words (0-based) and their arcs are set off."""
    labels = list(zip(row["words"], row["upos"], row["deprels"], strict=True))
    widths = [max(_width(form), _width(tag, 6.2), _width(deprel, 5.4)) + 18 for form, tag, deprel in labels]
    ends, levels = list(accumulate(widths, initial=4.0)), arc_levels(row["heads"])
    x = [start + width / 2 for start, width in zip(ends, widths, strict=False)]
    roof = max(levels) + 1  # the root's arrow comes from above all arcs
    base = 12 + 21 * roof
    words = [
        {
            "form": form,
            "tag": tag,
            "deprel": deprel,
            "x": x[word],
            "head": x[head - 1] if head else None,
            "top": base - 21 * (levels[word] or roof),
            "mark": " marked" if word in marked else "",
        }
        for word, ((form, tag, deprel), head) in enumerate(zip(labels, row["heads"], strict=True))
    ]
    return draw("tree", words, ends[-1] + 4, base)


def _width(text: str, em: float = 7.4) -> float:
    """Return a rough width in pixels: wide East Asian characters count twice, combining marks nothing."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return em * (len(text) + wide - sum(bool(unicodedata.combining(char)) for char in text))


def arc_levels(heads: Sequence[int]) -> list[int]:
    """Return the height of each word's arc: one more than the highest that it spans; 0 for the root."""
    ends = [(*sorted((head - 1, word)), word) for word, head in enumerate(heads) if head]
    levels = [0] * len(heads)
    placed: list[tuple[int, int, int]] = []
    for left, right, word in sorted(ends, key=lambda arc: (arc[1] - arc[0], arc)):  # short arcs first
        inside = [level for start, stop, level in placed if left <= start and stop <= right]
        levels[word] = 1 + max(inside, default=0)
        placed.append((left, right, levels[word]))
    return levels


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
            pairs = {kind: len(one) for kind, one in own.items()}
            found.append(Similarities(group, edges, shares, means, pairs))
    return found


def _distance(cosines: ArrayLike) -> Floats:
    # Rounding may lift a cosine a hair above 1.
    return np.sqrt(np.maximum(2 - 2 * np.asarray(cosines, dtype=np.float64), 0))


def histogram(one: Similarities, page: Sequence[Similarities]) -> Markup:
    """Draw outlined steps and a mark at each mean, cosine 1 on the right, on the axes of the whole page."""
    highest = max(float(shares.max()) for each in page for shares in each.shares.values())
    edges, y_ticks = one.edges.tolist(), ticks(0, highest)
    x, y = Scale(edges[-1], edges[0], 36, WIDTH - 10), Scale(0, y_ticks[-1], 180, 12)
    kinds = []
    for kind, shares in one.shares.items():
        outline, last = f"M{number(x(edges[0]))} {number(y(0))}", number(y(0))
        for edge, share in zip(edges, [*shares, 0.0], strict=True):
            if (height := number(y(share))) != last:  # bins of one height are one line
                outline += f"H{number(x(edge))}V{height}"
                last = height
        note = f"{kind}: mean {one.means[kind]:.3f} over {one.pairs[kind]:,} pairs"
        kinds.append((kind, f"{outline}H{number(x(edges[-1]))}", float(_distance(one.means[kind])), note))
    places = {float(_distance(cosine)): tick_text(cosine) for cosine in _COSINES}
    x_ticks = {at: text for at, text in places.items() if at <= edges[-1]}
    return draw("histogram", f"Similarities of {' '.join(one.group)}", x, y, x_ticks, y_ticks, kinds)


# Joint and sketch have others side by side: another space, and no place on their map.
_MAPPED = ("semantic", "syntactic", "structural")
_PERPLEXITY, _SIZE = 12.0, 520.0


def maps(runs: Sequence[Run]) -> tuple[list[tuple[Run, str, Markup, list[str]]], list[str]]:
    """Draw maps of each system's first seed, by t-SNE and, if umap-learn is installed, by UMAP.

    There is one of the corpus's own sentences and one of each benchmark that has any (SSCP's figures 2, 3);
    each with what it shows and its views. Also return the texts that the marks point into: maps of one task
    show the same sentences, so each text is on the page once and a mark has its number.
    """
    found: list[tuple[Run, str, Markup, list[str]]] = []
    texts: dict[str, int] = {}
    methods = ("t-SNE", "UMAP") if find_spec("umap") else ("t-SNE",)
    for run in first_seeds(runs).values():
        tasks: dict[str, list[dict[str, Any]]] = {}
        for row in run.kept("projection"):
            if row["view"] in _MAPPED:
                tasks.setdefault(row["task"], []).append(row)
        for task, rows in tasks.items():
            # Views of another width live in another space: only those of the first row's width count.
            rows = [row for row in rows if len(row["embedding"]) == len(rows[0]["embedding"])]
            if len(rows) < 4:
                continue
            for row in rows:
                texts.setdefault(row["text"], len(texts))
            views = list(dict.fromkeys(row["view"] for row in rows))
            found += [
                (run, f"{task}, {method}", _map(run.name, rows, texts, method), views) for method in methods
            ]
    return found, list(texts)


def _map(name: str, rows: Sequence[Mapping[str, Any]], texts: Mapping[str, int], method: str) -> Markup:
    from threadpoolctl import threadpool_limits

    if method == "UMAP":
        from umap import UMAP

        model = UMAP(min(15, len(rows) - 1), metric="cosine", init="random", random_state=SEED, n_jobs=1)
    else:
        from sklearn.manifold import TSNE

        perplexity = min(_PERPLEXITY, (len(rows) - 1) / 3)
        model = TSNE(perplexity=perplexity, max_iter=500, metric="cosine", init="random", random_state=SEED)
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
