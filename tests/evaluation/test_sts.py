"""Task ``sts`` on pairs that share k of 8 words, with a model whose similarities are known."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from small_world import BagOfHashes, example, judge

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Views


def graded(task: str, split: str, subset: str = "") -> list[dict]:
    """Pairs that share k of 8 words, with score k: a bag of words ranks them nearly right."""
    rows = []
    for number in range(24):
        shared = number % 9
        a = [f"w{number}x{i}" for i in range(8)]
        b = a[:shared] + [f"v{number}x{i}" for i in range(8 - shared)]
        rows.append(example(task, split, " ".join(a), " ".join(b), score=float(shared), subset=subset))
    return rows


def test_correlation_with_the_scores(world: Path, tmp_path: Path) -> None:
    rows = graded("stsb", "dev") + graded("stsb", "test") + graded("stsb", "train")
    outcome = judge(world, tmp_path, rows, ["sts"])
    found = outcome.metrics["semantic"]["stsb"]
    assert set(found) == {"dev", "test"}
    kept = [row for row in outcome.examples if row["task"] == "stsb.test"]
    reference = spearmanr([row["gold"] for row in kept], [row["score"] for row in kept]).statistic
    assert found["test"]["spearman"] == pytest.approx(100 * reference, abs=0.01)
    assert found["test"]["spearman"] > 90


class TwoViews(BagOfHashes):
    """A bag of words, and a view that is zero for every sentence, as a structural one is for single words."""

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        views = super().embed(sentences)
        return views | {"structural": np.zeros_like(views["semantic"])}


def test_a_view_without_correlation_costs_no_other(world: Path, tmp_path: Path) -> None:
    alike = [row | {"score": 1.0} for row in graded("stsb", "dev")]
    outcome = judge(world, tmp_path, [*graded("stsb", "test"), *alike], ["stsb"], TwoViews())
    assert list(outcome.metrics) == ["semantic"]
    assert list(outcome.metrics["semantic"]["stsb"]) == ["test"]
    with pytest.raises(SynsemError, match="stsb"):
        judge(world, tmp_path / "neither", alike, ["stsb"])


def test_semeval_years_are_pooled_and_averaged(world: Path, tmp_path: Path) -> None:
    one, two = graded("sts12", "test", "one"), graded("sts12", "test", "two")
    for row in two:  # the same order at scores that lie higher: pooling costs, the mean does not
        row["score"] += 20
        row["a"], row["b"] = f"z{row['a']}", f"z{row['b']}"
    outcome = judge(world, tmp_path, one + two[:18], ["sts12"])
    found = outcome.metrics["semantic"]["sts12"]["test"]
    gold, score = (np.array([row[name] for row in outcome.examples], float) for name in ("gold", "score"))
    parts = [gold < 20, gold >= 20]
    for name, correlate in (("spearman", spearmanr), ("pearson", pearsonr)):
        pooled = 100 * correlate(gold, score).statistic
        mean = np.mean([100 * correlate(gold[part], score[part]).statistic for part in parts])
        assert mean > pooled + 20
        assert found.pop(f"{name}_all") == pytest.approx(pooled, abs=0.01)
        assert found.pop(f"{name}_mean") == pytest.approx(mean, abs=0.01)
    assert not found
