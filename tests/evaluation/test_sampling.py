"""Held-out text that is read without all of it in memory: the same sentences, and of very many a sample."""

import tracemalloc
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_world import PARAMS, BagOfHashes, folders, held_out_rows

from pipeline.core.schemas import SENTENCE, VARIANT
from pipeline.core.seeding import stable_hash
from pipeline.core.store import ShardWriter, write_rows
from pipeline.evaluation import data, sampling
from pipeline.evaluation.data import HeldOut, HeldOutSentence, Variant
from pipeline.evaluation.run import ModelUnderTest, evaluate
from pipeline.syntax.sentence import Sentence, Side


@pytest.fixture
def corpus(tmp_path: Path) -> tuple[HeldOut, list[dict[str, Any]], list[dict[str, Any]]]:
    """The small world in shards of 13 rows, with a third of its texts there again under other ids."""
    parsed, variants = held_out_rows()
    again = [row | {"sent_id": f"again-{row['sent_id']}", "split": "test"} for row in parsed[::3]]
    parsed = [*again[:5], *parsed, *again[5:]]
    variants += [
        each | {"source_id": f"again-{each['source_id']}", "split": "test"} for each in variants[::6]
    ]
    for folder, schema, rows in (("parsed/corpus", SENTENCE, parsed), ("augmented", VARIANT, variants)):
        with ShardWriter(tmp_path / folder, schema, rows_per_shard=13) as writer:
            for row in rows:
                writer.add(row)
    return HeldOut(tmp_path / "parsed", tmp_path / "augmented", 5), parsed, variants


def simple(parsed: list[dict[str, Any]], seed: int) -> list[HeldOutSentence]:
    """All test sentences as objects first."""
    found: dict[str, HeldOutSentence] = {}
    for row in parsed:
        if row["split"] == "test":
            sentence = HeldOutSentence(row["sent_id"], row["doc_id"], Sentence.from_row(row))
            found.setdefault(row["text"], sentence)
    return sorted(found.values(), key=lambda each: stable_hash(seed, each.sent_id))


def simple_variants(variants: list[dict[str, Any]]) -> dict[str, list[Variant]]:
    grouped: dict[str, list[Variant]] = defaultdict(list)
    for row in variants:
        if row["split"] == "test":
            side = Side.from_row(row)
            found = Variant(row["source_id"], row["transformation"], row["meaning"], side, row["alignment"])
            grouped[row["source_id"]].append(found)
    return dict(grouped)


def test_the_sentences_are_those_of_a_reading_of_all(
    corpus: tuple[HeldOut, list[dict[str, Any]], list[dict[str, Any]]],
) -> None:
    held, parsed, variants = corpus
    assert held.sentences == simple(parsed, 5)
    test = [row for row in parsed if row["split"] == "test"]
    assert len(held.sentences) < len(test)
    assert held.trees == [Sentence.from_row(row) for row in test]
    assert [row["sent_id"] for row in held.rows] == [row["sent_id"] for row in test]
    assert held.variants == simple_variants(variants)


def test_of_too_many_sentences_the_first_by_hash_stand_for_all(
    corpus: tuple[HeldOut, list[dict[str, Any]], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, parsed, variants = corpus
    for module in (data, sampling):
        monkeypatch.setattr(module, "MOST", 20)
    assert held.sentences == simple(parsed, 5)[:20]
    ranked = sorted(
        (row for row in parsed if row["split"] == "test"), key=lambda row: stable_hash(5, row["sent_id"])
    )
    lowest = {row["sent_id"] for row in ranked[:20]}
    assert [row["sent_id"] for row in held.rows] == [
        row["sent_id"] for row in parsed if row["sent_id"] in lowest
    ]
    every = simple_variants(variants)
    wanted = lowest | {each.sent_id for each in held.sentences}
    assert {key: every[key] for key in wanted if key in every}.items() <= held.variants.items()
    assert len(held.variants) < len(every) / 2


def test_rows_of_a_mark_have_all_of_its_bits_and_of_these_the_first_of_equal_texts_stands_for_all() -> None:
    sample = sampling.Sample()
    for row, (rank, text, mark) in enumerate([(5, 1, 3), (4, 2, 1), (3, 3, 2), (2, 1, 3), (1, 4, 3)]):
        sample.add(row, rank, text, mark)
    assert sample.lowest().tolist() == [4, 2, 1, 0]
    assert sample.lowest(1).tolist() == [4, 1, 0]
    assert sample.lowest(2).tolist() == [4, 2, 0]
    assert sample.lowest(3).tolist() == [4, 0]
    assert sample.lowest(3, distinct=False).tolist() == [4, 3, 0]
    again = sampling.Sample()  # such as a training sentence that is a test sentence, too
    for row, mark in enumerate([2, 3, 1]):
        again.add(row, rank=row, text=1, mark=mark)
    assert [again.lowest(mark).tolist() for mark in (0, 1, 2, 3)] == [[0], [1], [0], [1]]


def test_rows_come_in_the_order_asked_for(tmp_path: Path) -> None:
    parsed, _ = held_out_rows()
    with ShardWriter(tmp_path, SENTENCE, rows_per_shard=7) as writer:
        for row in parsed:
            writer.add(row)
    numbers = np.random.default_rng(0).permutation(len(parsed))[:25]
    found = sampling.rows_at(tmp_path, numbers)
    assert [row["sent_id"] for row in found] == [parsed[number]["sent_id"] for number in numbers]
    assert sampling.rows_at(tmp_path, numbers[:0]) == []


def test_upos_judges_a_sample_of_each_set(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded = []
    for most in (10**6, 12):
        monkeypatch.setattr(sampling, "MOST", most)
        places = folders(world, tmp_path / str(most))
        result = evaluate(ModelUnderTest("bag", BagOfHashes()), places, PARAMS, ["upos"])
        assert result.failures == {}
        embedded.append(result.embedded)
    assert embedded[1] < embedded[0]


def test_memory_does_not_grow_by_more_than_100_bytes_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (data, sampling):
        monkeypatch.setattr(module, "MOST", 100)
    parsed, variants = held_out_rows()
    peaks = []
    for count in (2_000, 6_000):
        home = tmp_path / str(count)
        ids = [
            (number, parsed[1] | {"sent_id": str(number), "text": f"text {number}"})
            for number in range(count)
        ]
        write_rows(home / "parsed" / "corpus" / "part-00000.arrow", [row for _, row in ids], SENTENCE)
        made = [variants[2] | {"source_id": str(number)} for number, _ in ids]
        write_rows(home / "augmented" / "part-00000.arrow", made, VARIANT)
        held = HeldOut(home / "parsed", home / "augmented", 1)
        tracemalloc.start()
        assert len(held.sentences) == len(held.rows) == 100
        assert len(held.variants) >= 100
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (peaks[1] - peaks[0]) / 4_000 <= 100
