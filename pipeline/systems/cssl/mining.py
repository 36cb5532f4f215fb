"""Examples for ``cssl``: a tree to learn, and its words in another order (Ray et al. 2024).

Contrasting the two makes a parser robust to word order; the other sentences of the batch are the negatives.
``mine.cssl.augmentation`` adds rotated and cropped trees as anchors (Sahin & Steedman 2018).
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.mining.examples import IDENTITY, distinct, example, side
from pipeline.mining.inputs import Embed, Inputs, Row, with_variants
from pipeline.mining.output import write_examples
from pipeline.params import Mine
from pipeline.syntax.sentence import normalised


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept.

    Every sentence is an anchor, because a parser learns from all. A sentence without a permutation is its own
    positive, of the kind ``identity``. Where there is a treebank, its trees replace those of the corpus.
    """
    inputs = inputs.gold()
    dropped: Counter[str] = Counter()
    return write_examples(_examples(inputs, params, dropped), inputs, out, params, embed, dropped)


def _examples(inputs: Inputs, params: Mine, dropped: Counter[str]) -> Iterator[Row]:
    for sentence, variants in distinct(with_variants(inputs), params, dropped):
        orders = [variant for variant in variants if _reorders(variant, sentence)]
        orders.sort(key=lambda variant: variant["transformation"] != "permutation")
        best = orders[0] if orders else None
        kind = best["transformation"] if best else IDENTITY
        yield example(sentence, best or sentence, kind)
        if not params.cssl.augmentation or sentence["split"] != "train":
            continue
        for variant in variants:
            if variant["transformation"] == "rotation":
                yield example(sentence | side(variant), best or variant, kind)
            elif variant["transformation"] == "cropping":
                yield example(sentence | side(variant), variant, IDENTITY)


def _reorders(variant: Row, sentence: Row) -> bool:
    """Whether a variant has exactly the words of the sentence, in another order."""
    if variant["meaning"] != "order" or normalised(variant["text"]) == normalised(sentence["text"]):
        return False
    return sorted(variant["alignment"]) == list(range(1, len(sentence["words"]) + 1))
