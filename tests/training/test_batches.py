from collections import deque
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import TRIPLET
from pipeline.core.store import ShardWriter, rows
from pipeline.syntax.sentence import LABELS, Sentence
from pipeline.training import batches
from pipeline.training.batches import Anchors, Examples, chunks, slice_batch

ONES = np.ones(40, dtype=np.int64)
TEXTS = st.lists(st.frozensets(st.integers(0, 30), min_size=1, max_size=3), min_size=2, max_size=60)


@given(TEXTS, st.integers(2, 8), st.integers(0, 5))
def test_no_text_twice_in_a_batch_and_no_example_twice_in_an_epoch(
    texts: list[frozenset[int]], size: int, seed: int
) -> None:
    lengths = np.array([len(text) for text in texts])
    planned = batches.epoch(texts, lengths, size, np.random.default_rng(seed))[0]
    used = [int(number) for batch in planned for number in batch]
    assert len(used) == len(set(used))
    for batch in [*planned, *batches.in_order(texts, size, 100)]:
        held = [text for number in batch for text in texts[number]]
        assert len(held) == len(set(held))
    assert all(len(batch) == size for batch in planned)


@given(TEXTS, st.integers(2, 40), st.integers(0, 5))
def test_every_example_that_fits_a_batch_is_read(texts: list[frozenset[int]], size: int, seed: int) -> None:
    lengths = np.ones(len(texts))
    may = {i for i, a in enumerate(texts) if any(a.isdisjoint(b) for b in texts)}
    if not may:
        with pytest.raises(SynsemError, match="train: fewer than two"):
            batches.stream(texts, lengths, size, seed)
        return
    read: set[int] = set()
    for batch in islice(batches.stream(texts, lengths, size, seed), 20 * len(texts)):
        assert 2 <= len(batch) <= size
        read.update(batch.tolist())
    assert read == may


def test_without_equal_texts_every_example_comes_once_an_epoch() -> None:
    texts = [frozenset([number]) for number in range(40)]
    planned = batches.epoch(texts, ONES, 8, np.random.default_rng(0))[0]
    assert sorted(np.concatenate(planned)) == list(range(40))
    assert sorted(np.concatenate(batches.in_order(texts, 8, 100))) == list(range(40))


@pytest.mark.parametrize("size", [8, 60])
def test_long_examples_are_read_as_often_as_short_ones(size: int) -> None:
    texts, lengths = [frozenset([number]) for number in range(100)], np.arange(1, 101)
    reads, left = np.zeros(100, dtype=int), list[int]()
    together = np.zeros((100, 100), dtype=int)
    for number in range(20):
        planned, left = batches.epoch(texts, lengths, size, np.random.default_rng(number), left)
        for batch in planned:
            reads[batch] += 1
            together[np.ix_(batch, batch)] += 1
    assert (reads.min(), reads.max()) >= (18, 19)
    assert together[~np.eye(100, dtype=bool)].max() < 20, "no two meet all the time"


