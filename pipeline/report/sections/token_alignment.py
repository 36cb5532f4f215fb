"""Which tokens of a pair a cross-encoder aligns: a grid for each pair and model, from evaluation's rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipeline.report.figures.svg import element, picture
from pipeline.report.inputs import BACKBONE, Run, first_seeds

_CELL, _LETTER, _RISE = 24.0, 7.2, 0.78  # pixels: a cell, a letter, and how far a slanted letter climbs
_SPACES = ("Ġ", "▁")  # how byte-level and SentencePiece vocabularies write a space


@dataclass(frozen=True)
class Grid:
    """One model's weights, of the tokens of b (columns) for each token of a (rows)."""

    system: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class AlignedPair:
    """Two texts, the transformation that made b of a (``""`` for none), and a grid for each model."""

    a: str
    b: str
    kind: str
    grids: tuple[Grid, ...]


def aligned_pairs(runs: Sequence[Run]) -> list[AlignedPair]:
    """The pairs of the first seed of every system that aligns, the untouched backbone before the trained."""
    found: dict[tuple[str, str, str], list[Grid]] = {}
    for run in first_seeds(runs):
        rows = run.evaluation.get("alignments", [])
        for row in sorted(rows, key=lambda row: row["view"] != BACKBONE):  # stable
            width = len(row["second"])
            weights = [tuple(row["weights"][at : at + width]) for at in range(0, len(row["weights"]), width)]
            grid = Grid(
                BACKBONE if row["view"] == BACKBONE else run.system,
                tuple(_shown(token) for token in row["first"]),
                tuple(_shown(token) for token in row["second"]),
                tuple(weights),
            )
            found.setdefault((row["a"], row["b"], row["kind"]), []).append(grid)
    return [AlignedPair(*key, tuple(grids)) for key, grids in found.items()]


def _shown(token: str) -> str:
    for mark in _SPACES:
        token = token.replace(mark, "")
    return token


def grid_picture(grid: Grid) -> Markup:
    """The more of a row's weight a cell has, the fuller its colour; the tokens of b stand on top, slanted."""
    left = 12 + _LETTER * max(map(len, grid.first), default=0)
    longest = _LETTER * max(map(len, grid.second), default=0)
    top = 14 + _RISE * longest
    drawn = [
        element(
            "text",
            token,
            class_="label",
            transform=f"translate({left + _CELL * (column + 0.6):.1f} {top - 6:.1f}) rotate(-50)",
        )
        for column, token in enumerate(grid.second)
    ]
    for row, (token, weights) in enumerate(zip(grid.first, grid.weights, strict=True)):
        y = top + _CELL * row
        drawn.append(element("text", token, class_="label", x=left - 8, y=y + 16, text_anchor="end"))
        for column, (other, weight) in enumerate(zip(grid.second, weights, strict=True)):
            drawn.append(
                element(
                    "rect",
                    element("title", f"{token} → {other}: {weight:.2f}"),
                    class_="cell",
                    x=left + _CELL * column,
                    y=y,
                    width=_CELL - 2,
                    height=_CELL - 2,
                    rx=3.0,
                    fill_opacity=f"{0.05 + 0.95 * weight:.2f}",
                )
            )
    width = left + _CELL * len(grid.second) + 0.7 * longest
    height = top + _CELL * len(grid.first) + 4
    label = f"Alignment of {' '.join(grid.first)} with {' '.join(grid.second)}, {grid.system}"
    return picture(width, height, label, *drawn, natural=True)
