"""Build training examples, the contrastive ones that several systems share among them, and write them.

A system says in ``pipeline/systems/NAME/mining.py`` how its examples are built:

    def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]

``params`` has the sections ``mine``, ``encoder`` and the system's own; ``dropped`` counts by reason what is
left out.
"""

import importlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pipeline.core import store
from pipeline.core.errors import SynsemError, unknown
from pipeline.core.params import Mine
from pipeline.core.schemas import SIDE, TRIPLET
from pipeline.core.seeding import SEED, stable_hash
from pipeline.core.store import atomic_folder
from pipeline.mining.filter import IDENTITY, Example, barred, may_mean_the_same, of_sentences, tree_similarity
from pipeline.mining.inputs import Inputs, Lookup, Row
from pipeline.mining.negatives import OVERLAP, draw_negatives, negative_kinds, overlap_negatives
from pipeline.mining.pairs import KIND, paraphrases
from pipeline.syntax.sentence import normalised

# Why a sentence is left out that no rule rewords, as all are in other languages than English.
NO_VARIANT = "no variant to learn from"
FILES = ("part-*.arrow", "report.json")
SYSTEMS = Path(__file__).parents[1] / "systems"
Examples = Callable[[Inputs, Any, Counter[str]], Iterator[Example]]


def mine(system: str, inputs: Inputs, out: Path, params: Any) -> Counter[str]:
    """Write a system's examples to ``out``; return the counts of what was kept. See ``write``."""
    barred.cache_clear()  # the folders may hold other text than when they were last read
    dropped: Counter[str] = Counter()
    examples = examples_of(system)(inputs, params, dropped)
    trees = inputs.gold() if hasattr(getattr(params, system), "treebank") else inputs
    return write(examples, out, params.mine, dropped, store.languages(trees.sentences))


def examples_of(system: str) -> Examples:
    """Return the function ``examples`` of a system; SynsemError if there is none."""
    known = [path.parent.name for path in SYSTEMS.glob("*/mining.py")]
    if system not in known:
        raise unknown("systems", system, known)
    return importlib.import_module(f"pipeline.systems.{system}.mining").examples


def contrastive(
    inputs: Inputs, params: Mine, dropped: Counter[str], identity: bool = True
) -> Iterator[Example]:
    """Yield a sentence, a form with its meaning, and forms that only look the same.

    SSCP (Adavala & Adavala 2026, sections 3.6, 4.6 and 5.1) pairs a sentence with one of its syntactic
    variants, with negatives of high word overlap. Further positives are the corpus's paraphrases, at most
    ``mine.pair_share`` of the examples; further negatives are sentences of the same words in another
    structure. With ``identity`` a sentence that has neither is paired with itself, so that the two views of
    it are the pair (eq. 4).
    """
    corpus, kinds = Lookup(inputs.sentences), negative_kinds(inputs)
    positives: dict[int, list[int]] = {}
    if share := params.pair_share:
        for pairs in paraphrases(inputs, corpus, params, dropped):
            for anchor, other in pairs:
                positives.setdefault(anchor["place"], []).append(other["place"])
    overlapping = overlap_negatives(inputs, corpus, params, dropped)

    def make(sentence: Row, variants: list[Row], dropped: Counter[str]) -> Iterator[Example]:
        variants = variants if params.variants else []
        same = [variant for variant in variants if variant["meaning"] == "same"]
        different = [variant for variant in variants if variant["meaning"] == "different"]
        paired = [corpus[place] for place in positives.get(sentence["place"], [])]
        # A text that one rule calls equal in meaning and another different is evidence of neither.
        same_meaning = {normalised(row["text"]) for row in (sentence, *same, *paired)}
        usable = [variant for variant in different if normalised(variant["text"]) not in same_meaning]
        dropped["negative equal to the anchor or a positive"] += len(different) - len(usable)
        negatives = draw_negatives(sentence["sent_id"], usable, kinds, params, dropped)
        known = same_meaning | {normalised(row["text"]) for row, _ in negatives}
        for row in (corpus[place] for place in overlapping.get(sentence["place"], [])):
            if normalised(row["text"]) in known:
                dropped["overlap: a variant already"] += 1
            elif any(may_mean_the_same(each, row, tree_similarity(each, row)) for each in (*same, *paired)):
                dropped["overlap: may mean the same as a positive"] += 1
            else:
                negatives.append((row, OVERLAP))
        for positive in same:
            yield Example(sentence, positive, positive["transformation"], negatives)
        for positive in paired:
            yield Example(sentence, positive, KIND, negatives)
        if not same and not paired and identity:
            yield Example(sentence, sentence, IDENTITY, negatives)
        elif not same and not paired:
            dropped[NO_VARIANT] += 1

    examples = of_sentences(make, inputs, params, dropped)
    if not positives:
        return examples
    return at_most(
        examples,
        lambda example: example.kind == KIND,
        lambda split, others: int(share / (1 - share) * others + 1e-9),
        SEED,
        dropped,
        f"{KIND}: beyond mine.pair_share of the examples",
    )


