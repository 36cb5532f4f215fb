"""Probes of the page: which of them tell something."""

import csv
from pathlib import Path

import numpy as np

from pipeline.evaluation.compare import Scores
from pipeline.report.inputs import Run
from pipeline.report.plots import write_plots
from pipeline.report.sections.probes import probes, tells

RNG = np.random.default_rng(0)


def scored(share: float, n: int = 500) -> Scores:
    right = RNG.permutation((np.arange(n) < share * n).astype(float))
    return Scores([f"sentence {k}" for k in range(n)], [None] * n, np.full(n, np.nan), right)


def test_a_probe_at_the_majority_or_below_word_counts_tells_nothing() -> None:
    views = {("sscp", "semantic"): scored(0.60), ("sscp", "joint"): scored(0.58)}
    assert tells(views, scored(0.40), 40.0) is True
    assert tells(views, scored(0.40), 59.0) is False  # the majority class does as well
    assert tells(views, scored(0.62), 40.0) is False  # word counts do better
    assert tells(views, None, 40.0) is True  # without that control
    assert tells(views, None, None) is None
    assert tells({}, scored(0.4), 40.0) is None


def test_probes_by_two_classifiers_are_told_apart(tmp_path: Path) -> None:
    by_one = {"probe.depth.accuracy": 40.0, "probe.depth.majority": 20.0}
    by_both = by_one | {"probe.depth.accuracy_mlp": 55.0}
    for metrics, names in ((by_one, ["depth"]), (by_both, ["depth by logistic", "depth by mlp"])):
        runs = [Run("backbone", None, {"semantic": metrics})]
        assert [(probe.name, probe.majority) for probe in probes(runs)] == [(name, 20.0) for name in names]
        write_plots(tmp_path, runs)
        rows = list(csv.DictReader((tmp_path / "probes.csv").read_text().splitlines()))
        assert [row["probe"] for row in rows] == [name for name in names for _ in ("majority", "backbone")]


def test_the_best_of_many_views_at_chance_tells_nothing() -> None:
    """Twenty views at chance: one is above it at 5 % in two cases of three, uncorrected."""
    draws = np.random.default_rng(7)
    sample = scored(0.5)
    told = [
        tells(
            {
                ("sscp", f"view {view}"): sample._replace(score=(draws.random(500) < 0.5).astype(float))
                for view in range(20)
            },
            None,
            50.0,
        )
        for _ in range(40)
    ]
    assert sum(bool(each) for each in told) <= 6
