"""Examples for ``sscp``: a sentence, a form that means the same, forms that only look the same.

The paper (Adavala & Adavala 2026, sections 4.3 and 5.1) pairs a sentence with one of its syntactic variants
and sets against it negatives of high lexical overlap. Further positives are true paraphrases, where the
corpus has them; further negatives, corpus sentences of the same words in another structure, and near
neighbours. Where a sentence has no variant, its positive is itself: the two views of one sentence are then
the pair (eq. 4). Both views start from the same weights, so such a pair teaches little unless a negative goes
with it; ``mine.identity`` says which are kept.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.mining import lexical, meaning, pairs
from pipeline.mining.balance import balance, drawn
from pipeline.mining.caps import with_share
from pipeline.mining.examples import distinct, example
from pipeline.mining.inputs import Inputs, Lookup, Row, with_variants
from pipeline.mining.near import with_neighbours
from pipeline.mining.output import write_examples
from pipeline.mining.similarity import IDENTITY
from pipeline.mining.texts import Embed
from pipeline.params import Mine
from pipeline.sentences import normalised


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept.

    ``embed`` is asked where ``mine`` wants what vectors tell: near neighbours as negatives, sentences of near
    meaning as positives, hardness by embedding, and the sample of similarities.
    """
    dropped: Counter[str] = Counter()
    paired = pairs.read_pairs(inputs, params)
    positives: dict[str, list[tuple[int, str]]] = {}
    if params.pairs.share:
        for found, kind in (
            (pairs.paraphrases(inputs, paired, params, dropped), pairs.KIND),
            (meaning.near_meaning(inputs, embed, params, dropped), meaning.KIND),
        ):
            for anchor, place in found:
                positives.setdefault(anchor, []).append((place, kind))
    negatives = lexical.overlap_negatives(inputs, paired.unit, params, dropped)
    examples = _examples(inputs, positives, negatives, params, dropped)
    if positives:
        examples = with_share(examples, (pairs.KIND, meaning.KIND), params.pairs.share, params.seed, dropped)
    if params.neighbours.per_example:
        examples = with_neighbours(examples, embed, params, dropped, paired.unit)
    return write_examples(examples, inputs, out, params, embed, dropped)


def _examples(
    inputs: Inputs,
    positives: dict[str, list[tuple[int, str]]],
    overlapping: dict[str, list[int]],
    params: Mine,
    dropped: Counter[str],
) -> Iterator[Row]:
    kinds, corpus = balance(inputs, params.kind_share), Lookup(inputs)
    for sentence, variants in distinct(with_variants(inputs), params, dropped):
        variants = variants if params.variants else []
        same = [variant for variant in variants if variant["meaning"] == "same"]
        different = [variant for variant in variants if variant["meaning"] == "different"]
        paraphrases = [(corpus[place], kind) for place, kind in positives.get(sentence["sent_id"], [])]
        # A text that one rule calls equal and another different is no evidence of either.
        means_same = {normalised(row["text"]) for row in (sentence, *same, *(row for row, _ in paraphrases))}
        usable = [variant for variant in different if normalised(variant["text"]) not in means_same]
        dropped["negative equal to the anchor or a positive"] += len(different) - len(usable)
        negatives = drawn(sentence["sent_id"], usable, kinds, params, dropped)
        held = means_same | {normalised(row["text"]) for row, _ in negatives}
        for place in overlapping.get(sentence["sent_id"], []):
            row = corpus[place]
            if normalised(row["text"]) in held:
                dropped["overlap: a variant already"] += 1
            else:
                negatives.append((row, lexical.KIND))
        for positive in same:
            yield example(sentence, positive, positive["transformation"], negatives)
        for positive, kind in paraphrases:
            yield example(sentence, positive, kind, negatives)
        if not same:
            if params.identity == "all" or (params.identity == "with_negatives" and negatives):
                yield example(sentence, sentence, IDENTITY, negatives)
            elif not paraphrases:
                dropped["no variant to learn from"] += 1
