"""Numbers of the tables: means, intervals, tests, the best of a column, and what DVC compares."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from report_project import ROOT, Project, row
from scipy import stats

from pipeline.core.metrics import bootstrap, holm
from pipeline.core.store import read_yaml
from pipeline.report.metrics import headline_metrics, is_result, meaning
from pipeline.report.results import SEED, TEST_DRAWS, Comparison, Gain, headline_tables, result_tables
from pipeline.report.runs import PROBES, Run, Scores, read_runs

RNG = np.random.default_rng(3)
GOLD = np.tile([0.0, 1.0], 60)
NOISE = RNG.normal(size=120)
BASE, OURS = ("backbone", "semantic"), ("sscp", "semantic")


Sample = tuple[Sequence[float], Sequence[float]]  # gold and scores


def run(system: str, seed: int | None, samples: Mapping[str, Sample] | None = None, **metrics: float) -> Run:
    """A run of one view; ``paws__test__ap`` is ``paws.test.ap``."""
    found = Run(
        system, seed, {"semantic": {name.replace("__", "."): value for name, value in metrics.items()}}
    )
    found.__dict__["samples"] = {
        ("semantic", name): Scores(["a"] * len(gold), ["b"] * len(gold), np.asarray(gold), np.asarray(score))
        for name, (gold, score) in (samples or {}).items()
    }
    return found


def judged(system: str, seed: int | None, score: Sequence[float], ap: float) -> Run:
    return run(system, seed, {"paws.test.ap": (GOLD[: len(score)], score)}, paws__test__ap=ap)


def headline(runs: Sequence[Run], metric: str = "paws.test.ap") -> Comparison:
    found = [one for table in headline_tables(runs) for one in table.comparisons if one.metric == metric]
    assert len(found) == 1
    return found[0]


def test_one_seed_by_bootstrap() -> None:
    runs = [judged("backbone", None, NOISE, 50.0), judged("sscp", 1, NOISE + GOLD, 77.0)]
    found = headline(runs)
    result = found.results[OURS]
    alone = bootstrap("ap", GOLD, NOISE, NOISE + GOLD, TEST_DRAWS, SEED)
    assert result.gain == Gain(27.0, pytest.approx(alone.p))
    assert result.backbone_gain is None  # the backbone is the strongest
    assert (found.strongest, found.examples) == (BASE, 120)
    one_sided = bootstrap("ap", GOLD, np.zeros(120), NOISE + GOLD, TEST_DRAWS, SEED)
    draws_of_constant = bootstrap("ap", GOLD, np.zeros(120), np.zeros(120), TEST_DRAWS, SEED)
    assert result.interval is not None
    assert result.interval[1] - result.interval[0] > 0
    assert result.interval[0] < one_sided.b < result.interval[1]
    assert draws_of_constant.p == 1.0
    other = headline([runs[0], judged("sscp", 1, NOISE[:80], 99.0)]).results[OURS]
    assert (other.gain, other.interval) == (Gain(49.0, None), None)  # other examples: nothing to pair


def test_several_seeds_by_t_tests() -> None:
    simcse = {1: 60.0, 2: 61.5, 3: 59.0}
    own = {"semantic": {1: 62.0, 2: 63.0, 3: 60.5}, "joint": {1: 62.5, 2: 61.0, 3: 61.9}}
    runs = [run("backbone", None, paws__test__ap=55.0)]
    runs += [run("simcse", seed, paws__test__ap=value) for seed, value in simcse.items()]
    runs += [Run("sscp", seed, {view: {"paws.test.ap": own[view][seed]} for view in own}) for seed in simcse]
    found = headline(runs)
    assert found.strongest == ("simcse", "semantic")
    p = [stats.ttest_rel(list(own[view].values()), list(simcse.values())).pvalue for view in own]
    above = [stats.ttest_1samp(list(each.values()), 55.0).pvalue for each in [simcse, *own.values()]]
    expected = holm([*p, *above])
    results = [found.results["sscp", view] for view in own]
    assert [one.gain and one.gain.p for one in results] == pytest.approx(list(expected[:2]))
    assert [one.backbone_gain and one.backbone_gain.p for one in results] == pytest.approx(list(expected[3:]))
    assert results[0].sd == pytest.approx(np.std([62.0, 63.0, 60.5], ddof=1))
    assert results[0].whisker == pytest.approx((61.8333 - 1.2583, 61.8333 + 1.2583), abs=1e-3)


def test_controls_are_baselines() -> None:
    views = {"semantic": {"paws.test.ap": 50.0}, "structural_agreement": {"paws.test.ap": 69.0}}
    simcse = run("simcse", 1, paws__test__ap=60.0)
    found = headline([Run("backbone", None, views), simcse, run("sscp", 1, paws__test__ap=65.0)])
    assert found.strongest == ("backbone", "structural_agreement")
    assert found.results[OURS].gain == Gain(-4.0, None)
    assert found.results[OURS].backbone_gain == Gain(15.0, None)
    assert found.results["simcse", "semantic"].gain is None
    alone = headline([run("backbone", None, paws__test__ap=50.0), simcse])
    assert alone.results["simcse", "semantic"].gain == Gain(10.0, None)


def test_examples_are_grouped_by_metric(empty: Project, tmp_path: Path) -> None:
    for name in ("backbone", "sscp-1"):
        empty.metrics(name, {"semantic": {"contrast": {"all": {"ap": 50.0}}}})
    rows = [
        row("late", "contrast", "ap_late", 1, number, subset="voice" if number % 2 else "cleft")
        for number in range(5)
    ]
    rows += [row("semantic", "retrieval.test", "mrr", None, score) for score in (1.0, 0.5, 1.0)]
    empty.examples("sscp-1", rows)
    samples = read_runs(empty.reports, empty.models, ["sscp"], [1])[1].samples
    assert samples["late", "contrast.all.ap"].score.tolist() == [0, 1, 2, 3, 4]
    assert samples["late", "contrast.voice.ap"].score.tolist() == [1, 3]
    assert samples["semantic", "retrieval.test.accuracy"].score.tolist() == [1, 0, 1]


def test_late_metrics_have_one_name(empty: Project) -> None:
    empty.metrics("backbone", {"semantic": {"probe": {"depth": {"accuracy": 40.0, "majority": 30.0}}}})
    empty.metrics("sscp-1", {"late": {"paws": {"test": {"ap_late": 75.0}}}})
    backbone, own = read_runs(empty.reports, empty.models, ["sscp"], [1])
    assert own.views == {"late": {"paws.test.ap": 75.0}}
    assert backbone.views["majority"] == {"probe.depth.accuracy": 30.0, PROBES: 30.0}
    assert backbone.views["semantic"][PROBES] == 40.0


def test_chance_alone_is_no_result() -> None:
    chance = {PROBES: 30.0}
    assert not headline_tables([Run("backbone", None, {"majority": chance, "semantic": {}})])
    assert headline_tables([Run("backbone", None, {"majority": chance, "semantic": {PROBES: 40.0}})])


@pytest.mark.parametrize(
    ("metric", "winner"),
    [("a.ap", 2.0), ("alignment.test.uniformity", 1.0), ("probe.tree_depth.accuracy_mlp", None)],
)
def test_best_follows_the_direction(metric: str, winner: float | None) -> None:
    runs = [
        Run(name, 1, {"semantic": {metric: value}}) for name, value in (("a", 1.0), ("b", 2.0), ("c", 2.001))
    ]
    results = result_tables(runs)[0].comparisons[0].results.values()
    assert {round(one.mean) for one in results if one.best} == ({winner} if winner else set())
    same = [Run(name, 1, {"semantic": {metric: 1.0}}) for name in "ab"]
    assert not any(one.best for one in result_tables(same)[0].comparisons[0].results.values())


@pytest.mark.parametrize(
    ("metric", "table"),
    [
        ("own-pairs.test.ap", "zero-shot"),
        ("own-pairs.test.accuracy_logistic", "trained"),
        ("contrast.all.ap", "zero-shot"),
        ("contrast.voice.ap", "phenomena"),
        ("stsb.dev.spearman", None),
        ("probe.depth.majority", None),
    ],
)
def test_results_have_a_table(metric: str, table: str | None) -> None:
    assert (meaning(metric).table if is_result(metric) else None) == table


def test_dvc_gets_about_six_metrics() -> None:
    names = {
        "contrast__all__ap": 50.0,
        "stsb__test__spearman": 80.0,
        "paws__test__ap": 70.0,
        "qqp__test__ap": 60.0,
        "retrieval__test__accuracy": 90.0,
        "mrpc__test__ap": 40.0,
        "probe__mean__accuracy": 30.0,
    }
    own = Run("sscp", 1, {**run("sscp", 1, **names).views, "joint": {"contrast.all.ap": 55.0}})
    again = Run("sscp", 2, {"joint": {"contrast.all.ap": 57.0}, "late": {"mrpc.test.ap": 99.0}})
    alone = headline_metrics([run("backbone", None, **names), own, again])
    assert {name: value["sscp"] for name, value in alone.items()} == {
        "contrast": 56.0, "stsb": 80.0, "paws": 70.0, "qqp": 60.0, "retrieval": 90.0, "probes": 30.0
    }  # fmt: skip
    shared = headline_metrics([own, run("simcse", 1, **dict.fromkeys(names, 99.0))])
    assert list(shared) == ["contrast", "stsb", "paws"]
    assert headline_metrics([run("backbone", None, **names)]) == {}
    assert headline_metrics([judged("sscp", 1, NOISE[:99], 70.0)]) == {}
    assert headline_metrics([judged("sscp", 1, NOISE[:100], 70.0)]) == {"paws": {"sscp": 70.0}}


def test_published_rows_fit_their_columns() -> None:
    for entry in read_yaml(ROOT / "pipeline" / "report" / "published.yaml"):
        assert all(len(numbers) == len(entry["columns"]) for numbers in entry["rows"].values())
        assert all(is_result(metric) and meaning(metric).metric != "*" for metric in entry["columns"])
