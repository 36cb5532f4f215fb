"""Training examples of ``sscp``: sentences with variants, paraphrases and hard negatives."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pipeline.mining.build import contrastive
from pipeline.mining.filter import Example
from pipeline.mining.inputs import Inputs


def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]:
    """Yield the training examples. See ``contrastive``."""
    return contrastive(inputs, params.mine, params.mine.identity, dropped)
