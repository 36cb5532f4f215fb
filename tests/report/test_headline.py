"""Intervals, tests against the strongest baseline, and the small file of headline numbers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from report_project import ROOT, Project
from scipy import stats
from sklearn.metrics import average_precision_score

from pipeline.core import store
from pipeline.evaluation.records import EXAMPLE_SCORE
from pipeline.evaluation.significance import holm, resampled
from pipeline.report.inputs import Run, read_runs
from pipeline.report.intervals import Bootstrap, Gain, verdict
from pipeline.report.markdown import result_text, results_page
from pipeline.report.sections.headline import Comparison, Headline, Result, headlines
from pipeline.report.sections.story import story
from pipeline.report.tables import COLUMNS, headline_metrics
from stages.cli import SYSTEMS

RNG = np.random.default_rng(5)


def scored(
    folder: Path,
    view: str,
    gold: np.ndarray,
    score: np.ndarray,
    metric: str = "ap",
    task: str = "paws.test",
) -> Path:
    rows = [
        {"view": view, "task": task, "metric": metric, "subset": "", "a": f"a{i}", "b": f"b{i}",
         "gold": g, "score": s}
        for i, (g, s) in enumerate(zip(gold.tolist(), score.tolist(), strict=True))
    ]  # fmt: skip
    store.write_rows(folder / "examples.arrow", rows, EXAMPLE_SCORE)
    return folder


def run(
    system: str, seed: int | None, scores: Path | None = None, view: str = "semantic", **metrics: float
) -> Run:
    named = {name.replace("__", "."): value for name, value in metrics.items()}
    return Run(system, seed, {view: named}, scores=scores)


def comparison(tables: list[Headline], metric: str) -> Comparison:
    return next(one for table in tables for one in table.comparisons if one.column.metric == metric)


def test_the_bootstrap_agrees_with_resampling_by_hand() -> None:
    gold = RNG.integers(0, 2, 60).astype(float)
    scores = [2 * gold + RNG.normal(size=60), RNG.normal(size=60)]
    drawn = Bootstrap(resampled("ap", gold, scores, 3000, 1))
    by_hand = []
    for _ in range(600):
        chosen = RNG.integers(0, 60, 60)
        by_hand.append([100 * average_precision_score(gold[chosen], score[chosen]) for score in scores])
    for system in (0, 1):
        expected = np.percentile(np.array(by_hand)[:, system], [2.5, 97.5])
        assert drawn.interval(system) == pytest.approx(tuple(expected), abs=3)
    assert drawn.p(0, 1) < 0.05
    assert drawn.p(0, 0) == 1.0


def test_one_seed_is_tested_by_bootstrap_on_equal_examples(tmp_path: Path) -> None:
    gold = np.tile([0.0, 1.0], 60)
    noise = RNG.normal(size=120)
    backbone = run("backbone", None, scored(tmp_path / "a", "semantic", gold, noise), paws__test__ap=50.0)
    better = run("sscp", 1, scored(tmp_path / "b", "semantic", gold, noise + 3 * gold), paws__test__ap=99.0)
    found = comparison(headlines([backbone, better], 300, 1), "paws.test.ap")
    assert found.strongest == ("backbone", "semantic")
    assert found.examples == 120
    result = found.results["sscp", "semantic"]
    assert result.gain is not None
    assert (result.gain.value, result.gain.verdict) == (49.0, "better")
    assert result.backbone_gain is None  # the backbone is the strongest: said once
    assert result.interval is not None
    assert result.interval[0] > 90
    assert found.results["backbone", "semantic"].gain is None
    other = run("sscp", 1, scored(tmp_path / "c", "semantic", gold[:80], noise[:80]), paws__test__ap=99.0)
    apart = comparison(headlines([backbone, other], 300, 1), "paws.test.ap").results["sscp", "semantic"]
    assert (apart.gain, apart.interval) == (Gain(49.0, None), None)  # other examples: nothing to pair


def test_five_questions_that_differ_are_no_significant_gain(tmp_path: Path) -> None:
    """All five for the better, of 600: the bootstrap by itself says 0.01, a sign test 0.0625."""
    right = np.ones(600)
    right[:40] = 0
    better = right.copy()
    better[:5] = 1
    runs = [
        run(name, seed, scored(tmp_path / name, "semantic", right, score, "accuracy", "trec.test"),
            trec__test__accuracy=100 * score.mean())
        for name, seed, score in [("backbone", None, right), ("sscp", 1, better)]
    ]  # fmt: skip
    gain = comparison(headlines(runs, 2000, 1), "trec.test.accuracy").results["sscp", "semantic"].gain
    assert gain is not None
    assert (gain.p, gain.verdict) == (0.0625, "even")


def test_few_scores_that_differ_may_tell_by_a_metric_of_ranks(tmp_path: Path) -> None:
    """Three positives that come first in place of last move all precisions; a sign test would say 0.25."""
    gold = np.tile([0.0, 1.0], 60)
    noise = RNG.normal(size=120)
    better = noise.copy()
    better[[place for place in np.argsort(noise) if gold[place]][:3]] = 9.0
    backbone = run("backbone", None, scored(tmp_path / "a", "semantic", gold, noise), paws__test__ap=50.0)
    other = run("sscp", 1, scored(tmp_path / "b", "semantic", gold, better), paws__test__ap=60.0)
    gain = comparison(headlines([backbone, other], 2000, 1), "paws.test.ap").results["sscp", "semantic"].gain
    assert gain is not None
    assert gain.p is not None
    assert gain.p < 0.2


def test_a_significantly_worse_result_is_not_marked_as_a_better_one(tmp_path: Path) -> None:
    gold = np.tile([0.0, 1.0], 60)
    noise = RNG.normal(size=120)
    good = run(
        "backbone", None, scored(tmp_path / "a", "semantic", gold, noise + 3 * gold), paws__test__ap=99.0
    )
    bad = run("sscp", 1, scored(tmp_path / "b", "semantic", gold, noise - gold), paws__test__ap=40.0)
    text = result_text(comparison(headlines([good, bad], 300, 1), "paws.test.ap").results["sscp", "semantic"])
    assert text.startswith("40.00 [")
    assert text.endswith(" ✗")


def test_verdicts_know_which_way_a_column_is_read() -> None:
    assert [verdict(d, 0.01) for d in (2.0, -2.0, 0.0)] == ["better", "worse", "even"]
    assert [verdict(d, 0.01, lower_is_better=True) for d in (2.0, -2.0)] == ["worse", "better"]
    assert [verdict(2.0, 0.05), verdict(2.0, None), verdict(None, 0.01)] == ["even", "", ""]


def test_several_seeds_are_tested_by_t_tests_corrected_by_holm() -> None:
    simcse = {1: 60.0, 2: 61.5, 3: 59.0}
    own = {"semantic": {1: 62.0, 2: 63.0, 3: 60.5}, "joint": {1: 62.5, 2: 61.0, 3: 61.9}}
    runs = [run("backbone", None, paws__test__ap=55.0)]
    runs += [run("simcse", seed, paws__test__ap=value) for seed, value in simcse.items()]
    runs += [Run("sscp", seed, {view: {"paws.test.ap": own[view][seed]} for view in own}) for seed in simcse]
    found = comparison(headlines(runs, 100, 1), "paws.test.ap")
    assert found.strongest == ("simcse", "semantic")
    p = [stats.ttest_rel(list(own[view].values()), list(simcse.values())).pvalue for view in own]
    above_backbone = [stats.ttest_1samp(list(each.values()), 55.0).pvalue for each in [simcse, *own.values()]]
    results = [found.results["sscp", view] for view in own]
    expected = list(holm([*p, *above_backbone]))
    assert [result.gain and result.gain.p for result in results] == pytest.approx(expected[:2])
    assert [result.backbone_gain and result.backbone_gain.p for result in results] == pytest.approx(
        expected[3:]
    )
    assert results[0].mean == pytest.approx(61.8333, abs=1e-3)
    assert results[0].sd == pytest.approx(np.std([62.0, 63.0, 60.5], ddof=1))
    assert results[0].gain is not None
    assert results[0].gain.value == pytest.approx(np.mean([62, 63, 60.5]) - np.mean([60, 61.5, 59]))


def test_against_a_baseline_without_seeds_the_test_is_a_one_sample_t() -> None:
    values = [52.0, 53.5, 51.0, 54.0]
    runs = [run("backbone", None, paws__test__ap=50.0)]
    runs += [run("sscp", seed, paws__test__ap=value) for seed, value in enumerate(values)]
    result = comparison(headlines(runs, 100, 1), "paws.test.ap").results["sscp", "semantic"]
    assert result.gain is not None
    assert result.gain.p == pytest.approx(stats.ttest_1samp(values, 50.0).pvalue)


def test_controls_count_as_baselines_and_simcse_alone_has_to_beat_the_backbone() -> None:
    controls = Run(
        "backbone", None, {"semantic": {"paws.test.ap": 50.0}, "structural_agreement": {"paws.test.ap": 69.0}}
    )
    simcse = run("simcse", 1, paws__test__ap=60.0)
    found = comparison(
        headlines([controls, simcse, run("sscp", 1, paws__test__ap=65.0)], 100, 1), "paws.test.ap"
    )
    assert found.strongest == ("backbone", "structural_agreement")
    assert found.results["sscp", "semantic"].gain == Gain(-4.0, None)
    assert found.results["sscp", "semantic"].backbone_gain == Gain(15.0, None)
    assert found.results["simcse", "semantic"].gain is None
    assert found.results["simcse", "semantic"].backbone_gain == Gain(10.0, None)
    alone = comparison(
        headlines([run("backbone", None, paws__test__ap=50.0), simcse], 100, 1), "paws.test.ap"
    )
    assert alone.leaders == [("simcse", "semantic")]


def test_late_interaction_has_a_row_in_the_column_of_its_metric(project: Project) -> None:
    project.metrics("backbone", {"semantic": {"paws": {"test": {"ap": 58.4}}}})
    project.metrics(
        "sscp-1",
        {"semantic": {"paws": {"test": {"ap": 59.0}}}, "late": {"paws": {"test": {"ap_late": 75.0}}}},
    )
    runs = read_runs(project.reports, project.models, ["sscp"], [1])
    found = comparison(headlines(runs, 100, 1), "paws.test.ap")
    assert found.leaders == [("sscp", "semantic"), ("sscp", "late")]
    assert found.results["sscp", "late"].mean == 75.0
    assert headline_metrics(runs) == {"paws": {"sscp": 59.0}}


def test_development_data_are_shown_and_not_tested() -> None:
    def judged(system: str, seed: int | None, score: float) -> Run:
        return run(system, seed, contrast_dev__all__ap=score, paws__test__ap=score)

    seeds = [judged("sscp", seed, score) for seed, score in enumerate((80.0, 81.0, 82.0))]
    runs = [judged("backbone", None, 50.0), *seeds]
    tables = headlines(runs, 100, 1)
    ours = comparison(tables, "contrast_dev.all.ap").results["sscp", "semantic"]
    assert (ours.mean, ours.gain) == (81.0, Gain(31.0, None))
    tested = comparison(tables, "paws.test.ap").results["sscp", "semantic"].gain
    assert tested is not None and tested.p is not None and tested.p < 0.01  # noqa: PT018 - for mypy
    told = story(runs, tables, 1)
    assert told is not None
    shown = [finding.comparison.column.metric for each in told.findings.values() for finding in each]
    assert shown == ["paws.test.ap"]


def test_probes_stand_as_their_mean_and_seeds_as_theirs() -> None:
    def probed(seed: int, depth: float) -> Run:
        return run("sscp", seed, probe__a__accuracy=depth, probe__b__accuracy=50.0, probe__b__majority=90.0)

    assert headline_metrics([probed(1, 40.0), probed(2, 60.0)]) == {"probes": {"sscp": 50.0}}


def test_dvc_gets_six_short_metrics_that_the_systems_share() -> None:
    """Each is a column of ``dvc exp show``, which has to fit 100 columns with two parameters."""
    names = {
        "contrast__all__ap": 50.0,
        "stsb__test__spearman": 80.0,
        "paws__test__ap": 70.0,
        "qqp__test__ap": 60.0,
        "retrieval__test__accuracy": 90.0,
        "mrpc__test__ap": 40.0,
        "probe__a__accuracy": 30.0,
    }
    own = run("sscp", 1, **names)
    own = replace(own, views={"semantic": own.views["semantic"], "joint": {"contrast.all.ap": 55.0}})
    simcse = run("simcse", 1, **dict.fromkeys(names, 99.0))
    backbone = run("backbone", None, **names)
    assert headline_metrics([backbone, own]) == {
        "contrast": {"sscp": 55.0},
        "stsb": {"sscp": 80.0},
        "paws": {"sscp": 70.0},
        "qqp": {"sscp": 60.0},
        "retrieval": {"sscp": 90.0},
        "probes": {"sscp": 30.0},
    }
    shared = headline_metrics([backbone, own, simcse])
    assert shared == {
        "contrast": {"sscp": 55.0, "simcse": 99.0},
        "stsb": {"sscp": 80.0, "simcse": 99.0},
        "paws": {"sscp": 70.0, "simcse": 99.0},
    }
    many = [run(name, 1, **names) for name in ("a", "b", "c", "d", "e", "f", "g")]
    assert headline_metrics(many) == {"contrast": {each.system: 50.0 for each in many}}
    assert headline_metrics([backbone]) == {}


def test_no_metric_has_the_name_of_a_parameter() -> None:
    """DVC would put the file before both, in columns of 40 characters: synsem.contrast is a parameter."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    keys = {
        f"{section}.{key}" for section, inside in params.items() if isinstance(inside, dict) for key in inside
    }
    runs = [run(name, 1, contrast__all__ap=50.0) for name in sorted(set(params) & set(SYSTEMS))]
    assert len(runs) == len(SYSTEMS)
    names = {f"{outer}.{inner}" for outer, inside in headline_metrics(runs).items() for inner in inside}
    assert names
    assert not names & keys


