"""Examples for ``parabart``: a source and the paraphrase to be written from it (Huang et al. 2021).

The positive is the target; its tree is the syntax by which it is written. The paper learns from
back-translated pairs (ParaNMT); here they are the corpus's own pairs and the sentences' ``same`` variants.
Pairs that share too many word n-grams teach copying and are left out (the paper drops words of the source for
the same reason).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.mining import pairs
from pipeline.mining.examples import distinct, example
from pipeline.mining.inputs import Inputs, Lookup, Row, with_variants
from pipeline.mining.output import write_examples
from pipeline.mining.overlap import jaccard
from pipeline.mining.texts import Embed
from pipeline.mining.words import same_text
from pipeline.params import Mine


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept.

    Raises SynsemError where the corpus has neither pairs nor variants.
    """
    dropped: Counter[str] = Counter()
    return write_examples(_examples(inputs, params, dropped), inputs, out, params, embed, dropped)


def _examples(inputs: Inputs, params: Mine, dropped: Counter[str]) -> Iterator[Row]:
    found: dict[str, list[int]] = defaultdict(list)
    for anchor, place in pairs.paraphrases(inputs, pairs.read_pairs(inputs, params), params, dropped):
        found[anchor].append(place)
    corpus, rule = Lookup(inputs), params.parabart
    for sentence, variants in distinct(with_variants(inputs), params, dropped):
        targets = [(corpus[place], pairs.KIND) for place in found.get(sentence["sent_id"], [])]
        targets += [(row, row["transformation"]) for row in variants if row["meaning"] == "same"]
        for target, kind in targets:
            if same_text(sentence, target):
                dropped["equal text"] += 1
            elif shared_ngrams(sentence["words"], target["words"], rule.ngram) > rule.max_shared:
                dropped[f"near copy: {kind}"] += 1
            else:
                yield example(sentence, target, kind)


def shared_ngrams(a: Sequence[str], b: Sequence[str], n: int) -> float:
    """Jaccard similarity of the runs of ``n`` words (case apart), 0 to 1; of all where there are fewer."""
    return jaccard(_ngrams(a, n), _ngrams(b, n))


def _ngrams(words: Sequence[str], n: int) -> frozenset[str]:
    lower = [word.casefold() for word in words]
    return frozenset("\x1f".join(lower[start : start + n]) for start in range(max(1, len(lower) - n + 1)))
