"""Write training examples: draw what is too many, count, and explain why there is none."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.core.params import Mine
from pipeline.core.schemas import SIDE, TRIPLET
from pipeline.core.seeding import SEED, stable_hash
from pipeline.core.store import atomic_folder
from pipeline.mining.filter import Example
from pipeline.mining.inputs import Row

# Why a sentence is left out that no rule rewords, as all are in other languages than English.
NO_VARIANT = "no variant to learn from"
FILES = ("part-*.arrow", "report.json")


def write(examples: Iterable[Example], out: Path, params: Mine, dropped: Counter[str]) -> Counter[str]:
    """Write ``schemas.TRIPLET`` rows and ``report.json`` to ``out``; return what was kept, by split and kind.

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
        store.write_json(new / "report.json", {"kept": kept, "dropped": +dropped})
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
        remedy += "; or set mine.identity to all, or train simcse or cssl, which need no such variant"
    return SynsemError(
        f"{out}: no training example; {remedy}" + (f" (dropped: {reasons})" if reasons else "")
    )
