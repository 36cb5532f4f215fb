import tracemalloc
from collections import deque
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import TRIPLET, with_constituents
from pipeline.core.store import ShardWriter, rows, write_rows
from pipeline.syntax.sentence import Side, normalised
from pipeline.training import batches
from pipeline.training.batches import Limits
from pipeline.training.examples import Examples

ONES = np.ones(40, dtype=np.int64)
TEXTS = st.lists(st.frozensets(st.integers(0, 30), min_size=1, max_size=3), min_size=2, max_size=60)


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.integers(2, 8), st.integers(0, 5))
def test_no_two_equal_texts_in_a_batch_and_no_example_twice_in_an_epoch(
    texts: list[frozenset[int]], size: int, seed: int
) -> None:
    lengths, limits = np.array([len(text) for text in texts]), Limits(size)
    planned = batches.epoch(texts, lengths, limits, np.random.default_rng(seed)).batches
    used = [int(number) for batch in planned for number in batch]
    assert len(used) == len(set(used))
    for batch in [*planned, *batches.in_order(texts, lengths, limits)]:
        held = [text for number in batch for text in texts[number]]
        assert len(held) == len(set(held))
    assert all(len(batch) == size for batch in planned)


def all_candidates_at_once(
    texts: list[frozenset[int]], lengths: np.ndarray, limits: Limits, rng: np.random.Generator
) -> list[list[int]]:
    """What ``epoch`` plans, by a queue of all examples."""
    order = rng.permutation(len(texts))
    together = min(limits.examples * batches.WINDOW, max(limits.examples, len(texts) // 4))
    for start in range(0, len(order), together):
        window = order[start : start + together]
        order[start : start + together] = window[np.argsort(lengths[window], kind="stable")]
    queue, found = deque(order.tolist()), []
    while True:
        chosen: list[int] = []
        passed: list[int] = []
        full = False
        while queue and not full:
            number = queue.popleft()
            if any(texts[number] & texts[other] for other in chosen):
                passed.append(number)
                continue
            longest = max(int(lengths[each]) for each in [*chosen, number])
            if limits.words is not None and len(chosen) > 1 and longest * (len(chosen) + 1) > limits.words:
                queue.appendleft(number)
                break
            chosen.append(number)
            full = len(chosen) == limits.examples
        else:
            if not full:
                return [found[number] for number in rng.permutation(len(found))]
        queue.extendleft(reversed(passed))
        found.append(chosen)


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.integers(2, 8), st.sampled_from([None, 8, 40]), st.integers(0, 5))
def test_batches_are_those_of_a_queue_of_all_examples(
    texts: list[frozenset[int]], size: int, words: int | None, seed: int
) -> None:
    lengths = np.array([1 + sum(text) % 7 for text in texts])
    limits = Limits(size, words)
    planned = batches.epoch(texts, lengths, limits, np.random.default_rng(seed)).batches
    expected = all_candidates_at_once(texts, lengths, limits, np.random.default_rng(seed))
    assert [batch.tolist() for batch in planned] == expected


def test_without_equal_texts_every_example_comes_once_an_epoch() -> None:
    texts = [frozenset([number]) for number in range(40)]
    planned = batches.epoch(texts, ONES, Limits(8), np.random.default_rng(0)).batches
    assert sorted(np.concatenate(planned)) == list(range(40))
    assert sorted(np.concatenate(batches.in_order(texts, ONES, Limits(7)))) == list(range(40))


@pytest.mark.parametrize(("count", "most"), [(40, 16), (40, 39), (40, 40), (40, 100), (7, 3), (1, 5), (0, 5)])
def test_few_examples_for_validation_are_of_the_whole_data(count: int, most: int) -> None:
    texts = [frozenset([number]) for number in range(count)]
    found = [row for batch in batches.in_order(texts, ONES, Limits(4), most) for row in batch.tolist()]
    assert found == sorted(set(found))
    if count > 1:
        assert len(found) == min(count, most)
        assert max(np.diff([*found, count])) <= -(-count // most) + (count // most) * (len(found) < most)


@pytest.mark.parametrize("size", [8, 32, 60])
def test_long_examples_are_read_as_often_as_short_ones(size: int) -> None:
    """Whatever share of a batch is left at the end of an epoch, and however few batches there are."""
    texts, lengths = [frozenset([number]) for number in range(100)], np.arange(1, 101)
    reads, left = np.zeros(100, dtype=int), list[int]()
    together = np.zeros((100, 100), dtype=int)
    for number in range(20):
        rng = np.random.default_rng(number)
        planned, left = batches.epoch(texts, lengths, Limits(size), rng, left)
        for batch in planned:
            reads[batch] += 1
            together[np.ix_(batch, batch)] += 1
    assert reads.min() >= 18
    assert reads.max() <= 20
    assert together[~np.eye(100, dtype=bool)].max() < 20, "no two meet all the time"


def test_what_an_epoch_leaves_is_read_in_the_next_one_and_never_piles_up() -> None:
    """Forty examples of one text: one of them a batch."""
    texts = [frozenset([number % 60 if number < 60 else 0]) for number in range(100)]
    left, reads = list[int](), np.zeros(100, dtype=int)
    for number in range(60):
        planned, left = batches.epoch(texts, np.ones(100), Limits(10), np.random.default_rng(number), left)
        assert len(left) == len(set(left)) <= 100
        for batch in planned:
            reads[batch] += 1
    assert reads.min() > 0


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.integers(2, 40), st.integers(0, 5))
def test_every_example_that_may_be_in_a_batch_is_read(
    texts: list[frozenset[int]], size: int, seed: int
) -> None:
    """Also where texts in common leave no full batch, or leave the same example every time."""
    lengths = np.array([1 + sum(text) % 7 for text in texts])
    may = {i for i, a in enumerate(texts) if any(a.isdisjoint(b) for b in texts)}
    if not may:
        with pytest.raises(SynsemError, match="fewer than two training examples"):
            batches.stream(texts, lengths, Limits(size), seed)
        return
    planned = batches.stream(texts, lengths, Limits(size), seed)
    read: set[int] = set()
    for batch in islice(planned, 40 * len(texts)):
        assert 2 <= len(batch) <= size
        read.update(batch.tolist())
    assert read == may


def test_one_example_that_meets_two_others_is_not_left_for_ever() -> None:
    """Of nine, eight fill a batch without it."""
    texts = [frozenset([number]) for number in range(8)] + [frozenset([0, 1])]
    read = np.zeros(9, dtype=int)
    for batch in islice(batches.stream(texts, ONES[:9], Limits(8), 0), 200):
        read[batch] += 1
    assert read.min() > 30


@pytest.mark.parametrize("hub", [0, 1, 2])
def test_an_example_that_shares_a_text_with_every_other_stops_no_batch(hub: int) -> None:
    """Two sentences, each with its rewording, and the pair of the two."""
    texts = [frozenset("aA"), frozenset("bB")]
    texts.insert(hub, frozenset("ab"))  # type: ignore[arg-type]
    for seed in range(6):
        for batch in islice(batches.stream(texts, ONES[:3], Limits(8), seed), 4):  # type: ignore[arg-type]
            assert sorted(batch.tolist()) == [number for number in range(3) if number != hub]


def test_an_example_alone_joins_a_batch_where_its_text_is_new() -> None:
    texts = [frozenset([number]) for number in (0, 1, 2, 3, 0)]
    assert [batch.tolist() for batch in batches.in_order(texts, ONES, Limits(2))] == [[0, 1], [2, 3, 4]]
    assert batches.in_order([frozenset([0])] * 5, ONES, Limits(2)) == []


def test_the_stream_is_a_function_of_the_seed_and_goes_on_after_an_epoch() -> None:
    texts = [frozenset([number]) for number in range(40)]
    first = [b.tolist() for b in islice(batches.stream(texts, ONES, Limits(8), 1), 12)]
    assert first == [b.tolist() for b in islice(batches.stream(texts, ONES, Limits(8), 1), 12)]
    assert first != [b.tolist() for b in islice(batches.stream(texts, ONES, Limits(8), 2), 12)]
    assert first[:5] != first[5:10]


def test_batches_hold_like_lengths() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 60, 640)
    texts = [frozenset([number]) for number in range(640)]
    spread = np.mean(
        [np.ptp(lengths[batch]) for batch in batches.epoch(texts, lengths, Limits(16), rng).batches]
    )
    assert spread < 12  # about 50 if drawn at random


