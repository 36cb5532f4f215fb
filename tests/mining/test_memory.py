"""Bytes that mining holds for each further sentence: numbers, no texts."""

import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from small_corpus import Doc, params, parse, write

from pipeline.core import store
from pipeline.mining import overlap_negatives
from pipeline.mining.examples import distinct, example
from pipeline.mining.inputs import DistinctTexts, Lookup, Row
from pipeline.mining.output import capped, spooled
from pipeline.mining.paraphrases import Member, Paired

FEW, MANY = 5_000, 20_000  # both fill a table of hashes to the same share


def growth(work: Callable[[int], object]) -> float:
    """Bytes at the peak for each sentence beyond the first ones."""
    peaks = []
    work(10)
    for count in (FEW, MANY):
        tracemalloc.start()
        kept = work(count)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        del kept
    return (peaks[1] - peaks[0]) / (MANY - FEW)


def sentences(count: int) -> Iterator[Row]:
    """Sentences of ten words, one of them new each time."""
    for number in range(count):
        words = [*(f"word{number % (place + 97)}" for place in range(9)), f"name{number}"]
        yield {"text": " ".join(words), "words": words, "split": "train", "place": number}


def consumed(rows: Iterator[object]) -> None:
    for _ in rows:
        pass


def test_of_the_texts_seen_some_bytes_are_held() -> None:
    assert growth(lambda count: consumed(distinct(sentences(count), params(), Counter()))) < 60


def test_of_the_words_of_sentences_some_bytes_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That every sentence has a word of its own is worse than any text."""

    monkeypatch.setattr(overlap_negatives, "_WORDS", 100)

    def read(count: int) -> object:
        monkeypatch.setattr(overlap_negatives, "without_variants", lambda inputs: sentences(count))
        return overlap_negatives._word_sets(write(tmp_path, []), params(), tmp_path)

    assert growth(read) < 140


def test_of_hashed_sets_some_bytes_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap_negatives, "without_variants", lambda inputs: sentences(FEW + MANY))
    monkeypatch.setattr("pipeline.mining.overlap.BANDS", 1)
    monkeypatch.setattr("pipeline.mining.overlap._CHUNK", 2**14)
    monkeypatch.setattr("pipeline.mining.overlap._PAIRS", 2**10)
    sets = overlap_negatives._word_sets(write(tmp_path, []), params(), tmp_path).sets

    def hashed(count: int) -> None:
        some = overlap_negatives.WordSets(sets.words, sets.starts[: count + 1])
        consumed(overlap_negatives.hashed_pairs(some, 0.9, 13))

    assert growth(hashed) < 60


def test_of_pair_ids_some_bytes_are_held(tmp_path: Path) -> None:
    inputs = write(tmp_path, [])

    def read(count: int) -> Paired:
        paired = Paired(inputs)
        for number in range(count):
            paired.pair_of.add(f"source:{number}", number // 2)
            paired.add(number // 2, Member(number, f"source:{number}", "en", "train", "source"))
        assert paired.pair_of.get("source:7") == 3
        assert paired.pair_of.get("source") is None
        return paired

    assert growth(read) < 100


def test_of_embedded_texts_the_vectors_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.mining.inputs._CHUNK", 100)

    def read(count: int) -> DistinctTexts:
        texts = DistinctTexts(lambda sides: np.zeros((len(sides), 0), dtype=np.float32))
        for sentence in sentences(count):
            texts.number(sentence | {name: [] for name in ("heads", "deprels", "upos", "xpos", "lemmas")})
        return texts

    assert growth(read) < 60


def test_of_the_examples_of_a_cap_some_bytes_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.ShardWriter.__init__, "__defaults__", (100,))
    monkeypatch.setattr("pipeline.mining.output._BATCH", 100)
    monkeypatch.setattr("pipeline.core.store._BATCH", 100)
    side = parse("a b").row()

    def examples(count: int) -> Iterator[Row]:
        for number in range(count // 10):
            yield example(
                {"sent_id": f"a long name of a source:{number}", "split": "train", **side}, side, "x"
            )

    def drawn(count: int) -> object:
        with spooled(examples(count)) as table:
            return capped(table, np.ones(len(table), dtype=bool), count // 20, 13, Counter())

    assert 10 * growth(drawn) < 100


def test_rows_are_looked_up_across_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.mining.inputs._BLOCK", 2)
    texts = [f"sentence number {number}" for number in range(7)]
    inputs = write(tmp_path, [Doc(texts[:3]), Doc(texts[3:4]), Doc(texts[4:])])
    lookup = Lookup(inputs)
    rows = list(store.rows(inputs.sentences))
    for place in chain(range(7), reversed(range(7))):
        assert lookup[place] == rows[place]
        assert lookup.sent_id(place) == rows[place]["sent_id"]
