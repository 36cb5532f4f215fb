"""Training examples of ``sscp``: sentences with variants, paraphrases and hard negatives."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pipeline.mining.build import contrastive
from pipeline.mining.filter import Example
from pipeline.mining.inputs import Inputs


def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]:
    """Yield the training examples, with hard negatives if ``sscp.hard_negatives`` is set.

    See ``contrastive``. A sentence without a variant is paired with itself, which the other encoder reads
    with its tree: a "dependency-enriched version" (section 5.1).
    """
    mine = params.mine
    if not params.sscp.hard_negatives:
        mine = mine.model_copy(update={"hard_negatives": 0, "overlap_negatives": 0})
    return contrastive(inputs, mine, dropped)
