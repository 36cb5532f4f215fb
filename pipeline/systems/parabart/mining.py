"""Training examples of ``parabart``: a source and its paraphrase."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pipeline.mining.filter import Example
from pipeline.mining.inputs import Inputs
from pipeline.mining.pairs import paraphrase_examples


def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]:
    """Yield the training examples. See ``paraphrase_examples``."""
    return paraphrase_examples(inputs, params.mine, dropped)