def test_words_end_a_batch_where_one_more_example_would_be_too_many() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 60, 640)
    texts = [frozenset([number]) for number in range(640)]
    planned = batches.epoch(texts, lengths, Limits(64, 200), np.random.default_rng(1)).batches
    used = np.concatenate(planned)
    assert len(used) == len(set(used.tolist())) > 600
    for batch in planned:
        assert len(batch) == 2 or lengths[batch].max() * len(batch) <= 200
    assert len({len(batch) for batch in planned}) > 5  # many short ones, few long ones
    filled = [lengths[batch].sum() / 200 for batch in planned]
    assert np.mean(filled) > 0.75
    unbounded = batches.epoch(texts, lengths, Limits(16, 10**6), np.random.default_rng(2)).batches
    plain = batches.epoch(texts, lengths, Limits(16), np.random.default_rng(2)).batches
    assert [batch.tolist() for batch in unbounded] == [batch.tolist() for batch in plain]


def test_an_example_too_long_for_a_batch_begins_the_next() -> None:
    texts = [frozenset({number}) for number in range(5)]
    candidates = batches.Candidates([])
    candidates.waiting.extend(range(5))
    filled = batches.fill(candidates, texts, np.array([2, 2, 9, 1, 1]), Limits(8, 10))
    assert filled == batches.Filled([0, 1], full=True)
    assert list(candidates.waiting) == [2, 3, 4]


