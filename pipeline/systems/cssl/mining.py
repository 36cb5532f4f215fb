"""Training examples of ``cssl``: a tree to learn, and its words in another order (Ray et al. 2024).

Contrasting the two makes a parser robust to word order; the other sentences of the batch are the negatives.
The order stored here is for the development loss, which must be the same each time; training draws another
one each time it reads a sentence. ``cssl.augmentation`` adds rotated trees as anchors (A.1), or rotated and
cropped ones (Sahin & Steedman 2018).
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import seeded_random
from pipeline.mining.filter import IDENTITY, Example, of_sentences
from pipeline.mining.inputs import Inputs, Row
from pipeline.syntax.sentence import Sentence, normalised
from pipeline.syntax.tree import permuted

PERMUTATION = "permutation"


def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]:
    """Yield the training examples; the trees are those of the treebank, if there is one.

    Every sentence is an anchor, because a parser learns from all. Its positive is drawn from its own tree, so
    it does not depend on which variants ``augment`` kept. A sentence without another order, such as a single
    word, is its own positive, of the kind ``identity``.
    """
    added = {"none": (), "rotation": ("rotation",), "rotation_and_cropping": ("rotation", "cropping")}
    wanted = added[params.cssl.augmentation]

    def make(sentence: Row, variants: list[Row], dropped: Counter[str]) -> Iterator[Example]:
        rng = seeded_random(0, PERMUTATION, sentence["text"])
        other = permuted(Sentence.from_row(sentence), rng, params.cssl.contrast == "subtrees")
        same = other is None or normalised(other.text) == normalised(sentence["text"])
        positive, kind = (sentence, IDENTITY) if other is None or same else (vars(other), PERMUTATION)
        yield Example(sentence, positive, kind)
        for variant in variants if sentence["split"] == "train" else ():
            anchor = sentence | variant
            if variant["transformation"] not in wanted:
                continue
            if variant["transformation"] == "rotation":
                # The same positive as the sentence's: two examples that share a text never share a batch.
                yield Example(anchor, positive, kind)
            else:
                yield Example(anchor, variant, IDENTITY)

    gold = inputs.gold()
    if params.cssl.treebank and inputs.treebank and gold is inputs:
        raise SynsemError(f"{inputs.treebank}: has no trees of cssl.treebank; run python -m stages.treebank")
    return of_sentences(make, gold, params.mine, dropped)
