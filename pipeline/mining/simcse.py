"""Examples for ``simcse``: a sentence is its own positive, told apart by dropout (Gao et al. 2021)."""

from collections import Counter
from pathlib import Path

from pipeline.mining.examples import distinct, example, with_variants, write_examples
from pipeline.mining.near import Embed
from pipeline.params import Mine


def mine(parsed: Path, augmented: Path, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept. ``embed`` is not asked.

    The sentences are those of ``sscp``, so that the two systems differ in method and not in data.
    """
    dropped: Counter[str] = Counter()
    sentences = distinct(with_variants(parsed, augmented), params, dropped)
    examples = (example(sentence, sentence, "identity") for sentence, _ in sentences)
    return write_examples(out, examples, params, dropped)
