"""TREC: accuracy counts questions, macro F1 counts classes."""

from pathlib import Path

import pytest
from small_world import PARAMS, Constant, example, folders

from pipeline.core.schemas import EXAMPLE
from pipeline.core.store import shard_path, write_rows
from pipeline.evaluation.run import ModelUnderTest, evaluate


def test_macro_f1_is_the_mean_over_classes(world: Path, tmp_path: Path) -> None:
    """One vector for all names the class of six in ten; by hand its F1 is 0.75, that of the other 0."""
    rows = [
        example("trec", split, f"{split} {number}", label="HUM:ind" if number % 10 < 6 else "LOC:city")
        for split in ("train", "dev", "test")
        for number in range(20)
    ]
    write_rows(shard_path(tmp_path / "benchmarks", 0), rows, EXAMPLE)
    places = folders(world, tmp_path, tmp_path / "benchmarks")
    result = evaluate(ModelUnderTest("test", Constant()), places, PARAMS, ["trec"])
    assert result.failures == {}
    found = result.outcome.metrics["semantic"]["trec"]["test"]
    assert found["accuracy"] == pytest.approx(60)
    assert found["f1_macro"] == pytest.approx(37.5)
