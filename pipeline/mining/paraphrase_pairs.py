"""Examples made of paraphrases: a source sentence and the target that a decoder writes from it.

For ``parabart`` (Huang et al. 2021), and for ``simcse`` on the same data. The paper learns from
back-translated pairs (ParaNMT). Here the pairs are those of the corpus and the sentences' ``same`` variants.
Pairs that share too many word n-grams teach copying and are left out; the paper drops words of the source for
the same reason. Which of the two is the source is drawn, so that neither the older translation nor the
rule-made variant is always on one side.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pipeline.core.seeding import stable_hash
from pipeline.mining import paraphrases
from pipeline.mining.examples import example, same_text
from pipeline.mining.inputs import Embed, Inputs, Lookup, Row
from pipeline.mining.overlap import jaccard
from pipeline.mining.partners import Partners
from pipeline.mining.parts import mine_sentences
from pipeline.params import Mine


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed, workers: int | None = 1) -> Counter[str]:
    """Write ``schemas.TRIPLET`` rows to ``out``; returns counts of what was kept.

    Kinds are ``pair-SOURCE`` and the names of transformations. Raises SynsemError where the corpus has
    neither pairs nor variants.
    """
    dropped: Counter[str] = Counter()
    limited = _with_own_pair_limits(params)
    targets, kinds = _targets(inputs, limited, dropped)
    make = partial(_examples, kinds, Lookup(inputs), limited)
    return mine_sentences(make, inputs, out, params, embed, workers, dropped, [targets])


def _examples(
    kinds: list[str],
    corpus: Lookup,
    params: Mine,
    sentence: Row,
    variants: list[Row],
    dropped: Counter[str],
    targets: list[tuple[int, ...]],
) -> Iterator[Row]:
    """The examples of one sentence; ``targets`` are its own of ``_targets``."""
    found = [(_row(corpus, first, second), kinds[kind]) for first, second, kind in targets]
    found += [(row, row["transformation"]) for row in variants if row["meaning"] == "same"]
    for target, kind in found:
        if reason := _reject_reason(sentence, target, kind, params):
            dropped[f"{reason}: {kind}"] += 1
        elif stable_hash(params.seed, "direction", sentence["sent_id"], target["text"]) % 2:
            named = {name: sentence[name] for name in ("sent_id", "split")}
            yield example({**target, **named}, sentence, kind)
        else:
            yield example(sentence, target, kind)


def _with_own_pair_limits(params: Mine) -> Mine:
    """The parameters with ``mine.parabart``'s limits in ``mine.pairs``; near copies are found by n-grams."""
    settings = params.parabart
    changed = {
        "exclude": [*settings.exclude, *settings.split_sources],
        "min_overlap": settings.min_overlap,
        "max_overlap": 1.0,
    }
    return params.model_copy(update={"pairs": params.pairs.model_copy(update=changed)})


def _targets(inputs: Inputs, params: Mine, dropped: Counter[str]) -> tuple[Partners, list[str]]:
    """The paraphrases of each sentence in the corpus, and the kinds that they number.

    A paraphrase is its row number, -1 or that of a second sentence to join, and the number of its kind. Of
    each pair_id there are a few, drawn by content.
    """
    found, kinds = Partners(3), list[str]()
    paired, settings = paraphrases.read_pairs(inputs, params), params.parabart

    def add(anchor: int, places: tuple[int, ...], source: str) -> None:
        kind = f"{paraphrases.KIND}-{source}"
        if kind not in kinds:
            kinds.append(kind)
        found.add(anchor, *places, kinds.index(kind))

    for pairs in paraphrases.paraphrases(inputs, paired, params, dropped):
        drawn = sorted(pairs, key=lambda pair: stable_hash(params.seed, *(each.sent_id for each in pair)))
        dropped[f"pair: beyond {settings.per_pair_id} of one pair_id"] += len(drawn[settings.per_pair_id :])
        for anchor, other in drawn[: settings.per_pair_id]:
            add(anchor.place, (other.place, -1), other.source)
    if settings.split_sources:
        for split in paraphrases.split_sentences(inputs, settings.split_sources, dropped):
            add(split.whole, split.parts, split.source)
    return found, kinds


def _row(corpus: Lookup, first: int, second: int) -> Row:
    return corpus[first] if second < 0 else paraphrases.join_trees(corpus[first], corpus[second])


def _reject_reason(sentence: Row, target: Row, kind: str, params: Mine) -> str | None:
    settings = params.parabart
    if same_text(sentence, target):
        return "equal text"
    if shared_ngrams(sentence["words"], target["words"], settings.ngram) > settings.max_shared:
        return "near copy"
    return (
        paraphrases.no_paraphrase(sentence, target, params.pairs, params.max_words)
        if kind.startswith(paraphrases.KIND)
        else None
    )


def shared_ngrams(a: Sequence[str], b: Sequence[str], n: int) -> float:
    """Jaccard similarity of the word n-grams, ignoring case, 0 to 1; shorter texts are one n-gram."""
    return jaccard(_ngrams(a, n), _ngrams(b, n))


def _ngrams(words: Sequence[str], n: int) -> frozenset[str]:
    lower = [word.casefold() for word in words]
    return frozenset("\x1f".join(lower[start : start + n]) for start in range(max(1, len(lower) - n + 1)))
