"""Easy negatives first: how hard a negative may be is a function of the step, so a resumed run agrees."""

from collections.abc import Sequence

from pipeline.params import Train
from pipeline.systems.base import Batch


def allowed_hardness(step: int, params: Train) -> float | None:
    """The largest ``negative_hardness`` of a step (0-based); None where every negative is allowed."""
    if params.curriculum is None:
        return None
    done = step / (params.curriculum.until * params.steps)
    if done >= 1:
        return None
    return params.curriculum.start + (1 - params.curriculum.start) * done


def values(hardest: float | None, update: Sequence[Batch]) -> dict[str, float]:
    """What to log of a step while the curriculum lasts: the hardness allowed, and the negatives left."""
    if hardest is None:
        return {}
    return {"hardness": hardest, "negatives": float(sum(len(batch.negatives) for batch in update))}