def test_data_that_cannot_use_up_the_words_make_one_batch() -> None:
    texts = [frozenset([number]) for number in range(5)]
    planned = batches.stream(texts, ONES, Limits(64, 10**6), 0)
    assert [sorted(next(planned).tolist()) for _ in range(2)] == [list(range(5))] * 2


def test_fewer_examples_than_a_batch_make_a_smaller_one_and_too_few_an_error() -> None:
    texts = [frozenset([number]) for number in range(3)]
    assert len(next(batches.stream(texts, ONES, Limits(8), 0))) == 3
    with pytest.raises(SynsemError, match="fewer than two training examples"):
        next(batches.stream([frozenset([1]), frozenset([1])], ONES, Limits(8), 0))


def test_examples_are_the_rows_of_their_split(triplets: Path) -> None:
    expected = [row for row in rows(triplets) if row["split"] == "train"]
    examples = Examples(triplets, "train")
    assert len(examples) == len(expected) == 60
    batch = examples.batch([0, 25, 59])
    none_given = {"constituents": ""}
    for place, number in enumerate([0, 25, 59]):
        assert batch.anchors[place]._asdict() == expected[number]["anchor"] | none_given
        assert batch.positives[place]._asdict() == expected[number]["positive"] | none_given
    assert [side._asdict() for side in batch.negatives] == [
        side | none_given for number in [0, 25, 59] for side in expected[number]["negatives"]
    ]
    words = [len(row["anchor"]["words"]) + len(row["positive"]["words"]) for row in expected]
    assert examples.lengths().tolist() == words
    by_text = [
        {row["anchor"]["text"], row["positive"]["text"], *(side["text"] for side in row["negatives"])}
        for row in expected
    ]
    texts = examples.texts()
    for i in range(60):
        for j in range(60):
            assert texts[i].isdisjoint(texts[j]) == by_text[i].isdisjoint(by_text[j])


def test_texts_that_differ_in_case_or_spacing_alone_are_one(tmp_path: Path) -> None:
    blank = {"words": ["x"], "heads": [0], **{name: [""] for name in Side._fields[3:]}}
    with ShardWriter(tmp_path, TRIPLET, rows_per_shard=1) as writer:
        for anchor, positive, negative in (
            ("A cat", "a dog", "cows"),
            ("Birds", "a  CAT", "Cows"),
            ("p", "q", "r"),
        ):
            writer.add(
                {
                    "source_id": anchor,
                    "split": "train",
                    "anchor": {"text": anchor, **blank},
                    "positive": {"text": positive, **blank},
                    "positive_kind": "k",
                    "negatives": [{"text": negative, **blank}],
                    "negative_kinds": ["k"],
                    "negative_hardness": [0.5],
                }
            )
    one, two, three = Examples(tmp_path, "train").texts()
    assert len(one & two) == 2
    assert not three & (one | two)
    assert batches.fill(batches.Candidates([0, 1, 2]), [one, two, three], ONES, Limits(3)).chosen == [0, 2]


