"""Which shapes, sequences of parts of speech, are kept for evaluation (Liu et al. 2019, section 4.1).

The paper groups sentences by shape, draws some of the groups, and keeps these whole out of training. Here a
shape's own name decides, so that mining and evaluation agree in every corpus and language, and a corpus may
grow without a shape changing sides.
"""

from collections.abc import Sequence

from pipeline.seeding import rank

SHARE = 0.1  # of all shapes


def held_out(upos: Sequence[str]) -> bool:
    """Whether no training example of ``upos`` may have this shape, and sentences of it are judged."""
    return rank(0, "shape", *upos) < SHARE * 2**64
