"""What every system's dataset builder shares: sentences with their variants, filters, the writer."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from pipeline.errors import SynsemError
from pipeline.params import Mine
from pipeline.progress import track
from pipeline.seeding import rank
from pipeline.store import TRIPLET, ShardWriter, rows, write_json

Row = dict[str, Any]
TRAINING_SPLITS = ("train", "dev")


def with_variants(parsed: Path, augmented: Path) -> Iterator[tuple[Row, list[Row]]]:
    """Every sentence of the training splits with its variants, streamed.

    Both folders are in sentence order, so one pass over each is enough; memory stays flat.
    Raises SynsemError where a variant's sentence is not there: the folders stem from different runs.
    """
    groups = groupby(rows(augmented), key=itemgetter("source_id"))
    source_id, variants = next(groups, (None, iter(())))
    for sentence in rows(parsed / "corpus"):
        own: list[Row] = []
        if sentence["sent_id"] == source_id:
            own = list(variants)
            source_id, variants = next(groups, (None, iter(())))
        if sentence["split"] in TRAINING_SPLITS:
            yield sentence, own
    if source_id is not None:
        raise SynsemError(
            f"{augmented}: variants of {source_id}, which {parsed} lacks in that place; run augment again"
        )


def normalised(text: str) -> str:
    """The form in which two texts count as equal: case and spacing apart."""
    return " ".join(text.casefold().split())


def side(row: Mapping[str, Any]) -> Row:
    """The part of a sentence or variant that an example carries (``store.SIDE``)."""
    return {name: row[name] for name in ("text", "words", "heads")}


def example(
    sentence: Row, positive: Row, positive_kind: str, negatives: Iterable[tuple[Row, str]] = ()
) -> Row:
    """One row of ``store.TRIPLET``."""
    pairs = list(negatives)
    return {
        "source_id": sentence["sent_id"],
        "split": sentence["split"],
        "anchor": side(sentence),
        "positive": side(positive),
        "positive_kind": positive_kind,
        "negatives": [side(negative) for negative, _ in pairs],
        "negative_kinds": [kind for _, kind in pairs],
    }


def distinct(
    pairs: Iterable[tuple[Row, list[Row]]], params: Mine, dropped: Counter[str]
) -> Iterator[tuple[Row, list[Row]]]:
    """Leave out sentences that are too long or stood before, counting them in ``dropped``."""
    seen: set[str] = set()
    for sentence, variants in pairs:
        key = normalised(sentence["text"])
        if len(sentence["words"]) > params.max_words:
            dropped[f"longer than {params.max_words} words"] += 1
        elif key in seen:
            dropped["duplicate sentence"] += 1
        else:
            seen.add(key)
            yield sentence, variants


def write_examples(out: Path, examples: Iterable[Row], params: Mine, dropped: Counter[str]) -> Counter[str]:
    """Write examples to ``out`` and what was kept and dropped to ``out/report.json``.

    With ``mine.examples`` set, that many training examples are kept, drawn by content; the development
    examples stay. Returns the counts of what was kept, by split and kind. Raises SynsemError where no
    training example is left.
    """
    chosen: Iterable[Row] = examples if params.examples is None else _drawn(examples, params, dropped)
    kept: Counter[str] = Counter()
    with ShardWriter(out, TRIPLET) as writer:
        for row in track(chosen, "mine"):
            writer.add(row)
            kept[row["split"]] += 1
            kept[f"positive: {row['positive_kind']}"] += 1
            kept.update(f"negative: {kind}" for kind in row["negative_kinds"] or ["none"])
    write_json(out / "report.json", {"kept": kept, "dropped": dropped})
    if not kept["train"]:
        raise SynsemError(
            f"{out}: no training example; take more text (download.documents) or longer sentences"
        )
    return kept


def _drawn(examples: Iterable[Row], params: Mine, dropped: Counter[str]) -> list[Row]:
    indexed = list(enumerate(examples))
    train = [(index, row) for index, row in indexed if row["split"] == "train"]

    def lot(item: tuple[int, Row]) -> int:
        return rank(params.seed, item[1]["source_id"], item[1]["positive"]["text"])

    kept = {index for index, _ in heapq.nsmallest(params.examples or 0, train, key=lot)}
    dropped["beyond mine.examples"] += len(train) - len(kept)
    return [row for index, row in indexed if row["split"] != "train" or index in kept]