def test_a_batch_holds_what_the_rows_hold_across_files_and_in_any_order(triplets: Path) -> None:
    split = [row for row in rows(triplets) if row["split"] == "train"]
    numbers = np.random.default_rng(1).permutation(len(split))[:30]
    batch = Examples(triplets, "train").batch(numbers)
    expected = [split[number] for number in numbers]
    assert batch.anchors == [Side.from_row(row["anchor"]) for row in expected]
    assert batch.positives == [Side.from_row(row["positive"]) for row in expected]
    assert batch.negatives == [Side.from_row(side) for row in expected for side in row["negatives"]]
    assert batch.owners == [place for place, row in enumerate(expected) for _ in row["negatives"]]
    assert batch.kinds == [row["positive_kind"] for row in expected]
    assert type(batch.anchors[0].heads[0]) is int


def test_labels_that_are_missing_and_constituents_are_read_as_they_are(tmp_path: Path) -> None:
    plain = {"text": "Go", "words": ["Go"], "heads": [0]}
    full = plain | {"deprels": ["root"], "constituents": "gold (S Go)"}
    row = {"source_id": "1", "split": "train", "positive_kind": "x", "anchor": plain, "positive": full}
    lists = {"negatives": [full, plain], "negative_kinds": ["y", "y"], "negative_hardness": [0.0, 0.0]}
    with ShardWriter(tmp_path, with_constituents(TRIPLET)) as writer:
        writer.add(row | lists)
    [found] = rows(tmp_path)
    batch = Examples(tmp_path, "train").batch([0])
    assert batch.anchors == [Side.from_row(found["anchor"])]
    assert (batch.anchors[0].upos, batch.anchors[0].constituents) == (None, "")
    assert batch.negatives == [Side.from_row(side) for side in found["negatives"]]
    assert batch.positives[0].constituents == "gold (S Go)"


def simple_texts(folder: Path) -> list[frozenset[int]]:
    """The texts of the training examples, numbered as they first appear."""
    known: dict[str, int] = {}
    sides = [
        [row["anchor"], row["positive"], *row["negatives"]] for row in rows(folder) if row["split"] == "train"
    ]
    return [
        frozenset(known.setdefault(normalised(side["text"]), len(known)) for side in each) for each in sides
    ]


def test_hashed_texts_give_the_batches_of_numbered_texts(triplets: Path) -> None:
    examples, expected = Examples(triplets, "train"), simple_texts(triplets)
    texts, lengths = examples.texts(), examples.lengths()
    assert len(texts) == len(expected)
    assert [len(texts[number]) for number in range(len(texts))] == [len(each) for each in expected]
    for limits in (Limits(8), Limits(16, 120)):
        found = islice(batches.stream(texts, lengths, limits, 13), 40)
        simple = islice(batches.stream(expected, lengths, limits, 13), 40)
        assert [batch.tolist() for batch in found] == [batch.tolist() for batch in simple]
    some = [batch.tolist() for batch in batches.in_order(texts, lengths, Limits(8), most=20)]
    assert some == [batch.tolist() for batch in batches.in_order(expected, lengths, Limits(8), most=20)]
    anchors = examples.anchors()
    assert list(anchors) == list(anchors) == examples.batch(range(60)).anchors


def test_the_plan_of_an_epoch_takes_at_most_100_bytes_an_example(tmp_path: Path) -> None:
    """At the start of training: all that is held or was held meanwhile, for each further example."""
    peaks = []
    for count in (4_000, 12_000):
        side = {"words": ["x"], "heads": [0]}
        write_rows(
            tmp_path / str(count) / "part-00000.arrow",
            (
                {
                    "source_id": "", "split": "train", "positive_kind": "k", "negative_kinds": ["k"],
                    "anchor": side | {"text": f"sentence number {number} of the corpus"},
                    "positive": side | {"text": f"the corpus's sentence number {number}"},
                    "negatives": [side | {"text": f"sentence corpus of the {number} number"}],
                    "negative_hardness": [0.5],
                }
                for number in range(count)
            ),
            TRIPLET,
        )  # fmt: skip
        tracemalloc.start()
        examples = Examples(tmp_path / str(count), "train")
        next(batches.stream(examples.texts(), examples.lengths(), Limits(32), 1))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (peaks[1] - peaks[0]) / 8_000 <= 100


def test_what_is_left_and_was_read_meanwhile_makes_no_batch_that_is_not_full() -> None:
    """An example that an epoch left comes twice in the next one, and its second time is no reason."""
    texts = [frozenset([number]) for number in range(10)]
    for seed in range(30):
        planned = batches.epoch(
            texts, np.ones(10, dtype=np.int64), Limits(4), np.random.default_rng(seed), [0]
        ).batches
        assert [len(batch) for batch in planned] == [4, 4]
