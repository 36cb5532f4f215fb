"""Training examples of alternations.

Rules reword the sentences of a corpus. What is rare there they teach rarely: *before* and *after*,
*bought from* and *sold to*, *taller* and *shorter*, questions. So sentences are made of frames
(``drawn.py``), too.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from pipeline.mining.examples import example
from pipeline.mining.inputs import Row
from pipeline.systems.synsem.alternations.drawn import KIND, drawn_sides


def with_alternations(examples: Iterable[Row], share: float, seed: int) -> Iterator[Row]:
    """The ``examples`` and between them so many of alternations that these are ``share`` of each split's."""
    drawn = drawn_examples(seed)
    owed: dict[str, float] = {}
    for row in examples:
        yield row
        split = row["split"]
        owed[split] = owed.get(split, 0.0) + share / (1 - share)
        whole = int(owed[split])
        owed[split] -= whole
        for each in islice(drawn, whole):
            yield each | {"split": split}


def drawn_examples(seed: int) -> Iterator[Row]:
    """Rows of ``schemas.TRIPLET`` of what ``drawn_sides`` gives for the ``seed``."""
    for name, anchor, same, different in drawn_sides(seed):
        source = anchor | {"sent_id": f"{KIND}:{name}", "split": "train"}
        yield example(source, same, KIND, [(different, KIND)])
