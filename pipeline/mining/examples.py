"""What all dataset builders share: how a training example is built, and which sentences get one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pipeline.core.hash_numbers import HashNumbers
from pipeline.core.seeding import stable_hash
from pipeline.mining.inputs import Row
from pipeline.mining.overlap import jaccard
from pipeline.params import Mine
from pipeline.syntax.sentence import Side, normalised
from pipeline.syntax.structural_similarity import structural_similarity, triples

IDENTITY = "identity"  # kind of a positive that is the anchor itself


def side(row: Mapping[str, Any]) -> Row:
    """The columns of a sentence or variant that an example stores (``schemas.SIDE``)."""
    found = {name: row[name] for name in Side._fields if name != "constituents"}
    return found | {"constituents": row["constituents"]} if row.get("constituents") else found


def example(
    sentence: Row, positive: Row, positive_kind: str, negatives: Iterable[tuple[Row, str]] = ()
) -> Row:
    """One row of ``schemas.TRIPLET``; the hardness of a negative is its word overlap with the anchor.

    Of negatives with equal text the first is kept.
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
    add_negatives(row, negatives)
    return row


def add_negatives(row: Row, negatives: Iterable[tuple[Row, str]]) -> int:
    """Add negatives and their kinds to an example; returns how many were left out as duplicates."""
    known = {normalised(negative["text"]) for negative in row["negatives"]}
    duplicates = 0
    for negative, kind in negatives:
        text = normalised(negative["text"])
        if text in known:
            duplicates += 1
            continue
        known.add(text)
        row["negatives"].append(side(negative))
        row["negative_kinds"].append(kind)
        row["negative_hardness"].append(word_overlap(row["anchor"], negative))
    return duplicates


def distinct(sentences: Iterable[Row], params: Mine, dropped: Counter[str]) -> Iterator[Row]:
    """Leave out sentences that are too long or repeat an earlier one; ``dropped`` counts them."""
    seen = HashNumbers()
    for sentence in sentences:
        if len(sentence["words"]) > params.max_words:
            dropped[f"longer than {params.max_words} words"] += 1
        elif not seen.add(stable_hash(0, normalised(sentence["text"]))):
            dropped["duplicate sentence"] += 1
        else:
            yield sentence


def word_set(words: Iterable[str]) -> frozenset[str]:
    """The distinct words of a sentence, ignoring case and punctuation."""
    return frozenset(word.casefold() for word in words if any(map(str.isalnum, word)))


def word_overlap(a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
    """Jaccard similarity of the words of two sides (``schemas.SIDE``), 0 to 1."""
    return jaccard(word_set(a["words"]), word_set(b["words"]))


def tree_similarity(a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
    """``structural_similarity`` of two sides or parsed rows, 0 to 1; by word forms without lemmas."""
    return structural_similarity(triples(Side.from_row(a)), triples(Side.from_row(b)))


def same_text(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two sides have the same text, ignoring case and spacing."""
    return normalised(a["text"]) == normalised(b["text"])
