"""Examples for ``simcse``: a sentence is its own positive, encoded twice with dropout (Gao et al. 2021).

With ``mine.simcse: mined`` the examples are those of ``sscp``: supervised SimCSE, one encoder without trees
on the same data. With ``paraphrases`` they are those of ``parabart``.
"""

from collections import Counter
from pathlib import Path

from pipeline.mining import paraphrase_pairs, variants
from pipeline.mining.examples import IDENTITY, distinct, example
from pipeline.mining.inputs import Embed, Inputs, with_variants
from pipeline.mining.output import write_examples
from pipeline.params import Mine


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept.

    The sentences are those of ``sscp``, so that the two systems differ in method, not in data.
    """
    if params.simcse == "paraphrases":
        return paraphrase_pairs.mine(inputs, out, params, embed)
    if params.simcse == "mined":
        return variants.mine(inputs, out, params, embed)
    dropped: Counter[str] = Counter()
    sentences = distinct(with_variants(inputs), params, dropped)
    examples = (example(sentence, sentence, IDENTITY) for sentence, _ in sentences)
    return write_examples(examples, inputs, out, params, embed, dropped)
