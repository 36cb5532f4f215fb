"""Examples for ``sscp``: a sentence, a form that means the same, forms that only look the same.

The paper (Adavala & Adavala 2026, sections 4.3 and 5.1) pairs a sentence with one of its syntactic variants
and sets against it negatives of high lexical overlap. Where a sentence has no variant, its positive is
itself: the two views of one sentence are then the pair (eq. 4). Both views start from the same weights, so
such a pair teaches little unless a negative goes with it; ``mine.identity`` says which are kept.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.mining.examples import Row, distinct, example, normalised, with_variants, write_examples
from pipeline.mining.near import Embed, with_neighbours
from pipeline.params import Mine
from pipeline.seeding import rank


def mine(parsed: Path, augmented: Path, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept.

    ``embed`` is asked only where ``mine.neighbours.per_example`` wants near neighbours as further negatives.
    """
    dropped: Counter[str] = Counter()
    examples = _examples(parsed, augmented, params, dropped)
    if params.neighbours.per_example:
        examples = with_neighbours(examples, embed, params, dropped)
    return write_examples(out, examples, params, dropped)


def _examples(parsed: Path, augmented: Path, params: Mine, dropped: Counter[str]) -> Iterator[Row]:
    for sentence, variants in distinct(with_variants(parsed, augmented), params, dropped):
        anchor = normalised(sentence["text"])
        same = [variant for variant in variants if variant["meaning"] == "same"]
        different = [variant for variant in variants if variant["meaning"] == "different"]
        # A text that one rule calls equal and another different is no evidence of either.
        means_same = {anchor, *(normalised(variant["text"]) for variant in same)}
        usable = [variant for variant in different if normalised(variant["text"]) not in means_same]
        dropped["negative equal to the anchor or a positive"] += len(different) - len(usable)
        usable.sort(key=lambda variant: rank(params.seed, sentence["sent_id"], variant["text"]))
        negatives = [(variant, variant["transformation"]) for variant in usable[: params.hard_negatives]]
        dropped["negative beyond mine.hard_negatives"] += len(usable) - len(negatives)
        if not same and (
            params.identity == "none" or (params.identity == "with_negatives" and not negatives)
        ):
            dropped["no variant to learn from"] += 1
            continue
        for positive in same or [sentence]:
            yield example(sentence, positive, positive.get("transformation", "identity"), negatives)
