"""Examples for ``cssl``: a tree to learn, and its words in another order (Ray et al. 2024).

Contrasting the two makes a parser robust to word order; the other sentences of the batch are the negatives.
The order stored here serves development, where a loss must be the same each time; training draws another one
each time it reads a sentence. ``mine.cssl.augmentation`` adds rotated trees as anchors (A.1), or rotated and
cropped ones (Sahin & Steedman 2018).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pipeline.core.seeding import seeded_random
from pipeline.mining.examples import IDENTITY, example, side
from pipeline.mining.inputs import Embed, Inputs, Row
from pipeline.mining.parts import mine_sentences
from pipeline.params import Mine
from pipeline.syntax.sentence import Side, normalised
from pipeline.systems.cssl.permutation import permuted

PERMUTATION = "permutation"


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed, workers: int | None = 1) -> Counter[str]:
    """Write ``schemas.TRIPLET`` rows to ``out``; returns counts of what was kept.

    Every sentence is an anchor, because a parser learns from all. Its positive is drawn from its own tree, so
    it does not depend on which variants ``augment`` kept. A sentence without another order, such as a single
    word, is its own positive, of the kind ``identity``. Where there is a treebank, its trees replace those of
    the corpus.
    """
    wanted = {"none": (), "rotation": ("rotation",), "rotation_and_cropping": ("rotation", "cropping")}
    make = partial(_examples, wanted[params.cssl.augmentation])
    return mine_sentences(make, inputs.gold(), out, params, embed, workers)


def _examples(
    added: Sequence[str], sentence: Row, variants: list[Row], dropped: Counter[str]
) -> Iterator[Row]:
    """The examples of one sentence; ``added`` are the transformations whose trees are anchors, too."""
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
