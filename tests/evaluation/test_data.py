"""Held-out sentences, of very many a sample, and benchmarks with their trees."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from small_world import held_out_rows, sentence

from pipeline.core.schemas import SENTENCE, VARIANT
from pipeline.core.seeding import SEED, stable_hash
from pipeline.core.store import ShardWriter, shard_path, write_rows
from pipeline.evaluation import data
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.syntax.sentence import Sentence, Variant

Corpus = tuple[HeldOut, list[dict[str, Any]], list[dict[str, Any]]]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """The small world in shards of 13 rows, with a third of its texts there again under other ids."""
    parsed, variants = held_out_rows()
    again = [row | {"sent_id": f"again-{row['sent_id']}", "split": "test"} for row in parsed[::3]]
    parsed = [*again[:5], *parsed, *again[5:]]
    variants += [each | {"source_id": f"again-{each['source_id']}"} for each in variants[::6]]
    for folder, schema, rows in (("parsed/corpus", SENTENCE, parsed), ("augmented", VARIANT, variants)):
        with ShardWriter(tmp_path / folder, schema, rows_per_shard=13) as writer:
            for row in rows:
                writer.add(row)
    return HeldOut(tmp_path / "parsed", tmp_path / "augmented"), parsed, variants


def simple(parsed: list[dict[str, Any]]) -> list[str]:
    """The ids of all test sentences first."""
    found: dict[str, str] = {}
    for row in parsed:
        if row["split"] == "test":
            found.setdefault(row["text"], row["sent_id"])
    return sorted(found.values(), key=lambda sent_id: stable_hash(SEED, sent_id))


def simple_variants(variants: list[dict[str, Any]], ids: set[str]) -> dict[str, list[Variant]]:
    grouped: dict[str, list[Variant]] = defaultdict(list)
    for row in variants:
        if row["source_id"] in ids:
            variant = Variant(row["transformation"], row["meaning"], Sentence.from_row(row))
            grouped[row["source_id"]].append(variant)
    return dict(grouped)


@pytest.mark.parametrize("most", [10**6, 20])
def test_lowest_hashes_stand_for_all(corpus: Corpus, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    held, parsed, variants = corpus
    monkeypatch.setattr(data, "MOST", most)
    test = [row for row in parsed if row["split"] == "test"]
    ids = [row["sent_id"] for row in held.sample]
    assert ids == simple(parsed)[:most]
    texts = {row["sent_id"]: row["text"] for row in parsed}
    assert all(Sentence.from_row(row).text == texts[row["sent_id"]] for row in held.sample)
    assert [row["sent_id"] for row in held.rows] == [row["sent_id"] for row in test][:most]
    assert held.variants(ids) == simple_variants(variants, {*ids})
    assert len(ids) < len(test)


def test_a_model_of_text_alone_gets_the_text(tmp_path: Path) -> None:
    """The tree of a contraction has the words that it stands for; a model that reads trees gets these."""
    text, words = "Il va au marché.", "Il va à le marché ."
    tree = sentence(words, "X X X X X X", "2 0 5 5 2 2", "dep dep dep dep dep dep")
    row = {"sent_id": "1", "doc_id": "", "lang": "fr", "split": "test"} | tree.row() | {"text": text}
    write_rows(shard_path(tmp_path / "benchmarks", 0), [row], SENTENCE)
    given = [Benchmarks(tmp_path, tmp_path, trees).sentences([text])[0] for trees in (False, True)]
    assert [each.text for each in given] == [text, tree.text]
    assert [each.words for each in given] == [tree.words] * 2
