"""Task ``pairs`` on separable pairs: each protocol, and what may choose and train."""

from pathlib import Path

import pytest
from sklearn.metrics import average_precision_score
from small_world import Late, example, judge, sentence

from pipeline.core.errors import SynsemError
from pipeline.evaluation.tasks.pairs import FIRST_UNREAD


def paired(task: str, split: str, count: int = 40) -> list[dict]:
    """Label 1 if all but one word are shared, 0 if one word is."""
    rows = []
    for number in range(count):
        a = [f"{split}{number}x{i}" for i in range(6)]
        keep = 5 if number % 2 else 1
        b = a[:keep] + [f"other{split}{number}x{i}" for i in range(6 - keep)]
        rows.append(example(task, split, " ".join(a), " ".join(b), label=str(number % 2)))
    return rows


def turned(rows: list[dict]) -> list[dict]:
    return [row | {"label": str(1 - int(row["label"]))} for row in rows]


def test_protocols_on_separable_pairs(world: Path, tmp_path: Path) -> None:
    rows = paired("paws-wiki", "dev") + paired("paws-wiki", "test")
    found = judge(world, tmp_path, rows, ["pairs"]).metrics["semantic"]["paws"]["test"]
    assert found["ap"] == found["accuracy_dev_threshold"] == 100
    assert found["accuracy_logistic"] > 80


def test_late_scores_are_a_view(world: Path, tmp_path: Path) -> None:
    """Label 1 if a word is new, 0 if two words have changed places: no bag of words can tell."""
    rows = []
    for split in ("dev", "test"):
        for number in range(40):
            a = [f"{split}{number}x{i}" for i in range(6)]
            b = [*a[:5], "new"] if number % 2 else [a[5], *a[1:5], a[0]]
            rows.append(example("paws-wiki", split, " ".join(a), " ".join(b), label=str(number % 2)))
    outcome = judge(world, tmp_path, rows, ["pairs"], Late())
    late, semantic = (outcome.metrics[view]["paws"]["test"] for view in ("late", "semantic"))
    assert late == {"ap_late": 100, "accuracy_dev_threshold_late": 100}
    assert semantic["ap"] < 50
    kept = [row for row in outcome.examples if row["metric"] == "ap_late"]
    gold, score = ([row[name] for row in kept] for name in ("gold", "score"))
    assert 100 * average_precision_score(gold, score) == pytest.approx(late["ap_late"])


def test_unread_pairs_have_their_own_number(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FIRST_UNREAD, "paws-wiki", 20)
    test = paired("paws-wiki", "test", 60)
    rows = paired("paws-wiki", "dev") + test[:20] + turned(test[20:])
    found = judge(world, tmp_path, rows, ["paws-wiki"]).metrics["semantic"]["paws"]
    last = 100 * average_precision_score([0] * 20 + [1] * 20, range(40, 0, -1))  # every positive ranked last
    assert found["test_unread"] == {"ap": pytest.approx(last, abs=0.01)}
    assert found["test"]["ap"] > last + 5


def test_a_map_has_pairs_of_both_labels(world: Path, tmp_path: Path) -> None:
    rows = paired("paws-wiki", "dev") + paired("paws-wiki", "test", 100)
    kept = [
        row for row in judge(world, tmp_path, rows, ["paws-wiki"]).projection if row["view"] == "semantic"
    ]
    assert [row["role"] for row in kept] == ["anchor", "negative"] * 30 + ["anchor", "variant"] * 30
    gold = {row["a"]: row["label"] for row in rows}
    for anchor, other in zip(kept[::2], kept[1::2], strict=True):
        assert gold[anchor["text"]] == ("1" if other["role"] == "variant" else "0")


def test_without_a_test_split_a_part_is_held_out(world: Path, tmp_path: Path) -> None:
    outcome = judge(world, tmp_path, paired("paws-x-en", "dev", 100), ["pairs"])
    (split, found), *others = outcome.metrics["semantic"]["paws-x-en"].items()
    assert (split, others) == ("held_out", [])
    assert found["ap"] == found["accuracy_dev_threshold"] == 100
    kept = [row for row in outcome.examples if row["metric"] == "ap"]
    assert {row["task"] for row in kept} == {"paws-x-en.held_out"}
    assert 10 < len(kept) < 30  # about a fifth


def test_a_test_split_alone_is_only_ranked(world: Path, tmp_path: Path) -> None:
    outcome = judge(world, tmp_path, paired("mine", "test"), ["mine"])
    assert outcome.metrics["semantic"] == {"mine": {"test": {"ap": 100.0}}}


def test_only_development_pairs_choose_the_threshold(world: Path, tmp_path: Path) -> None:
    rows = turned(paired("qqp", "dev")) + paired("qqp", "test")
    found = judge(world, tmp_path, rows, ["qqp"]).metrics["semantic"]["qqp"]["test"]
    # The development labels are upside down: no threshold beats calling all pairs alike.
    assert (found["ap"], found["accuracy_dev_threshold"]) == (100, 50)


@pytest.mark.parametrize("parsed", [0, 1, 160])
def test_agreement_of_trees_needs_every_tree(world: Path, tmp_path: Path, parsed: int) -> None:
    rows = paired("qqp", "dev") + paired("qqp", "test")
    texts = sorted({text for row in rows for text in (row["a"], row["b"])})[:parsed]
    tags = "NOUN " * 6, "0 1 1 1 1 1", "root obj obj obj obj obj"
    trees = [sentence(text, *tags) for text in texts]
    found = judge(world, tmp_path, rows, ["qqp"], trees=trees, baselines=True).metrics
    assert set(found["semantic"]["qqp"]["test"]) == {"ap", "accuracy_dev_threshold", "accuracy_logistic"}
    assert ("structural_agreement" in found) == (parsed == 160)


def test_a_model_that_reads_trees_refuses_texts_without(world: Path, tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match="qqp"):
        judge(world, tmp_path, paired("qqp", "test"), ["qqp"], needs_trees=True)
