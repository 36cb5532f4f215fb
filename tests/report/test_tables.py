"""Means, spreads, the best of a column, and which metrics may stand side by side."""

import statistics

import pytest

from pipeline.report import glossary, markdown
from pipeline.report.inputs import Run, title
from pipeline.report.markdown import result_text
from pipeline.report.sections.headline import headlines
from pipeline.report.tables import PROBES, result_tables, with_probe_mean


def run(system: str, seed: int | None, **metrics: float) -> Run:
    return Run(
        system, seed, {"semantic": {name.replace("__", "."): value for name, value in metrics.items()}}
    )


def test_mean_and_sample_deviation_over_seeds() -> None:
    scores = [70.11, 71.52, 69.0]
    runs = [run("backbone", None, stsb__test__spearman=60.0)]
    runs += [run("a", seed, stsb__test__spearman=score) for seed, score in enumerate(scores)]
    backbone, trained = result_tables(runs)[0].rows
    assert backbone.cells[0] is not None
    assert backbone.cells[0].sd is None
    assert trained.cells[0] is not None
    assert trained.cells[0].mean == pytest.approx(statistics.mean(scores), abs=0.005)
    assert trained.cells[0].sd == pytest.approx(statistics.stdev(scores), abs=0.005)
    assert trained.cells[0].gain == pytest.approx(trained.cells[0].mean - 60)
    assert (trained.cells[0].seeds, trained.cells[0].better) == (3, True)


@pytest.mark.parametrize(
    ("metric", "winner"),
    [("stsb__test__spearman", "b"), ("alignment__test__alignment", "a"), ("word_order__permuted__loss", "a")],
)
def test_the_best_of_a_column_follows_its_direction(metric: str, winner: str) -> None:
    table = result_tables([run("a", 1, **{metric: 1.0}), run("b", 1, **{metric: 2.0})])[0]
    assert [row.system for row in table.rows if row.cells[0] and row.cells[0].best] == [winner]


def test_equals_have_no_winner_and_ties_share_it() -> None:
    equal = result_tables([run("a", 1, x__test__ap=5.0), run("b", 1, x__test__ap=5.0)])[0]
    assert [cell.best for row in equal.rows for cell in row.cells if cell] == [False, False]
    tied = result_tables(
        [run(name, 1, x__test__ap=score) for name, score in (("a", 5.0), ("b", 5.0), ("c", 1.0))]
    )[0]
    assert [cell.best for row in tied.rows for cell in row.cells if cell] == [True, True, False]


def test_protocols_never_share_a_table() -> None:
    tables = result_tables(
        [
            run(
                "a",
                1,
                paws__test__ap=1.0,
                paws__test__accuracy_dev_threshold=2.0,
                paws__test__accuracy_logistic=3.0,
                probe__tree_depth__accuracy=4.0,
                trec__test__accuracy=5.0,
                retrieval__test__mrr=6.0,
                stsb__test__spearman=7.0,
                word_order__permuted__las=8.0,
                word_order__permuted__loss=9.0,
                own__test__accuracy=10.0,
                **{"senteval-depth.test.accuracy": 11.0, "ptb-sample.test.accuracy_mlp": 12.0},
                **{"xprobe-tense.test.accuracy": 13.0},
            )
        ]
    )
    assert {table.protocol: set(table.metrics) for table in tables} == {
        glossary.ZERO_SHOT: {"stsb.test.spearman", "paws.test.ap", "retrieval.test.mrr"},
        glossary.THRESHOLD: {"paws.test.accuracy_dev_threshold"},
        glossary.TRAINED: {"paws.test.accuracy_logistic", "trec.test.accuracy", "own.test.accuracy"},
        glossary.PROBED: {
            "probe.tree_depth.accuracy",
            "senteval-depth.test.accuracy",
            "ptb-sample.test.accuracy_mlp",
            "xprobe-tense.test.accuracy",
        },
        glossary.PARSED: {"word_order.permuted.las", "word_order.permuted.loss"},
    }


def test_yardsticks_and_development_scores_are_no_results() -> None:
    tables = result_tables(
        [run("a", 1, stsb__dev__spearman=1.0, probe__x__majority=2.0, alignment__test__cosine_same=3.0)]
    )
    assert tables == []


def test_an_unknown_metric_has_a_column_and_a_sentence() -> None:
    table = result_tables([run("a", 1, new__test__score=1.5, speed=2.0)])[0]
    assert table.metrics == ("new.test.score", "speed")
    assert all(sentence for _, sentence in table.meanings)


def test_late_interaction_has_one_name() -> None:
    assert [title(system, "late") for system in ("backbone", "a")] == [
        "backbone late interaction",
        "a late interaction",
    ]
    assert [title("backbone", view) for view in ("semantic", "joint")] == ["backbone", "backbone joint"]


def test_markdown_shows_what_is_missing_and_escapes_bars() -> None:
    runs = [run("backbone", None, a__test__ap=1.0), run("x|y", 1, b__test__ap=2.5)]
    lines = markdown.results_page([], result_tables(runs), 1).splitlines()
    assert "| metric | backbone | x\\|y semantic |" in lines
    assert "| `a.test.ap` | 1.00 | – |" in lines
    assert "| `b.test.ap` | – | 2.50 |" in lines


