"""Examples for ``simcse``: a sentence is its own positive, told apart by dropout (Gao et al. 2021).

With ``mine.simcse: mined`` they are those of ``sscp``, mined positives and hard negatives: the supervised
variant, and one encoder without trees on the very data that ``sscp`` learns from. With ``paraphrases`` they
are those of ``parabart``.
"""

from collections import Counter
from pathlib import Path

from pipeline.mining import parabart, sscp
from pipeline.mining.examples import distinct, example
from pipeline.mining.inputs import Inputs, with_variants
from pipeline.mining.output import write_examples
from pipeline.mining.similarity import IDENTITY
from pipeline.mining.texts import Embed
from pipeline.params import Mine


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept.

    The sentences are those of ``sscp``, so that the two systems differ in method and not in data.
    """
    if params.simcse == "paraphrases":
        return parabart.mine(inputs, out, params, embed)
    if params.simcse == "mined":
        return sscp.mine(inputs, out, params, embed)
    dropped: Counter[str] = Counter()
    sentences = distinct(with_variants(inputs), params, dropped)
    examples = (example(sentence, sentence, IDENTITY) for sentence, _ in sentences)
    return write_examples(examples, inputs, out, params, embed, dropped)
