"""How like their anchors the examples' positives and negatives are, from mining's ``similarity.json``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipeline.errors import SynsemError
from pipeline.report.inputs import read_facts
from pipeline.report.steps import Steps, steps_picture
from pipeline.report.svg import ticks

SIDES = {"negative": "different", "positive": "same"}  # what is drawn in which colour, the telling one on top
MEASURES = {"overlap": "word overlap (Jaccard)", "cosine": "cosine, backbone untouched"}


@dataclass(frozen=True)
class Spread:
    """One system's examples by one measure: percent of the positives and of the negatives in each bin."""

    system: str
    measure: str
    edges: tuple[float, ...]
    shares: Mapping[str, tuple[float, ...]]  # side -> percent by bin; a side without an example is absent
    means: Mapping[str, float]
    counts: Mapping[str, int]

    @property
    def label(self) -> str:
        """The measure in words."""
        return MEASURES[self.measure]


def spreads(triplets: Path, systems: Sequence[str]) -> list[Spread]:
    """Every system's distributions that mining left, overlap before cosine."""
    found = []
    for system in systems:
        path = triplets / system / "similarity.json"
        facts = read_facts(path)
        for measure in MEASURES if facts else ():
            try:
                spread = _spread(system, measure, facts or {})
            except (KeyError, TypeError, ValueError) as error:
                raise SynsemError(
                    f"{path}: not the distributions that mining writes ({type(error).__name__}: {error}); "
                    "run `synsem mine` again"
                ) from error
            if spread.shares:
                found.append(spread)
    return found


def _spread(system: str, measure: str, facts: Mapping[str, Any]) -> Spread:
    edges = tuple(float(edge) for edge in facts["edges"])
    sides = {side: facts[measure][side] for side in SIDES if facts[measure][side]["count"]}
    if any(len(one["bins"]) != len(edges) - 1 for one in sides.values()):
        raise ValueError("bins and edges do not fit")
    return Spread(
        system,
        measure,
        edges,
        {side: tuple(100 * number / one["count"] for number in one["bins"]) for side, one in sides.items()},
        {side: float(one["mean"]) for side, one in sides.items()},
        {side: int(one["count"]) for side, one in sides.items()},
    )


def spread_picture(spread: Spread) -> Markup:
    """Outlined steps for positives and negatives, with a mark at each mean."""
    drawn = [
        Steps(
            shares,
            spread.means[side],
            f"kind-{SIDES[side]}",
            f"{side}: mean {spread.means[side]:.3f} over {spread.counts[side]:,}",
        )
        for side, shares in spread.shares.items()
    ]
    x_ticks = [(tick, f"{tick:g}") for tick in ticks(spread.edges[0], spread.edges[-1])]
    highest = max(max(shares) for shares in spread.shares.values())
    name = f"{spread.label} of anchors with positives and negatives, {spread.system}"
    return steps_picture(name, spread.label, spread.edges, drawn, x_ticks, highest)
