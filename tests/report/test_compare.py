"""Two runs, or two systems over their seeds, compared from files whose scores are known."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from pipeline.core.errors import SynsemError
from pipeline.core.store import write_json
from pipeline.evaluation.tasks import Outcome, write
from pipeline.report.compare import compare, comparison_table

TEXTS = [f"text {number}" for number in range(80)]
BASE = np.arange(80) % 2


def leave(reports: Path, run: str, score: np.ndarray, view: str = "semantic", **keep: object) -> None:
    outcome = Outcome()
    given = {"task": "trec.test", "metric": "accuracy", "a": TEXTS} | keep
    outcome.keep(view, score=score, **given)  # type: ignore[arg-type]
    outcome.put(view, "trec.test.accuracy", 100 * np.mean(score))
    write(outcome, reports, run)


def test_a_better_run_is_starred(tmp_path: Path) -> None:
    leave(tmp_path, "backbone", BASE)
    leave(tmp_path, "sscp-13", np.where(np.arange(80) < 40, 1, BASE))
    (line,) = compare(tmp_path, "backbone", "sscp-13")
    assert (line.name, line.size) == ("semantic.trec.test.accuracy", 80)
    assert line.difference.value == 25
    assert line.difference.low < 25 < line.difference.high
    assert line.adjusted < 0.05
    shown = [next(iter(column.cells)) for column in comparison_table([line], "a", "b").columns]
    assert shown[1:5] == ["80", "50.00", "75.00", "+25.00"]
    assert shown[-1].endswith(" *")


@pytest.mark.parametrize("other", [{"gold": 1 - BASE}, {"a": [text.upper() for text in TEXTS]}], ids=str)
def test_other_examples_or_labels_are_not_compared(other: dict, tmp_path: Path) -> None:
    leave(tmp_path, "a", BASE, gold=BASE, metric="ap")
    leave(tmp_path, "b", BASE, **({"gold": BASE, "metric": "ap"} | other))
    with pytest.raises(SynsemError, match="no metric on the same data"):
        compare(tmp_path, "a", "b")


def test_missing_view_meets_the_semantic_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    leave(tmp_path, "backbone", rng.random(80), gold=BASE, metric="ap")
    leave(tmp_path, "sscp-13", BASE + rng.random(80), "late", gold=BASE, metric="ap_late")
    leave(tmp_path, "sscp-14", BASE + rng.random(80), "syntactic", gold=BASE, metric="ap")
    for run, name in (("sscp-13", "late.trec.test.ap_late"), ("sscp-14", "syntactic.trec.test.ap")):
        (line,) = compare(tmp_path, "backbone", run)
        assert line.name == name
        assert line.difference.b == pytest.approx(100)
        assert line.difference.a < 80


def metrics_of(reports: Path, run: str, **metrics: object) -> None:
    write_json(reports / "metrics" / f"{run}.json", metrics)


def test_systems_over_seeds(tmp_path: Path) -> None:
    simcse, sscp = [80.0, 81.0, 79.0], [82.0, 82.5, 81.5]
    for seed, a, b in zip((13, 14, 15), simcse, sscp, strict=True):
        metrics_of(tmp_path, f"simcse-{seed}", semantic={"stsb": {"test": {"spearman": a, "pairs": 10}}})
        metrics_of(tmp_path, f"sscp-{seed}", joint={"stsb": {"test": {"spearman": b, "pairs": 10}}})
    (line,) = compare(tmp_path, "simcse", "sscp")
    assert (line.name, line.size) == ("joint.stsb.test.spearman", 3)
    assert (line.difference.a, line.difference.b) == (80, 82)
    reference = stats.ttest_rel(sscp, simcse)
    assert line.difference.p == pytest.approx(reference.pvalue)
    interval = (line.difference.low, line.difference.high)
    assert interval == pytest.approx(tuple(reference.confidence_interval(0.95)))


def test_run_without_seed_meets_every_seed(tmp_path: Path) -> None:
    metrics_of(tmp_path, "backbone", semantic={"stsb": 80.0, "paws": {"test": {"ap": 60.0}}})
    for seed, gain in {13: 1.0, 14: 1.2, 15: 0.9}.items():
        own = {"stsb": 80 + gain, "paws": {"test": {"ap": 60 + gain}}}
        metrics_of(tmp_path, f"sscp-{seed}", joint=own, late={"paws": {"test": {"ap_late": 65 + gain}}})
    lines = compare(tmp_path, "backbone", "sscp")
    assert [line.name for line in lines] == ["joint.paws.test.ap", "joint.stsb", "late.paws.test.ap_late"]
    assert all(line.adjusted < 0.05 for line in lines)


def test_what_cannot_be_compared_is_named(tmp_path: Path) -> None:
    metrics_of(tmp_path, "simcse-13", semantic={"stsb": 80.0})
    metrics_of(tmp_path, "upos-99", semantic={"stsb": 80.0})
    with pytest.raises(SynsemError, match="'nothing'; the runs there: simcse-13, upos-99"):
        compare(tmp_path, "simcse", "nothing")
    with pytest.raises(SynsemError, match="0 seeds in common"):
        compare(tmp_path, "simcse", "upos")
    with pytest.raises(SynsemError, match=r"examples\.arrow: missing"):
        compare(tmp_path, "simcse-13", "upos-99")
