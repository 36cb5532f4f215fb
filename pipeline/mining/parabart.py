"""Examples for ``parabart``: a source and the paraphrase to be written from it (Huang et al. 2021).

The positive is the target; its tree is the syntax by which it is written. The paper learns from
back-translated pairs (ParaNMT); here they are the corpus's own pairs and the sentences' ``same`` variants.
Pairs that share too many word n-grams teach copying and are left out (the paper drops words of the source for
the same reason). Which of the two is the source is drawn, so that neither the older translation nor the
rule-made form always stands on one side.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from pipeline.mining import joined, pairs
from pipeline.mining.examples import distinct, example
from pipeline.mining.inputs import Inputs, Lookup, Row, with_variants
from pipeline.mining.output import write_examples
from pipeline.mining.overlap import jaccard
from pipeline.mining.texts import Embed
from pipeline.mining.words import same_text
from pipeline.params import Mine
from pipeline.seeding import rank


class Target(NamedTuple):
    """Where a sentence's paraphrase stands among the parsed sentences: one place, or two to be joined."""

    places: tuple[int, ...]
    kind: str


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed) -> Counter[str]:
    """Write ``store.TRIPLET`` rows to ``out``; returns counts of what was kept.

    Kinds are ``pair-SOURCE`` and the names of transformations. Raises SynsemError where the corpus has
    neither pairs nor variants.
    """
    dropped: Counter[str] = Counter()
    return write_examples(_examples(inputs, params, dropped), inputs, out, params, embed, dropped)


def _examples(inputs: Inputs, params: Mine, dropped: Counter[str]) -> Iterator[Row]:
    own = _own_rule(params)
    targets, corpus = _targets(inputs, own, dropped), Lookup(inputs)
    for sentence, variants in distinct(with_variants(inputs), params, dropped):
        found = [(_row(corpus, each), each.kind) for each in targets.get(sentence["sent_id"], [])]
        found += [(row, row["transformation"]) for row in variants if row["meaning"] == "same"]
        for target, kind in found:
            if reason := _unfit(sentence, target, kind, own):
                dropped[f"{reason}: {kind}"] += 1
            elif rank(params.seed, "direction", sentence["sent_id"], target["text"]) % 2:
                named = {name: sentence[name] for name in ("sent_id", "split")}
                yield example({**target, **named}, sentence, kind)
            else:
                yield example(sentence, target, kind)


def _own_rule(params: Mine) -> Mine:
    """The parameters with ``mine.pairs`` as this system reads them; copies are told by n-grams alone."""
    rule = params.parabart
    changed = {"exclude": [*rule.exclude, *rule.joined], "min_overlap": rule.min_overlap, "max_overlap": 1.0}
    return params.model_copy(update={"pairs": params.pairs.model_copy(update=changed)})


def _targets(inputs: Inputs, params: Mine, dropped: Counter[str]) -> dict[str, list[Target]]:
    """Each sentence's paraphrases in the corpus by its sent_id, few of each pair_id, drawn by content."""
    found: dict[str, list[Target]] = defaultdict(list)
    paired, rule = pairs.read_pairs(inputs, params), params.parabart
    members = {member.place: member for unit in paired.members.values() for member in unit}
    usable = pairs.paraphrases(inputs, paired, params, dropped)
    for _, group in groupby(usable, key=lambda pair: paired.unit[pair[0]]):
        drawn = sorted(group, key=lambda pair: rank(params.seed, pair[0], members[pair[1]].sent_id))
        dropped[f"pair: beyond {rule.per_pair_id} of one pair_id"] += len(drawn[rule.per_pair_id :])
        for anchor, place in drawn[: rule.per_pair_id]:
            found[anchor].append(Target((place,), f"{pairs.KIND}-{members[place].source}"))
    if rule.joined:
        for split in joined.splits(inputs, rule.joined, dropped):
            found[split.whole].append(Target(split.parts, f"{pairs.KIND}-{split.source}"))
    return found


def _row(corpus: Lookup, target: Target) -> Row:
    rows = [corpus[place] for place in target.places]
    return rows[0] if len(rows) == 1 else joined.joined(*rows)


def _unfit(sentence: Row, target: Row, kind: str, params: Mine) -> str | None:
    rule = params.parabart
    if same_text(sentence, target):
        return "equal text"
    if shared_ngrams(sentence["words"], target["words"], rule.ngram) > rule.max_shared:
        return "near copy"
    return (
        pairs.unfit(sentence, target, params.pairs, params.max_words) if kind.startswith(pairs.KIND) else None
    )


def shared_ngrams(a: Sequence[str], b: Sequence[str], n: int) -> float:
    """Jaccard similarity of the runs of ``n`` words (case apart), 0 to 1; of all where there are fewer."""
    return jaccard(_ngrams(a, n), _ngrams(b, n))


def _ngrams(words: Sequence[str], n: int) -> frozenset[str]:
    lower = [word.casefold() for word in words]
    return frozenset("\x1f".join(lower[start : start + n]) for start in range(max(1, len(lower) - n + 1)))
