"""Training examples of ``simcse``: a sentence is its own positive, read twice (Gao et al. 2021).

With ``simcse.positives: variants`` the examples are those of ``sscp`` with hard negatives: supervised SimCSE,
one encoder without trees on the same data. With ``paraphrases`` they are those of ``parabart``.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pipeline.mining.build import contrastive
from pipeline.mining.filter import IDENTITY, Example, of_sentences
from pipeline.mining.inputs import Inputs
from pipeline.mining.pairs import paraphrase_examples


def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]:
    """Yield the training examples, of the same sentences as those of ``sscp``."""
    if params.simcse.positives == "paraphrases":
        return paraphrase_examples(inputs, params.mine, dropped)
    if params.simcse.positives == "variants":
        return contrastive(inputs, params.mine, dropped)
    return of_sentences(lambda row, *_: iter([Example(row, row, IDENTITY)]), inputs, params.mine, dropped)
