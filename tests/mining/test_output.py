"""What is written and counted, and which examples a cap leaves: against counts and draws by hand."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from small_corpus import Doc, no_vectors, params, parse, write

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.mining.examples import example
from pipeline.mining.inputs import Row
from pipeline.mining.output import (
    NO_VARIANT,
    capped,
    capped_kind,
    replay,
    spooled,
    triplet_schema,
    write_examples,
)


def made(name: str, kind: str, split: str = "train", negatives: tuple[str, ...] = ()) -> Row:
    """An example whose anchor is ``name`` and whose positive is that word twice."""
    sentence = {"sent_id": name, "split": split, **parse(name).row()}
    return example(
        sentence,
        parse(f"{name} {name}").row(),
        kind,
        [(parse(f"{name} {other}").row(), other) for other in negatives],
    )


def names(examples: list[Row]) -> list[str]:
    return [row["source_id"] for row in examples]


def drawn(examples: list[Row], seed: int, room: int) -> set[str]:
    """The ones of the lowest hash of source and positive."""
    ranked = sorted(
        examples, key=lambda row: stable_hash(seed, "cap", row["source_id"], row["positive"]["text"])
    )
    return set(names(ranked[:room]))


def test_what_is_kept_is_counted_by_split_and_kind(tmp_path: Path) -> None:
    examples = [
        made("a", "passive", negatives=("swap", "cut")),
        made("b", "passive", negatives=("swap",)),
        made("c", "identity"),
        made("d", "identity", "dev"),
    ]
    inputs = write(tmp_path, [Doc(["x"])])
    dropped = Counter({"too long": 2, "never": 0})
    kept = write_examples(examples, inputs, tmp_path / "out", params(), no_vectors, dropped)
    assert names(list(store.rows(tmp_path / "out"))) == ["a", "b", "c", "d"]
    counts = {
        "train": 3, "dev": 1, "positive: passive": 2, "positive: identity": 2,
        "negative: swap": 2, "negative: cut": 1, "negative: none": 2,
    }  # fmt: skip
    assert kept == counts
    assert store.read_json(tmp_path / "out" / "report.json") == {"kept": counts, "dropped": {"too long": 2}}


def test_without_a_training_example_the_reasons_are_told_and_nothing_is_written(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc(["x"])])
    dropped = Counter({"too long": 1200, "copy": 3, "never": 0})
    message = r"out: no training example; .* \(dropped: too long: 1,200, copy: 3\)$"
    most = Counter({"a": 1, "b": 2, "c": 3, NO_VARIANT: 4})
    other = (
        r"longer sentences; or set mine\.identity .* \(dropped: no variant to learn from: 4, c: 3, b: 2\)$"
    )
    with pytest.raises(SynsemError, match=other):
        write_examples([], inputs, tmp_path / "out", params(), no_vectors, most)
    with pytest.raises(SynsemError, match=message):
        write_examples(
            [made("a", "identity", "dev")], inputs, tmp_path / "out", params(), no_vectors, dropped
        )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("seed", "at_once"), [(13, 1024), (14, 3)])
def test_a_cap_keeps_the_training_examples_of_the_lowest_hash_in_their_order(
    seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.mining.output._BATCH", at_once)
    train = [made(f"t{number}", "identity") for number in range(12)]
    dev = [made(f"v{number}", "identity", "dev") for number in range(4)]
    mixed = [row for group in zip(train[:4], dev, strict=True) for row in group] + train[4:]
    dropped: Counter[str] = Counter()
    with spooled(mixed) as table:
        every = np.ones(len(table), dtype=bool)
        left = names(list(replay(table, capped(table, every, 5, seed, dropped))))
        wanted = drawn(train, seed, 5) | set(names(dev))
        assert left == [name for name in names(mixed) if name in wanted]
        assert dropped == {"beyond mine.examples": 7}
        assert capped(table, every, 12, seed, dropped).all()
        assert dropped["beyond mine.examples"] == 7
        # What is left out already takes no room.
        fewer = capped(table, np.array([row["source_id"] != "t0" for row in mixed]), 11, seed, dropped)
        assert names(list(replay(table, fewer))) == [name for name in names(mixed) if name != "t0"]


def test_examples_have_constituents_where_any_sentence_has(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc(["a b"]), Doc(["c d"]), Doc(["e f"])])
    assert triplet_schema(inputs) == schemas.TRIPLET
    path = store.shards(inputs.sentences)[-1]
    table = store.read_file(path)
    store.write_table(path, table.append_column("constituents", pa.array(["(S x)"])))
    assert triplet_schema(inputs) == schemas.with_constituents(schemas.TRIPLET)


def test_no_example_at_all_is_none_under_a_cap_either() -> None:
    none = np.zeros(0, dtype=bool)
    with spooled([]) as table:
        assert len(capped(table, none, 5, 13, Counter())) == 0
        assert len(capped_kind(table, none, "identity", 0.25, 13, Counter())) == 0


@pytest.mark.parametrize("rows_per_shard", [3, 50_000])
def test_files_are_those_of_rows_written_one_by_one(
    rows_per_shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels are numbered as they come in a file, whatever waits beside them."""
    monkeypatch.setattr("pipeline.mining.output.ROWS_PER_SHARD", rows_per_shard)
    kinds = ("passive", "identity", "cleft", "pair")
    examples = [
        made(
            f"word{number}",
            kinds[number % 3 + number // 9],
            ("train", "dev", "train", "train")[number % 4],
            ("swap", "cut", "other")[: number % 4] if number % 2 else ("late",)[: number % 3],
        )
        for number in range(11)
    ]
    secret = "a text of five words"
    given = [made(secret, "first label"), *examples[:4], made(secret, "another"), *examples[4:]]
    inputs = write(tmp_path, [Doc(["x"])], benchmark=[secret])
    write_examples(given, inputs, tmp_path / "out", params(), no_vectors, Counter())
    with store.ShardWriter(tmp_path / "plain", schemas.TRIPLET, rows_per_shard) as writer:
        for row in examples:
            writer.add(row)
    plain = store.shards(tmp_path / "plain")
    assert [path.read_bytes() for path in store.shards(tmp_path / "out")] == [
        path.read_bytes() for path in plain
    ]
    assert len(plain) == (4 if rows_per_shard == 3 else 1)


def test_a_kind_is_limited_to_its_share_of_each_split() -> None:
    kinds = {"train": ("identity",) * 8 + ("passive",) * 9, "dev": ("identity",) * 2 + ("passive",) * 1}
    examples = [
        made(f"{split}{number}", kind, split)
        for split, own in kinds.items()
        for number, kind in enumerate(own)
    ]
    dropped: Counter[str] = Counter()
    with spooled(examples) as table:
        keep = capped_kind(table, np.ones(len(table), dtype=bool), "identity", 0.25, 13, dropped)
        left = list(replay(table, keep))
    # A quarter of all that is left: 3 beside 9, and of the development examples 0 beside 1.
    assert Counter((row["split"], row["positive_kind"]) for row in left) == {
        ("train", "identity"): 3,
        ("train", "passive"): 9,
        ("dev", "passive"): 1,
    }
    identical = [row for row in examples if row["split"] == "train" and row["positive_kind"] == "identity"]
    wanted = drawn(identical, 13, 3) | {
        row["source_id"] for row in examples if row["positive_kind"] == "passive"
    }
    assert names(left) == [name for name in names(examples) if name in wanted]
    assert dropped == {"identity: beyond its share of the examples": 7}


@pytest.mark.parametrize(
    ("share", "others", "room"),
    [(0.25, 8, 2), (0.25, 9, 3), (0.25, 2, 0), (0.6, 2, 3), (0.7, 3, 7), (0.0, 5, 0)],
)
def test_a_share_is_of_what_is_left_and_rounded_down(share: float, others: int, room: int) -> None:
    """0.6 / 0.4 * 2 is 2.9999999999999996 in floating point."""
    examples = [made(f"p{number}", "passive") for number in range(others + 1)]
    examples += [made(f"i{number}", "identity") for number in range(9)]
    keep = np.array([row["source_id"] != "p0" for row in examples])  # left out already: no part of the rest
    with spooled(examples) as table:
        left = list(replay(table, capped_kind(table, keep, "identity", share, 13, Counter())))
    assert Counter(row["positive_kind"] for row in left) == Counter(passive=others, identity=room)


def test_a_folder_of_other_files_is_not_replaced(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc(["x"])])
    out = tmp_path / "out"
    given = [made("a", "passive", negatives=("swap",))]
    for _ in range(2):  # what an earlier run wrote is
        kept = write_examples(given, inputs, out, params(), no_vectors, Counter())
    assert "negative: none" not in kept
    (out / "notes.txt").touch()
    with pytest.raises(SynsemError, match=r"out: holds other files, such as notes\.txt"):
        write_examples(given, inputs, out, params(), no_vectors, Counter())
    assert (out / "notes.txt").exists()