@pytest.mark.parametrize(("count", "most"), [(40, 16), (40, 40), (40, 100), (7, 3), (1, 5), (0, 5)])
def test_validation_takes_examples_of_the_whole_data(count: int, most: int) -> None:
    texts = [frozenset([number]) for number in range(count)]
    found = [row for batch in batches.in_order(texts, 4, most) for row in batch.tolist()]
    assert found == sorted(set(found))
    if count > 1:
        assert len(found) == min(count, most)
        assert max(np.diff([*found, count])) <= -(-count // most) + (count // most) * (len(found) < most)


def test_batches_hold_like_lengths() -> None:
    rng = np.random.default_rng(0)
    lengths, texts = rng.integers(3, 60, 640), [frozenset([number]) for number in range(640)]
    spread = [np.ptp(lengths[batch]) for batch in batches.epoch(texts, lengths, 16, rng)[0]]
    assert np.mean(spread) < 12  # about 50 if drawn at random


def test_examples_are_the_rows_of_their_split(triplets: Path) -> None:
    expected = [row for row in rows(triplets) if row["split"] == "train"]
    examples = Examples(triplets, "train")
    assert len(examples) == len(expected) == 60
    assert list(Anchors(examples)) == [Sentence.from_row(row["anchor"]) for row in expected]
    words = [len(row["anchor"]["words"]) + len(row["positive"]["words"]) for row in expected]
    assert examples.lengths().tolist() == words
    by_text = [
        {row["anchor"]["text"], row["positive"]["text"], *(side["text"] for side in row["negatives"])}
        for row in expected
    ]
    texts = [set(numbers) for numbers in examples.texts()]
    for i in range(60):
        for j in range(60):
            assert texts[i].isdisjoint(texts[j]) == by_text[i].isdisjoint(by_text[j])


def test_a_batch_holds_its_rows_across_files_and_in_any_order(triplets: Path) -> None:
    split = [row for row in rows(triplets) if row["split"] == "train"]
    numbers = np.random.default_rng(1).permutation(len(split))[:30]
    batch, expected = Examples(triplets, "train").batch(numbers), [split[number] for number in numbers]
    assert batch.anchors == [Sentence.from_row(row["anchor"]) for row in expected]
    assert batch.positives == [Sentence.from_row(row["positive"]) for row in expected]
    assert batch.negatives == [Sentence.from_row(side) for row in expected for side in row["negatives"]]
    assert batch.owners == [place for place, row in enumerate(expected) for _ in row["negatives"]]
    assert batch.kinds == [row["positive_kind"] for row in expected]


def write_texts(folder: Path, examples: Iterable[tuple[str, str, str]]) -> None:
    """Write training examples of an anchor, a positive and a negative, a file each."""
    blank = {"words": ["x"], "heads": [0], **{name: [""] for name in LABELS}}
    row = {"source_id": "1", "split": "train", "positive_kind": "k", "negative_kinds": ["k"]}
    with ShardWriter(folder, TRIPLET, rows_per_shard=1) as writer:
        for texts in examples:
            anchor, positive, negative = ({"text": text, **blank} for text in texts)
            writer.add(row | {"anchor": anchor, "positive": positive, "negatives": [negative]})


def test_case_and_spacing_make_no_other_text(tmp_path: Path) -> None:
    write_texts(tmp_path, [("A cat", "a dog", "cows"), ("Birds", "a  CAT", "Cows"), ("p", "q", "r")])
    one, two, three = map(set, Examples(tmp_path, "train").texts())
    assert len(one & two) == 2
    assert not three & (one | two)
    assert batches.fill(deque([0, 1, 2]), [one, two, three], 3) == [0, 2]


def test_paraphrases_of_one_text_never_meet(tmp_path: Path) -> None:
    """Nor does a negative meet a paraphrase of its own text. A long chain of pairs is not one meaning."""
    chain = [(f"x{number}", f"x{number + 1}", f"y{number}") for number in range(200)]
    write_texts(tmp_path, [("a", "b", "n"), ("c", "b", "m"), ("C", "d", "k"), ("e", "f", "D"), *chain])
    first, second, third, fourth, *others = map(set, Examples(tmp_path, "train").texts())
    assert len(first & second & third & fourth) == 1
    assert not batches.in_order([first, second, third, fourth], 4, 4)
    assert others[0].isdisjoint(others[2])
    assert first.isdisjoint(set.union(*others))


def test_missing_columns_are_empty(tmp_path: Path) -> None:
    plain = {"text": "Go", "words": ["Go"], "heads": [0]}
    full = plain | {"deprels": ["root"]}
    row = {"source_id": "1", "split": "train", "positive_kind": "x", "anchor": plain, "positive": full}
    lists = {"negatives": [full, plain], "negative_kinds": ["y", "y"]}
    with ShardWriter(tmp_path, TRIPLET) as writer:
        writer.add(row | lists)
    batch = Examples(tmp_path, "train").batch([0])
    assert (batch.anchors[0].upos, batch.anchors[0].deprels) == ((), ())
    assert [side.deprels for side in (*batch.positives, *batch.negatives)] == [("root",), ("root",), ()]


def test_parts_of_a_batch_are_the_batch(triplets: Path) -> None:
    batch = Examples(triplets, "train").batch(range(21))
    for size in (1, 4, 100):
        cut = chunks(batch, size)
        for group in ("anchors", "positives", "negatives", "kinds"):
            assert [side for each in cut for side in getattr(each, group)] == list(getattr(batch, group))
        starts = range(0, len(batch.anchors), size)
        owners = [start + owner for start, each in zip(starts, cut, strict=True) for owner in each.owners]
        assert owners == list(batch.owners)
    assert not slice_batch(batch, 0, 0).anchors
