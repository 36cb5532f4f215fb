"""Examples for ``simcse``: a sentence is its own positive, encoded twice with dropout (Gao et al. 2021).

With ``mine.simcse: mined`` the examples are those of ``sscp``: supervised SimCSE, one encoder without trees
on the same data. With ``paraphrases`` they are those of ``parabart``.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.mining import paraphrase_pairs, variants
from pipeline.mining.examples import IDENTITY, example
from pipeline.mining.inputs import Embed, Inputs, Row
from pipeline.mining.parts import mine_sentences
from pipeline.params import Mine


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed, workers: int | None = 1) -> Counter[str]:
    """Write ``schemas.TRIPLET`` rows to ``out``; returns counts of what was kept.

    The sentences are those of ``sscp``, so that the two systems differ in method, not in data.
    """
    if params.simcse == "paraphrases":
        return paraphrase_pairs.mine(inputs, out, params, embed, workers)
    if params.simcse == "mined":
        return variants.mine(inputs, out, params, embed, workers)
    return mine_sentences(_itself, inputs, out, params, embed, workers)


def _itself(sentence: Row, variants: list[Row], dropped: Counter[str]) -> Iterator[Row]:
    yield example(sentence, sentence, IDENTITY)
