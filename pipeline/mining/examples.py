"""What every system's dataset builder shares: the example, and which sentences one is made of."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pipeline.mining.inputs import Row
from pipeline.mining.words import overlap
from pipeline.params import Mine
from pipeline.sentences import Side, normalised


def side(row: Mapping[str, Any]) -> Row:
    """The part of a sentence or variant that an example carries (``store.SIDE``)."""
    found = {name: row[name] for name in Side._fields if name != "constituents"}
    return found | {"constituents": row["constituents"]} if row.get("constituents") else found


def example(
    sentence: Row, positive: Row, positive_kind: str, negatives: Iterable[tuple[Row, str]] = ()
) -> Row:
    """One row of ``store.TRIPLET``; a negative's hardness is its word overlap with the anchor.

    Of negatives with one text the first is taken.
    """
    row = {
        "source_id": sentence["sent_id"],
        "split": sentence["split"],
        "anchor": side(sentence),
        "positive": side(positive),
        "positive_kind": positive_kind,
        "negatives": [],
        "negative_kinds": [],
        "negative_hardness": [],
    }
    attach(row, negatives)
    return row


def attach(row: Row, negatives: Iterable[tuple[Row, str]]) -> int:
    """Add negatives and their kinds to an example; returns how many it had already and were left out."""
    held = {normalised(negative["text"]) for negative in row["negatives"]}
    twice = 0
    for negative, kind in negatives:
        text = normalised(negative["text"])
        if text in held:
            twice += 1
            continue
        held.add(text)
        row["negatives"].append(side(negative))
        row["negative_kinds"].append(kind)
        row["negative_hardness"].append(overlap(row["anchor"], negative))
    return twice


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
