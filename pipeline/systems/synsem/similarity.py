"""Joint vectors: the weight of structure in them, and how alike two are, without reading a text again.

An exported model carries a copy of this file, so it imports nothing of SynSem.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
# Beyond this semantic cosine only structure counts, times the weight. Chosen on development data: STS-B, QQP,
# PAWS-Wiki and spent contrast sets.
CEILING, STRUCTURE = 0.9, 0.03
# Beyond it nothing of the semantic part is left in float32, and soon nothing of a vector.
_MAX_WEIGHT = 1_000_000


def check_weight(weight: float) -> float:
    """Return a weight of the structural vector in the joint one; ValueError if it is out of range."""
    if not 0 <= weight <= _MAX_WEIGHT:
        raise ValueError(f"weight: {weight} is not a number from 0 to {_MAX_WEIGHT:,}, such as 0.55")
    return float(weight)


def saturated(semantic: Floats, structural: Floats) -> Floats:
    """Return (min(c, 0.9) + 0.03 s) / 0.93, [n], of two cosines: 1 for equal texts that have structure.

    Up to a cosine of 0.9 the topic decides, beyond it the structure: no single weight is right for both.
    """
    return (np.minimum(semantic, CEILING) + STRUCTURE * structural) / (CEILING + STRUCTURE)


def similarity(a: Floats, b: Floats, width: int | None) -> Floats:
    """Return how alike vectors [..., D] are, [...], row by row: ``saturated`` if they are joint.

    The first ``width`` dimensions of joint vectors are semantic; None: the cosine of other vectors. A part
    that is zero has cosine 0.
    """
    parts = [
        np.split(np.asarray(each, dtype=np.float64), [width or each.shape[-1]], axis=-1) for each in (a, b)
    ]
    cosines = []
    for x, y in zip(*parts, strict=True):
        lengths = np.linalg.norm(x, axis=-1) * np.linalg.norm(y, axis=-1)
        cosines.append(((x * y).sum(axis=-1) / np.maximum(lengths, 1e-12)).clip(-1, 1))
    return saturated(*cosines) if width else cosines[0]