def test_the_mean_of_the_probes_is_of_one_classifier_and_of_no_control() -> None:
    metrics = {
        "probe.depth.accuracy": 80.0, "probe.shift.accuracy": 60.0, "probe.depth.accuracy_mlp": 10.0,
        "probe.depth.majority": 20.0, "probe.depth.random_labels": 5.0, "trec.test.accuracy": 90.0,
    }  # fmt: skip
    [run] = with_probe_mean([Run("sscp", 13, {"joint": metrics, "late": {"qqp.test.ap": 1.0}})])
    assert run.views["joint"][PROBES] == 70
    assert PROBES not in run.views["late"]


def test_a_gain_is_an_improvement_by_the_metrics_own_direction() -> None:
    def run(system: str, seed: int | None, alignment: float, ap: float) -> Run:
        return Run(system, seed, {"semantic": {"alignment.test.alignment": alignment, "qqp.test.ap": ap}})

    runs = [run("backbone", None, 0.25, 80.0), run("up", 13, 0.5, 81.0), run("down", 13, 0.125, 79.0),
            run("same", 13, 0.25, 80.0)]  # fmt: skip
    cells = {
        (row.system, metric): cell
        for table in result_tables(runs)
        for row in table.rows
        for metric, cell in zip(table.metrics, row.cells, strict=True)
        if cell
    }
    found = {key: (cell.gain, cell.better, cell.best) for key, cell in cells.items()}
    assert found == {
        ("backbone", "alignment.test.alignment"): (None, None, False),
        ("up", "alignment.test.alignment"): (0.25, False, False),
        ("down", "alignment.test.alignment"): (-0.125, True, True),
        ("same", "alignment.test.alignment"): (0, None, False),
        ("backbone", "qqp.test.ap"): (None, None, False),
        ("up", "qqp.test.ap"): (1, True, True),
        ("down", "qqp.test.ap"): (-1, False, False),
        ("same", "qqp.test.ap"): (0, None, False),
    }


@pytest.mark.parametrize(
    ("metric", "protocol"),
    [
        ("dev.test.ap", glossary.ZERO_SHOT),
        ("my-retrieval.test.accuracy", glossary.TRAINED),
        ("syntax.test.accuracy", glossary.TRAINED),
        ("syntax.test.f1_macro", glossary.TRAINED),
        ("threshold.test.ap", glossary.ZERO_SHOT),
        ("logistic.test.spearman", glossary.ZERO_SHOT),
        ("spearman.test.accuracy", glossary.TRAINED),
        ("uniformity.test.accuracy", glossary.TRAINED),
        ("contrast_mine.test.accuracy_dev_threshold", glossary.THRESHOLD),
        ("contrast_mine.test.accuracy_logistic", glossary.TRAINED),
    ],
)
def test_the_name_of_an_own_benchmark_decides_nothing(metric: str, protocol: str) -> None:
    """A benchmark is called by its file, so ``syntax.csv`` was read as less is better."""
    entry = glossary.meaning(metric)
    assert (entry.protocol, entry.higher_is_better) == (protocol, True)
    assert glossary.is_result(metric)


def test_a_control_and_the_best_possible_have_no_winner() -> None:
    """The loss given another pair's source is a control, and the best neighbour a fact of the data."""
    names = (
        "paraphrasing.variants.loss",
        "paraphrasing.variants.loss_other_source",
        "upos.en.test.likeness_1nn",
        "upos.en.test.likeness_best",
    )
    runs = [Run("backbone", None, {"semantic": dict.fromkeys(names, 2.0)})]
    runs += [Run("parabart", 13, {"semantic": dict.fromkeys(names, 1.0)})]
    cells = {
        name: row.cells[place]
        for table in result_tables(runs)
        for row in table.rows
        for place, name in enumerate(table.metrics)
        if row.system == "parabart"
    }
    assert [(cell.better, cell.gain) for name in names if (cell := cells[name])] == [
        (True, -1.0),
        (None, -1.0),
        (False, -1.0),
        (None, -1.0),
    ]
    best = [
        (row.system, name)
        for table in result_tables(runs)
        for row in table.rows
        for name, cell in zip(table.metrics, row.cells, strict=True)
        if cell and cell.best
    ]
    assert best == [("backbone", names[2]), ("parabart", names[0])]


def test_a_mean_over_fewer_seeds_than_the_others_says_so() -> None:
    """A task that failed from one seed: the mean of two stood beside means of three."""
    runs = [run("backbone", None, stsb__test__spearman=60.0, probe__tree_depth__accuracy=20.0)]
    for seed in (1, 2, 3):
        metrics = {"stsb__test__spearman": 70.0 + seed, "probe__tree_depth__accuracy": 30.0 + seed}
        runs.append(run("sscp", seed, **metrics))
        if seed == 3:
            del metrics["stsb__test__spearman"]
        runs.append(run("simcse", seed, **metrics))
    table = next(one for one in result_tables(runs) if "stsb.test.spearman" in one.metrics)
    texts = {row.system: markdown.cell_text(row.cells[0]) for row in table.rows}
    assert texts == {"backbone": "60.00", "sscp": "**72.00 ± 1.00**", "simcse": "71.50 ± 0.71 (2 seeds)"}
    found = headlines(runs, 100, 1)[0].comparisons[0].results
    assert result_text(found["simcse", "semantic"]).startswith("71.50 ± 0.71 (2 seeds)")
    assert "seed" not in result_text(found["sscp", "semantic"])
    assert "seed" not in result_text(found["backbone", "semantic"])
