"""Examples for ``cssl``: a tree to learn, and its words in another order (Ray et al. 2024).

Contrasting the two makes a parser robust to word order; the other sentences of the batch are the negatives.
The order stored here serves development, where a loss must be the same each time; training draws another one
each time it reads a sentence. ``mine.cssl.augmentation`` adds rotated trees as anchors (A.1), or rotated and
cropped ones (Sahin & Steedman 2018).
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.seeding import seeded_random
from pipeline.mining.examples import IDENTITY, distinct, example, side
from pipeline.mining.inputs import Embed, Inputs, Row, with_variants
from pipeline.mining.output import write_examples
from pipeline.params import Mine
from pipeline.syntax.sentence import Side, normalised
from pipeline.systems.cssl.permutation import permuted

PERMUTATION = "permutation"


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept.

    Every sentence is an anchor, because a parser learns from all. Its positive is drawn from its own tree, so
    it does not depend on which variants ``augment`` kept. A sentence without another order, such as a single
    word, is its own positive, of the kind ``identity``. Where there is a treebank, its trees replace those of
    the corpus.
    """
    inputs = inputs.gold()
    dropped: Counter[str] = Counter()
    return write_examples(_examples(inputs, params, dropped), inputs, out, params, embed, dropped)


def _examples(inputs: Inputs, params: Mine, dropped: Counter[str]) -> Iterator[Row]:
    wanted = {"none": (), "rotation": ("rotation",), "rotation_and_cropping": ("rotation", "cropping")}
    added = wanted[params.cssl.augmentation]
    for sentence, variants in distinct(with_variants(inputs), params, dropped):
        other = permuted(Side.from_row(sentence), seeded_random(0, PERMUTATION, sentence["text"]))
        same = other is None or normalised(other.text) == normalised(sentence["text"])
        positive, kind = (sentence, IDENTITY) if other is None or same else (other._asdict(), PERMUTATION)
        yield example(sentence, positive, kind)
        for variant in variants if sentence["split"] == "train" else ():
            if variant["transformation"] not in added:
                continue
            if variant["transformation"] == "rotation":
                # The same positive as the sentence's: two examples that share a text never share a batch.
                yield example(sentence | side(variant), positive, kind)
            else:
                yield example(sentence | side(variant), variant, IDENTITY)
