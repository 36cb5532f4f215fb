from pathlib import Path

import numpy as np
import pytest
from small_world import PARAMS, BagOfHashes, folders
from typer.testing import CliRunner

from pipeline.errors import SynsemError
from pipeline.evaluation.compare import changes, compare, over_seeds
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.run import Folders, Subject, evaluate, write
from pipeline.store import write_json

TEXTS = [f"text {number}" for number in range(80)]


def leave(reports: Path, run: str, right: np.ndarray, view: str = "semantic") -> Path:
    outcome = Outcome()
    outcome.keep(view, "trec.test", "accuracy", a=TEXTS, score=right)
    places = Folders(reports, reports, reports, reports)
    write(outcome, places, run)
    return places.evaluation(run)


def test_a_better_run_is_starred_and_its_gains_come_first(tmp_path: Path) -> None:
    base = np.arange(80) % 2
    better = np.where(np.arange(80) < 40, 1, base)
    better[79] = 0
    first, second = leave(tmp_path, "backbone", base), leave(tmp_path, "sscp-13", better)
    (line,) = compare(first, second)
    assert line.examples == 80
    assert line.difference.value == pytest.approx(100 * (20 - 1) / 80)
    assert line.adjusted < 0.05
    found = changes(first, second, 4)
    assert [change.gain for change in found] == [1, 1, -1] or [change.gain for change in found] == [
        1,
        1,
        1,
        -1,
    ]
    assert found[-1].first == "text 79"


def test_a_view_that_one_run_lacks_meets_the_semantic_one(tmp_path: Path) -> None:
    base = np.arange(80) % 2
    first = leave(tmp_path, "backbone", base)
    second = leave(tmp_path, "sscp-13", base, view="syntactic")
    assert [line.view for line in compare(first, second)] == ["syntactic"]


def test_runs_on_other_examples_are_not_compared(tmp_path: Path) -> None:
    first = leave(tmp_path, "a", np.ones(80))
    outcome = Outcome()
    outcome.keep("semantic", "trec.test", "accuracy", a=["another text"], score=[1.0])
    places = Folders(tmp_path, tmp_path, tmp_path, tmp_path)
    write(outcome, places, "b")
    with pytest.raises(SynsemError, match="no metric on the same examples"):
        compare(first, places.evaluation("b"))
    with pytest.raises(SynsemError, match=r"examples\.arrow: missing"):
        compare(first, tmp_path / "nowhere")


def test_systems_over_seeds(tmp_path: Path) -> None:
    for seed, (a, b) in {13: (80.0, 82.0), 14: (81.0, 82.5), 15: (79.0, 81.5)}.items():
        write_json(tmp_path / f"simcse-{seed}.json", {"semantic": {"stsb": {"test": {"spearman": a}}}})
        write_json(tmp_path / f"sscp-{seed}.json", {"joint": {"stsb": {"test": {"spearman": b}}}})
    (line,) = over_seeds(tmp_path, "simcse", "sscp")
    assert line.name == "joint.stsb.test.spearman"
    assert (line.mean_a, line.mean_b) == (80.0, 82.0)
    assert line.p < 0.05
    with pytest.raises(SynsemError, match="0 seeds in common"):
        over_seeds(tmp_path, "simcse", "nothing")


def test_the_command_prints_a_table(world: Path, tmp_path: Path) -> None:
    import typer

    from stages.compare import main

    for run in ("one", "two"):
        evaluate(Subject(run, BagOfHashes()), folders(world, tmp_path), PARAMS, ["retrieval"])
    app = typer.Typer()
    app.command()(main)
    done = CliRunner().invoke(app, ["one", "two", "--reports", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "retrieval.test.mrr" in done.output
    assert "+0.00 to +0.00" in done.output