def test_zero_shot_and_trained_metrics_never_share_a_table() -> None:
    zero_shot, trained, parsed = ({column.metric for column in columns} for columns in COLUMNS.values())
    assert not zero_shot & trained
    assert all(name.startswith("parsing.") for name in parsed)
    assert not any("logistic" in name or name.startswith(("probe", "trec")) for name in zero_shot)
    assert all("logistic" in name or name.startswith(("probe", "trec")) for name in trained)


def test_an_interval_is_the_middle_95_percent_of_the_draws() -> None:
    assert Bootstrap(np.arange(1001.0)[None]).interval(0) == (25.0, 975.0)


def test_the_p_of_a_bootstrap_is_never_zero() -> None:
    always, once_less = np.ones(99), np.append(np.ones(98), -1.0)
    drawn = Bootstrap(np.stack([always, once_less, np.zeros(99)]))
    assert drawn.p(0, 2) == drawn.p(2, 0) == 2 * 1 / 100
    assert drawn.p(1, 2) == 2 * 2 / 100


def test_brackets_are_explained_where_any_number_has_them() -> None:
    column = next(iter(COLUMNS.values()))[0]
    base, own = ("backbone", "semantic"), ("sscp", "joint")
    results = {base: Result(50.0), own: Result(60.0, interval=(58.0, 62.0))}
    table = Headline("Zero-shot", (base, own), (Comparison(column, results, base, 10),))
    assert "one seed, in brackets 95 % over examples" in results_page([table], [], 1)
