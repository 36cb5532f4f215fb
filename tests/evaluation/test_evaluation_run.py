"""Which tasks a run has, what fails, and what it writes."""

from pathlib import Path

import numpy as np
import pytest
from small_world import PARAMS, BagOfHashes, Broken, context, example, judge

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE
from pipeline.core.store import read_file, read_json, shard_path, write_rows
from pipeline.evaluation.tasks import chosen


def graded(task: str, split: str = "test") -> list[dict]:
    words = [f"w{number}" for number in range(4)]
    return [
        example(task, split, " ".join(words), " ".join([*words[:k], *"abcd"[k:]]), score=float(k))
        for k in range(4)
    ]


def labelled(task: str) -> list[dict]:
    return [
        example(task, split, f"{split} {k} a", f"{split} {k if k % 2 else 'other'} b", label=str(k % 2))
        for split in ("train", "dev", "test")
        for k in range(12)
    ]


def test_steps_by_task_and_benchmark(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [*graded("stsb"), *graded("sts12"), *labelled("paws-wiki"), *labelled("contrast_mine")]
    rows += [example("trec", "train", "who", label="HUM"), example("odd", "test", "a", "b", label="yes")]
    write_rows(shard_path(tmp_path / "benchmarks", 0), rows, EXAMPLE)

    def plan(*names: str) -> list[str]:
        here = context(world, BagOfHashes(), PARAMS.model_copy(update={"tasks": list(names)}), tmp_path)
        return list(chosen(here))

    assert plan("sts", "paws-wiki", "probes", "stsb", "stress") == [
        *("sts12", "stsb", "paws-wiki", "probes", "stress paws-wiki")
    ]
    assert plan("contrast", "classification") == ["contrast_mine", "trec"]
    assert "odd: not judged" in capsys.readouterr().err
    with pytest.raises(SynsemError, match="'mrpc'"):
        plan("mrpc")
    write_rows(shard_path(tmp_path / "benchmarks", 0), graded("stsb"), EXAMPLE)
    assert plan("sts", "pairs") == ["stsb"]
    assert "no benchmark for pairs" in capsys.readouterr().err
    with pytest.raises(SynsemError, match="no task can be run"):
        plan("pairs")


def test_a_task_that_fails_costs_no_other(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SynsemError, match="1 of 2 tasks failed: retrieval"):
        judge(world, tmp_path, graded("stsb"), ["stsb", "retrieval"], Broken())
    assert "NaN" in capsys.readouterr().err
    assert set(read_json(tmp_path / "metrics" / "test.json")["semantic"]) == {"stsb"}
    with pytest.raises(SynsemError, match="1 of 1 tasks failed"):
        judge(world, tmp_path / "none", graded("stsb"), ["retrieval"], Broken())
    assert not (tmp_path / "none" / "metrics").exists()


def test_files_hold_the_outcome_and_are_stable(world: Path, tmp_path: Path) -> None:
    rows = [*graded("stsb"), *labelled("qqp")]
    outcomes = [judge(world, tmp_path / home, rows, PARAMS.tasks) for home in ("one", "two")]
    one, two = tmp_path / "one", tmp_path / "two"
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    written = {"test.json", "examples.arrow", "similarities.arrow", "projection.arrow"}
    assert written <= {path.name for path in files}
    for name in files:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    metrics = read_json(one / "metrics" / "test.json")
    assert metrics == outcomes[0].metrics
    assert set(metrics["semantic"]) == {"alignment", "retrieval", "probe", "stsb", "qqp"}
    table = read_file(one / "evaluation" / "test" / "examples.arrow").to_pylist()
    right = [row["score"] for row in table if row["metric"] == "accuracy_logistic"]
    known = metrics["semantic"]["qqp"]["test"]["accuracy_logistic"]
    assert 100 * np.mean(right) == pytest.approx(known, abs=0.01)


def test_the_stage_keeps_results_of_other_tasks(
    world: Path, tmp_path: Path, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stages.evaluate import main

    write_rows(shard_path(tmp_path / "benchmarks", 0), graded("stsb"), EXAMPLE)
    given = {
        "model": str(tiny_backbone), "pooling": "mean", "tasks": ["stsb"], "parsed": world / "parsed",
        "augmented": world / "augmented", "benchmarks": tmp_path / "benchmarks",
        "params": Path("params.yaml"),
    }  # fmt: skip
    with pytest.raises(SynsemError, match="--out"):
        main(**given)
    main(**given, out=tmp_path / "out")
    (found,) = (tmp_path / "out" / "metrics").glob("*-mean.json")
    assert "spearman" in read_json(found)["semantic"]["stsb"]["test"]
