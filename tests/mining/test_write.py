"""What is written and counted, and which examples a cap leaves."""

from collections import Counter
from pathlib import Path

import pytest
from small_corpus import params, parse

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.mining.build import NO_VARIANT, at_most
from pipeline.mining.build import write as write_examples
from pipeline.mining.filter import Example


def made(name: str, kind: str, split: str = "train", negatives: tuple[str, ...] = ()) -> Example:
    """An example whose anchor is ``name`` and whose positive is that word twice."""
    anchor = {"sent_id": name, "split": split, **parse(name).row()}
    others = [(parse(f"{name} {other}").row(), other) for other in negatives]
    return Example(anchor, parse(f"{name} {name}").row(), kind, others)


def drawn(names: list[str], room: int) -> set[str]:
    """The names of the lowest hash."""
    return set(sorted(names, key=lambda name: stable_hash(13, "cap", name, f"{name} {name}"))[:room])


def test_what_is_kept_is_counted_by_split_and_kind(tmp_path: Path) -> None:
    examples = [
        made("a", "passive", negatives=("swap", "cut")),
        made("b", "passive", negatives=("swap",)),
        made("c", "identity"),
        made("d", "identity", "dev"),
    ]
    dropped = Counter({"too long": 2, "never": 0})
    kept = write_examples(examples, tmp_path / "out", params().mine, dropped)
    rows = list(store.rows(tmp_path / "out"))
    assert [row["source_id"] for row in rows] == ["a", "b", "c", "d"]
    assert [each["text"] for each in rows[0]["negatives"]] == ["a swap", "a cut"]
    assert store.read(tmp_path / "out").schema.equals(schemas.TRIPLET)
    counts = {
        "train": 3, "dev": 1, "positive: passive": 2, "positive: identity": 2,
        "negative: swap": 2, "negative: cut": 1, "negative: none": 2,
    }  # fmt: skip
    assert kept == counts
    assert store.read_json(tmp_path / "out" / "report.json")["kept"] == counts


def test_no_training_example_is_an_error_with_reasons(tmp_path: Path) -> None:
    for dropped, said in (
        (Counter({"too long": 1200, "copy": 3, "never": 0}), r"too long: 1,200, copy: 3\)$"),
        (Counter({NO_VARIANT: 4, "c": 3}), "all but synsem"),
    ):
        with pytest.raises(SynsemError, match=said):
            write_examples([made("a", "x", "dev")], tmp_path / "out", params().mine, dropped)
    assert not (tmp_path / "out").exists()


def test_cap_draws_training_examples_by_content(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(30)]
    examples = [made(name, "x", "dev" if number % 3 == 0 else "train") for number, name in enumerate(names)]
    training = [name for number, name in enumerate(names) if number % 3]
    dropped: Counter[str] = Counter()
    write_examples(examples, tmp_path / "out", params(examples=5).mine, dropped)
    found = [row["source_id"] for row in store.rows(tmp_path / "out")]
    wanted = drawn(training, 5) | set(names[::3])
    assert found == [name for name in names if name in wanted]
    assert dropped == {"beyond mine.examples": 15}


@pytest.mark.parametrize(("others", "room"), [(8, 2), (2, 0), (0, 0)])
def test_share_is_of_each_splits_other_examples(others: int, room: int) -> None:
    examples = [made(f"p{number}", "passive", negatives=("swap",)) for number in range(others)]
    examples += [made(f"i{number}", "pair") for number in range(9)]
    examples += [made("d", "pair", "dev")]
    dropped: Counter[str] = Counter()
    found = list(
        at_most(examples, lambda each: each.kind == "pair", lambda split, n: n // 4, 13, dropped, "why")
    )
    names = [each.anchor["sent_id"] for each in found]
    kept = {f"p{number}" for number in range(others)} | drawn([f"i{number}" for number in range(9)], room)
    assert sorted(names) == sorted(kept)
    assert [each.negatives[0][1] for each in found if each.kind == "passive"] == ["swap"] * others
    assert dropped == {"why": 10 - room}