def write(
    examples: Iterable[Example], out: Path, params: Mine, dropped: Counter[str], languages: Sequence[str] = ()
) -> Counter[str]:
    """Write ``schemas.TRIPLET`` rows and ``report.json`` to ``out``; return what was kept, by split and kind.

    ``report.json`` has the ``languages`` as well, for the model's card.
    ``mine.examples`` caps the training examples, which are drawn by content; all development examples stay.
    The folder appears whole or not at all. Raises SynsemError if there is no training example.
    """
    kept: Counter[str] = Counter()
    most = params.examples
    if most is not None:
        examples = at_most(
            examples,
            lambda example: example.anchor["split"] == "train",
            lambda split, others: most,
            SEED,
            dropped,
            "beyond mine.examples",
        )
    with atomic_folder(out, *FILES) as new:
        with store.ShardWriter(new, TRIPLET) as writer:
            for example in examples:
                writer.add(_row(example))
                kept[example.anchor["split"]] += 1
                kept[f"positive: {example.kind}"] += 1
                kept.update(f"negative: {kind}" for _, kind in example.negatives or [({}, "none")])
        if not kept["train"]:
            raise _no_example(out, dropped)
        store.write_json(
            new / "report.json", {"kept": kept, "dropped": +dropped, "languages": list(languages)}
        )
    return kept


def at_most(
    examples: Iterable[Example],
    wanted: Callable[[Example], bool],
    room: Callable[[str, int], int],
    seed: int,
    dropped: Counter[str],
    reason: str,
) -> Iterator[Example]:
    """Yield the examples, but of those that are ``wanted`` in each split only ``room(split, others)``.

    ``others`` is the number of the split's other examples. Which ones stay is drawn by content, and the order
    stays. The examples wait in a temporary folder until all have been seen.
    """
    hashes: dict[str, list[tuple[int, int]]] = {}
    others: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        with store.ShardWriter(Path(folder), TRIPLET) as writer:
            for place, example in enumerate(examples):
                writer.add(_row(example))
                split = example.anchor["split"]
                if wanted(example):
                    key = stable_hash(seed, "cap", example.anchor["sent_id"], example.positive["text"])
                    hashes.setdefault(split, []).append((key, place))
                else:
                    others[split] += 1
        surplus = {
            place for split, some in hashes.items() for _, place in sorted(some)[room(split, others[split]) :]
        }
        dropped[reason] += len(surplus)
        for place, row in enumerate(store.rows(Path(folder))):
            if place not in surplus:
                anchor = row["anchor"] | {"sent_id": row["source_id"], "split": row["split"]}
                negatives = list(zip(row["negatives"], row["negative_kinds"], strict=True))
                yield Example(anchor, row["positive"], row["positive_kind"], negatives)


def _row(example: Example) -> Row:
    """Return a row of ``schemas.TRIPLET``."""
    return {
        "source_id": example.anchor["sent_id"],
        "split": example.anchor["split"],
        "anchor": _tree(example.anchor),
        "positive": _tree(example.positive),
        "positive_kind": example.kind,
        "negatives": [_tree(negative) for negative, _ in example.negatives],
        "negative_kinds": [kind for _, kind in example.negatives],
    }


def _tree(row: Row) -> Row:
    return {field.name: row.get(field.name) for field in SIDE}


def _no_example(out: Path, dropped: Counter[str]) -> SynsemError:
    reasons = ", ".join(f"{reason}: {count:,}" for reason, count in dropped.most_common(3) if count)
    remedy = "take more text (download.documents) or longer sentences"
    if [reason for reason, _ in dropped.most_common(1)] == [NO_VARIANT]:
        remedy += "; or train a system that needs no such variant: all but synsem"
    return SynsemError(
        f"{out}: no training example; {remedy}" + (f" (dropped: {reasons})" if reasons else "")
    )
