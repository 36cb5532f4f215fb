"""STS-B against PAWS-Wiki over the weight of the structural part of the joint vector.

The joint vector is [r; w v] of length 1, r the rest and v the structural part, both of length 1: the sketch
of the tree, or the structural vector of ``synsem``. The joint cosine of a pair is (cos r + w^2 cos v) /
(1 + w^2), so the scores that evaluation kept at one weight give those at any other: no model runs again.
A weight that grows with the sentence (``synsem.growth``) has no such rule: its line has its two ends alone.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from pipeline.core.metrics import average_precision, spearman
from pipeline.evaluation.compare import Scores
from pipeline.params import Params
from pipeline.report.figures.plane import Dot, Line, plane_picture
from pipeline.report.inputs import CONTROLS, JOINT, PAIRWISE, Run, first_seeds

Floats = NDArray[np.float64]
STS, PAWS = ("stsb.test", "spearman"), ("paws.test", "ap")
WEIGHTS = tuple(step / 10 for step in range(11))
_STRUCTURAL, _SEMANTIC = "structural", "semantic"


class Tradeoff(NamedTuple):
    """One system: ``points`` are (weight, STS-B, PAWS-Wiki), ascending; ``own`` is the one of its weight."""

    system: str
    part: str  # what is weighed, and how
    points: tuple[tuple[float, float, float], ...]
    own: tuple[float, float, float]


def tradeoffs(runs: Sequence[Run], params: Params) -> list[Tradeoff]:
    """The first seed of every system whose joint vector has a structural part and that was judged on both."""
    found = []
    for run in first_seeds(runs):
        by_task = [
            {view: one for (view, *rest), one in run.samples.items() if tuple(rest) == task}
            for task in (STS, PAWS)
        ]
        weighed = _weighed(by_task[0], params)
        if weighed is None or not all(JOINT in each for each in by_task):
            continue
        part, own = weighed
        gold = [each[JOINT].gold for each in by_task]
        joint = (own, *_judged(gold, [each[JOINT].score for each in by_task]))
        if _STRUCTURAL in by_task[0] and params.synsem.growth:
            none = _judged(gold, [each[_SEMANTIC].score for each in by_task])
            found.append(
                Tradeoff(run.system, f"{part}, more in a long sentence", ((0.0, *none), joint), joint)
            )
            continue
        parts = [split(each, own) for each in by_task]
        curve = [
            (weight, *_judged(gold, [joint_score(*each, weight) for each in parts])) for weight in WEIGHTS
        ]
        found.append(Tradeoff(run.system, part, tuple(curve), joint))
    return found


def _judged(gold: Sequence[Floats], score: Sequence[Floats]) -> tuple[float, float]:
    return spearman(gold[0], score[0]), average_precision(gold[1], score[1])


def _weighed(views: Mapping[str, Scores], params: Params) -> tuple[str, float] | None:
    """What is weighed in the joint view, and its weight; None where there is no such part."""
    if _STRUCTURAL in views:
        return "structural vector", params.synsem.weight
    sketch = params.encoder.sketch
    return None if sketch is None or not sketch.weight else ("sketch", sketch.weight)


def split(views: Mapping[str, Scores], weight: float) -> tuple[Floats, Floats]:
    """Cosines of the rest and of the structural part, float64 [n] each, from those of the views.

    The sketch is no view of its own: its cosine is what the joint one, of ``weight``, has beside the mean of
    the others.
    """
    joint = views[JOINT].score
    if _STRUCTURAL in views:
        return views[_SEMANTIC].score, views[_STRUCTURAL].score
    others = [
        one.score
        for view, one in views.items()
        if view != JOINT and view not in PAIRWISE and view not in CONTROLS
    ]
    rest: Floats = np.mean(others, axis=0)
    return rest, (joint * (1 + weight**2) - rest) / weight**2


def joint_score(rest: Floats, part: Floats, weight: float) -> Floats:
    """The joint cosine of each pair at another weight, float64 [n]."""
    return (rest + weight**2 * part) / (1 + weight**2)


def tradeoff_picture(found: Sequence[Tradeoff], colours: Mapping[str, int]) -> Markup:
    """A curve a system, from weight 0 to 1, with a dot at each system's own weight."""
    lines, dots = [], []
    for one in found:
        style = f"system-{colours[one.system]}"
        lines.append(
            Line([(x, y) for _, x, y in one.points], style, f"{one.system}: weight of the {one.part}")
        )
        for weight, x, y in (one.points[0], one.points[-1]):
            dots.append(
                Dot((x, y), f"{style} view-late", f"{one.system}, weight {weight:g}: {x:.2f}, {y:.2f}")
            )
        weight, x, y = one.own
        note = f"{one.system}, weight {weight:g}: {x:.2f}, {y:.2f}"
        dots.append(Dot((x, y), style, note, f"{one.system} {weight:g}"))
    labels = ("STS-B, Spearman × 100", "PAWS-Wiki, average precision")
    return plane_picture("STS-B against PAWS-Wiki over the weight", labels, lines, dots)
