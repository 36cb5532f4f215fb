"""Task ``word_order``: does a parser still find the tree when the words stand in another order?

Every test sentence that has a permutation which keeps its tree is parsed twice, as it stands and permuted
(Ray et al. 2024). Where a treebank's test set has parts (STBC: one text as prose and as poetry), each is
scored by itself.
"""

from collections.abc import Sequence

import numpy as np

from pipeline import conll
from pipeline.errors import SynsemError
from pipeline.evaluation.parsing import VIEW, parses
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.task import Context
from pipeline.sentences import Side

TRANSFORMATION = "permutation"
DISTANCES = (25, 50, 75, 100)  # percent of all pairs of words that changed their order, up to each


def word_order(context: Context) -> Outcome:
    """``word_order.original`` and ``word_order.permuted``: UAS and LAS of the same sentences in both orders.

    ``loss`` is what permuting costs in LAS. ``word_order.moved_A-B.las`` is the LAS of permutations by their
    distance from the sentence's own order: Kendall's, in percent, above A (0 included) and up to B.
    ``word_order.PART`` has the scores of each part of the test set.
    """
    parser = context.bank.embedder
    if not parses(parser):
        raise SynsemError("word_order: the model does not parse; choose one that does, such as cssl")
    outcome = Outcome()

    def put(name: str, gold: list[Side]) -> conll.Comparison:
        compared = conll.compare(gold, parser.parse([Side(each.text, each.words, ()) for each in gold]))
        for measure in ("uas", "las"):
            outcome.put(VIEW, f"word_order.{name}.{measure}", getattr(compared.score(), measure))
        outcome.put(VIEW, f"word_order.{name}.sentences", len(gold), digits=0)
        return compared

    original, permuted, moved = [], [], []
    parts: dict[str, list[Side]] = {}
    variants = context.trees.variants
    for row in context.trees.rows:
        tree = Side.from_row(row)
        if part := row["doc_id"].partition(":")[2] if context.treebank else "":
            parts.setdefault(part, []).append(tree)
        for variant in variants.get(row["sent_id"], ()):
            if variant.transformation == TRANSFORMATION:
                original.append(tree)
                permuted.append(variant.side)
                moved.append(distance(variant.alignment))
    if not original:
        raise SynsemError("word_order: no permutation of a test sentence; add it to augment.transformations")
    before, compared = put("original", original), put("permuted", permuted)
    outcome.put(VIEW, "word_order.permuted.loss", before.score().las - compared.score().las)
    far = np.array(moved)[compared.sentence]  # of each word
    for low, high in zip((-1, *DISTANCES), DISTANCES, strict=False):
        if (words := (far > low) & (far <= high)).any():
            outcome.put(VIEW, f"word_order.moved_{max(0, low)}-{high}.las", compared.score(words).las)
    for part, trees in sorted(parts.items()):
        put(part, trees)
    return outcome


def distance(order: Sequence[int]) -> float:
    """Kendall's distance of an order from the ascending one, in percent of all pairs."""
    places = np.asarray(order)
    swapped = np.triu(places[:, None] > places[None, :], k=1).sum()
    return 100 * float(swapped) / max(1, len(places) * (len(places) - 1) // 2)
