"""Task ``classification``: question types, probing files and their controls."""

from pathlib import Path

import pytest
from small_world import BagOfHashes, example, judge

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def questions(task: str, split: str, count: int = 60) -> list[dict]:
    rows = []
    for number in range(count):
        label = ("HUM:ind", "LOC:city", "NUM:count")[number % 3]
        word = ("who", "where", "how many")[number % 3]
        rows.append(example(task, split, f"{word} is {WORDS[number % 10]} {split} {number}", label=label))
    return rows


def test_questions_are_scored_on_the_test_split(world: Path, tmp_path: Path) -> None:
    rows = questions("trec", "train") + questions("trec", "test")
    outcome = judge(world, tmp_path, rows, ["classification"])
    found = outcome.metrics["semantic"]["trec"]["test"]
    assert set(found) == {"accuracy", "f1_macro"}
    assert found["accuracy"] > 95
    assert sum(row["score"] for row in outcome.examples) / 60 == pytest.approx(found["accuracy"] / 100)


@pytest.mark.parametrize("classifier", ["logistic", "mlp"])
def test_a_probing_file_has_its_controls(classifier: str, world: Path, tmp_path: Path) -> None:
    rows = questions("xprobe-question", "train", 150) + questions("xprobe-question", "test", 150)
    outcome = judge(world, tmp_path, rows, ["classification"], probe_classifier=classifier)
    found = outcome.metrics["semantic"]["xprobe-question"]["test"]
    accuracy = "accuracy" if classifier == "logistic" else "accuracy_mlp"
    assert set(found) == {accuracy, "majority", "random_labels"}
    assert found[accuracy] > 95
    assert found["majority"] == pytest.approx(100 / 3, abs=0.01)
    assert found["random_labels"] < 55


def test_large_probing_file_is_sampled(world: Path, tmp_path: Path) -> None:
    rows = questions("xprobe-question", "train", 90) + questions("xprobe-question", "test", 90)
    drawn = []
    for name, each in (("as it is", rows), ("reversed", rows[::-1])):
        model = BagOfHashes()
        judge(world, tmp_path / name, each, ["classification"], model, probe_sentences=40)
        drawn.append(set(model.seen))
    assert drawn[0] == drawn[1]
    assert [sum(f" {split} " in text for text in drawn[0]) for split in ("train", "test")] == [40, 40]


def test_open_labels_are_closed_and_balanced(world: Path, tmp_path: Path) -> None:
    common = [("NP VP .", "alpha"), ("S : S .", "beta"), ("PP , NP VP .", "gamma")]
    rows = [
        example("probe-phrases", "test", f"{word} {word} {number}", label=label)
        for label, word in common
        for number in range(400 if word == "alpha" else 100)
    ]
    rows += [example("probe-phrases", "test", f"delta {n} delta", label=f"X{n}") for n in range(50)]
    outcome = judge(world, tmp_path, rows, ["classification"], probe_sentences=1000)
    found = outcome.metrics["semantic"]["probe-phrases"]["held_out"]
    assert found["accuracy"] > 85  # all but a few of the rarest, of one row each
    assert found["majority"] < 50  # of 400 alike, a tenth of 1000 rows are left
    assert 50 < len({row["a"] for row in outcome.examples}) < 100  # a fifth of 100 + 100 + 100 + 50
