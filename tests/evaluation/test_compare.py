"""Two runs, or two systems over their seeds, compared from files whose scores are known."""

import json
from pathlib import Path
from statistics import stdev
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console
from rich.table import Table
from small_world import PARAMS, BagOfHashes, folders
from typer.testing import CliRunner

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_file, read_json, write_json, write_rows, write_table
from pipeline.evaluation.compare import changes, compare, over_seeds, read_scores, significance_table
from pipeline.evaluation.records import EXAMPLE_SCORE, Outcome
from pipeline.evaluation.results import Folders, write
from pipeline.evaluation.run import ModelUnderTest, evaluate
from pipeline.evaluation.significance import Difference, bootstrap
from pipeline.evaluation.tables import comparison_table, seeds_table

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
    assert [change.gain for change in found] == [1, 1, -1]
    assert found[-1].first == "text 79"
    # Of an odd number the gains have one more.
    assert [change.gain for change in changes(first, second, 1)] == [1]


def test_a_difference_can_be_significant_however_many_metrics_are_shared(tmp_path: Path) -> None:
    """Of a thousand draws the smallest p is 2 in 1,001: after Holm's correction too much for 26 metrics."""
    places = Folders(tmp_path, tmp_path, tmp_path, tmp_path)
    for run, right in (("a", 0), ("b", 1)):
        outcome = Outcome()
        for number in range(40):
            scores = np.full(80, right) if number == 0 else np.zeros(80)
            outcome.keep("semantic", f"task{number}", "accuracy", a=TEXTS, score=scores)
        write(outcome, places, run)
    lines = compare(places.evaluation("a"), places.evaluation("b"))
    assert sum(line.adjusted < 0.05 for line in lines) == 1


def test_the_same_texts_with_other_labels_are_not_compared(tmp_path: Path) -> None:
    places = Folders(tmp_path, tmp_path, tmp_path, tmp_path)
    gold = np.arange(80) % 2
    for run, labels in (("a", gold), ("b", 1 - gold)):
        outcome = Outcome()
        outcome.keep("semantic", "paws.test", "ap", a=TEXTS, b=TEXTS, gold=labels, score=labels + 0.0)
        write(outcome, places, run)
    with pytest.raises(SynsemError, match="no metric on the same examples"):
        compare(places.evaluation("a"), places.evaluation("b"))


def test_what_changed_most_takes_turns_among_tasks_and_names_an_example_once(tmp_path: Path) -> None:
    places = Folders(tmp_path, tmp_path, tmp_path, tmp_path)
    for run, right in (("a", 0), ("b", 1)):
        outcome = Outcome()
        for view in ("joint", "semantic"):
            for task in ("trec.test", "probe.tree_depth"):
                outcome.keep(view, task, "accuracy", a=TEXTS[:3], score=[right] * 3)
        write(outcome, places, run)
    found = changes(places.evaluation("a"), places.evaluation("b"), 8)
    assert [(change.task, change.view, change.first) for change in found] == [
        ("probe.tree_depth", "joint", "text 0"),
        ("trec.test", "joint", "text 0"),
        ("probe.tree_depth", "joint", "text 1"),
        ("trec.test", "joint", "text 1"),
    ]


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
    assert (line.sd_a, line.sd_b) == (stdev([80.0, 81.0, 79.0]), stdev([82.0, 82.5, 81.5]))
    assert line.p < 0.05
    with pytest.raises(SynsemError, match="holds no run or system 'nothing'; the runs there: simcse-13, "):
        over_seeds(tmp_path, "simcse", "nothing")
    write_json(tmp_path / "upos-99.json", {})
    with pytest.raises(SynsemError, match="0 seeds in common"):
        over_seeds(tmp_path, "simcse", "upos")
    write_json(tmp_path / "cssl-14.json", {})
    with pytest.raises(SynsemError, match=r"have 1 seed in common .* such as 'simcse-14 cssl-14'"):
        over_seeds(tmp_path, "simcse", "cssl")
    with pytest.raises(SynsemError, match="evaluation/simcse-13: missing; evaluate that run first"):
        over_seeds(tmp_path, "simcse-13", "sscp-13")


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("[]", "not one object of metrics for each view"),
        ('{"semantic": 1}', "not one object of metrics for each view"),
        ('{"semantic": {"stsb": {"test": null}}}', "stsb.test is None, not a finite number"),
        ('{"semantic": {"stsb": {"test": NaN}}}', "stsb.test is nan, not a finite number"),
    ],
)
def test_damaged_metrics_are_one_clear_sentence(tmp_path: Path, metrics: str, message: str) -> None:
    for name in ("simcse-13", "simcse-14", "sscp-13", "sscp-14"):
        (tmp_path / f"{name}.json").write_text(metrics)
    with pytest.raises(SynsemError, match=rf"simcse-13\.json: {message}"):
        over_seeds(tmp_path, "simcse", "sscp")


def test_a_file_of_other_columns_is_one_clear_sentence(tmp_path: Path) -> None:
    write_table(tmp_path / "examples.arrow", pa.table({"text": ["a"]}))
    with pytest.raises(SynsemError, match=r"examples.arrow: has no column a, b, gold, .*; evaluate that run"):
        read_scores(tmp_path)


@pytest.mark.parametrize(("column", "value"), [("score", None), ("score", float("nan")), ("view", None)])
def test_a_row_without_a_name_or_a_score_is_one_clear_sentence(
    tmp_path: Path, column: str, value: object
) -> None:
    folder = leave(tmp_path, "a-13", np.ones(80))
    rows = read_file(folder / "examples.arrow").to_pylist()
    rows[1][column] = value
    write_rows(folder / "examples.arrow", rows, EXAMPLE_SCORE)
    with pytest.raises(
        SynsemError, match=r"examples.arrow: a row lacks its view, task, metric or score; eval"
    ):
        read_scores(folder)


def test_scores_with_plain_text_for_labels_are_read(tmp_path: Path) -> None:
    folder = leave(tmp_path, "a-13", np.ones(80))
    before = list(read_scores(folder))
    rows = read_file(folder / "examples.arrow").to_pylist()
    write_table(folder / "examples.arrow", pa.Table.from_pylist(rows))
    assert list(read_scores(folder)) == before


def test_what_tells_of_the_data_or_a_control_is_not_compared(tmp_path: Path) -> None:
    names = ("likeness", "likeness_best", "derived_trees", "loss_other_source", "majority")
    for run in ("simcse-13", "simcse-14", "sscp-13", "sscp-14"):
        write_json(tmp_path / f"{run}.json", {"semantic": {"upos": {"test": dict.fromkeys(names, 50.0)}}})
    assert [line.name for line in over_seeds(tmp_path, "simcse", "sscp")] == ["semantic.upos.test.likeness"]


def test_a_metric_that_some_seed_lacks_is_not_compared(tmp_path: Path) -> None:
    """As of a benchmark that was added after the first run."""
    for system, seed in (("simcse", 13), ("simcse", 14), ("sscp", 13), ("sscp", 14)):
        metrics = {"stsb": 80.0, "paws": 60.0, "trec": 90.0}
        metrics.pop({("simcse", 14): "paws", ("sscp", 13): "trec"}.get((system, seed), ""), None)
        write_json(tmp_path / f"{system}-{seed}.json", {"semantic": metrics})
    assert [line.name for line in over_seeds(tmp_path, "simcse", "sscp")] == ["semantic.stsb"]


def test_seeds_that_all_differ_by_the_same_have_no_p(tmp_path: Path) -> None:
    for seed, ap in ((13, 80.0), (14, 75.0)):
        write_json(tmp_path / f"simcse-{seed}.json", {"semantic": {"contrast": {"all": {"ap": ap}}}})
        write_json(tmp_path / f"sscp-{seed}.json", {"semantic": {"contrast": {"all": {"ap": ap + 5}}}})
    lines = over_seeds(tmp_path, "simcse", "sscp")
    assert np.isnan(lines[0].p)
    shown = [list(column.cells) for column in seeds_table(lines, "simcse", "sscp").columns]
    assert [cells[0] for cells in shown[-3:]] == ["+5.00", "no variance", "no variance"]


def leave_ranked(reports: Path, run: str, view: str, metric: str, score: np.ndarray) -> Path:
    outcome = Outcome()
    gold = np.arange(80) % 2
    outcome.keep(view, "paws.test", metric, a=TEXTS, b=TEXTS, gold=gold, score=score)
    places = Folders(reports, reports, reports, reports)
    write(outcome, places, run)
    return places.evaluation(run)


def test_a_late_score_is_compared_with_the_cosine_of_a_run_without(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    first = leave_ranked(tmp_path, "backbone", "semantic", "ap", rng.random(80))
    second = leave_ranked(tmp_path, "sscp-13", "late", "ap_late", np.arange(80) % 2 + rng.random(80))
    (line,) = compare(first, second)
    assert (line.view, line.metric) == ("late", "ap_late")
    assert line.difference.b == pytest.approx(100)
    assert line.difference.a < 80
    assert not changes(first, second, 4)  # a rank by AP has no gold rank to come near to


def test_a_run_without_a_seed_stands_beside_every_seed(tmp_path: Path) -> None:
    metrics = tmp_path / "metrics"
    known = {"stsb": {"test": {"spearman": 80.0}}, "paws": {"test": {"ap": 60.0, "pairs": 10}}}
    write_json(metrics / "backbone.json", {"semantic": known})
    for seed, gain in {13: 1.0, 14: 1.2, 15: 0.9}.items():
        own = {"stsb": {"test": {"spearman": 80 + gain}}, "paws": {"test": {"ap": 60 + gain, "pairs": 10}}}
        late = {"paws": {"test": {"ap_late": 65 + gain}}}
        write_json(metrics / f"sscp-{seed}.json", {"joint": own, "late": late})
    lines = over_seeds(metrics, "backbone", "sscp")
    assert [line.name for line in lines] == [
        "joint.paws.test.ap",
        "joint.stsb.test.spearman",
        "late.paws.test.ap_late",
    ]
    assert all(line.sd_a == 0 and line.adjusted < 0.05 for line in lines)
    table = significance_table(tmp_path, "backbone", "sscp")
    assert table["test"] == "paired t-test over seeds"
    assert table["rows"][0]["mean_b"] == pytest.approx(60 + 3.1 / 3)


def test_what_no_test_can_tell_is_null_in_the_table(tmp_path: Path) -> None:
    """Of two systems that differ by the same at every seed a t-test says nothing."""
    metrics = tmp_path / "metrics"
    for seed in (13, 14):
        for system, more in (("simcse", 0), ("sscp", 1)):
            score = {"stsb": {"test": {"spearman": float(seed + more)}}}
            write_json(metrics / f"{system}-{seed}.json", {"semantic": score})
    (row,) = json.loads(json.dumps(significance_table(tmp_path, "simcse", "sscp"), allow_nan=False))["rows"]
    assert (row["mean_b"], row["p"], row["p_holm"]) == (14.5, None, None)


@pytest.mark.parametrize("given", [{"draws": 1000}, {"changed": 10}, {"changed": 0}], ids=str)
def test_what_a_test_over_seeds_does_not_read_is_refused(
    given: dict[str, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from stages.tools.compare import main

    for system, points in (("simcse", (1, 2, 4)), ("sscp", (2, 4, 7))):
        for seed, value in enumerate(points):
            write_json(
                tmp_path / "metrics" / f"{system}-{seed}.json",
                {"semantic": {"stsb": {"test": {"spearman": value}}}},
            )
    with pytest.raises(SynsemError, match=rf"--{next(iter(given))}: is for two runs; .* leave it out"):
        main("simcse", "sscp", tmp_path, **given, json=tmp_path / "x.json")
    assert capsys.readouterr().out == ""
    assert not (tmp_path / "x.json").exists()
    main("simcse", "sscp", tmp_path)


def test_the_table_of_two_runs_as_json(tmp_path: Path) -> None:
    base = np.arange(80) % 2
    leave(tmp_path, "backbone", base)
    leave(tmp_path, "sscp-13", np.where(np.arange(80) < 40, 1, base))
    table = significance_table(tmp_path, "backbone", "sscp-13")
    (row,) = table["rows"]
    assert table["test"] == "paired bootstrap over examples"
    assert (row["a"], row["b"], row["difference"]) == (50, 75, 25)
    assert row["low"] < 25 < row["high"]
    assert row["p"] == row["p_holm"] < 0.05


def test_what_is_printed_is_also_written_and_drawn_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stages.tools.compare import main

    leave(tmp_path, "backbone", np.arange(80) % 2)
    leave(tmp_path, "sscp-13", np.ones(80))
    drawn: list[str] = []

    def counted(metric: str, *given: Any) -> Difference:
        drawn.append(metric)
        return bootstrap(metric, *given)

    monkeypatch.setattr("pipeline.evaluation.compare.bootstrap", counted)
    main("backbone", "sscp-13", tmp_path, json=tmp_path / "table.json")
    assert len(drawn) == 1
    assert read_json(tmp_path / "table.json") == significance_table(tmp_path, "backbone", "sscp-13")


def test_the_command_prints_a_table(world: Path, tmp_path: Path) -> None:
    import typer

    from stages.tools.compare import main

    for run in ("one", "two"):
        evaluate(ModelUnderTest(run, BagOfHashes()), folders(world, tmp_path), PARAMS, ["retrieval"])
    app = typer.Typer()
    app.command()(main)
    result = CliRunner().invoke(
        app, ["one", "two", "--reports", str(tmp_path), "--json", str(tmp_path / "x.json")]
    )
    assert result.exit_code == 0, result.output
    assert "retrieval.test.mrr" in result.output
    assert "95 % interval" in result.output
    assert "+0.00 to +0.00" in result.output
    assert read_json(tmp_path / "x.json")["rows"][0]["difference"] == 0


def test_where_the_table_cannot_be_written_nothing_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from stages.tools.compare import main

    for run in ("one", "two"):
        outcome = Outcome()
        outcome.keep("semantic", "trec.test", "accuracy", a=["Rain", "Snow"], score=np.zeros(2))
        write(outcome, Folders(tmp_path, tmp_path, tmp_path, tmp_path), run)
    with pytest.raises(SynsemError, match="is a folder; name a file"):
        main("one", "two", tmp_path, json=tmp_path)
    assert capsys.readouterr().out == ""


def test_the_command_shows_an_example_that_looks_like_markup_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from stages.tools.compare import main

    for run, right in (("one", np.zeros(2)), ("two", np.array([1.0, 0.0]))):
        outcome = Outcome()
        outcome.keep("semantic", "trec.test", "accuracy", a=["Who [he] is [/b] :cat:", "Rain"], score=right)
        write(outcome, Folders(tmp_path, tmp_path, tmp_path, tmp_path), run)
    main("one", "two", tmp_path)
    assert "Who [he] is [/b] :cat:" in capsys.readouterr().out


def test_the_gain_of_a_correlation_is_a_share_of_all_ranks(world: Path, tmp_path: Path) -> None:
    places = folders(world, tmp_path)
    for run, score in (("before", [4.0, 3.0, 2.0, 1.0]), ("after", [1.0, 2.0, 3.0, 4.0])):
        outcome = Outcome()
        outcome.keep("semantic", "stsb.test", "spearman", a=list("abcd"), b=list("efgh"),
                     gold=[0.0, 1.0, 2.0, 5.0], score=score)  # fmt: skip
        outcome.put("semantic", "stsb.test.spearman", 0.0)
        write(outcome, places, run)
    found = changes(places.evaluation("before"), places.evaluation("after"), 8)
    assert {each.first: each.gain for each in found} == {"a": 0.75, "b": 0.25, "c": 0.25, "d": 0.75}


def printed(table: Table, width: int = 200) -> str:
    console = Console(width=width)
    with console.capture() as taken:
        console.print(table)
    return taken.get()


def test_a_metric_of_few_examples_is_told_and_not_tested(tmp_path: Path) -> None:
    """A probe of five sentences in a small text: nothing is said to be significant, nor does it cost p."""
    places = Folders(tmp_path, tmp_path, tmp_path, tmp_path)
    better = np.where(np.arange(80) < 40, 1, np.arange(80) % 2)
    for run, right, base in (("a", 0, np.arange(80) % 2), ("b", 1, better)):
        outcome = Outcome()
        outcome.keep("semantic", "trec.test", "accuracy", a=TEXTS, score=base)
        outcome.keep("semantic", "probe.object_number", "accuracy", a=TEXTS[:5], score=[right] * 5)
        write(outcome, places, run)
        write_json(places.metrics(run), {})
    lines = compare(places.evaluation("a"), places.evaluation("b"))
    assert [line.examples for line in lines] == [80, 5]
    assert lines[0].adjusted == lines[0].difference.p < 0.05
    assert np.isnan([lines[1].adjusted, lines[1].difference.low]).all()
    few = next(row for row in printed(comparison_table(lines, "a", "b")).splitlines() if "object" in row)
    assert [cell.strip() for cell in few.split("│")[3:8]] == ["5", "0.00", "100.00", "+100.00", "–"]
    assert "too few" in few
    rows = significance_table(tmp_path, "a", "b")["rows"]
    assert [rows[1][name] for name in ("examples", "low", "high", "p", "p_holm")] == [
        5,
        None,
        None,
        None,
        None,
    ]


def test_eighty_columns_break_no_name_and_no_number(tmp_path: Path) -> None:
    places = Folders(tmp_path, tmp_path, tmp_path, tmp_path)
    for run, right in (("backbone", 0.0), ("sscp-13", 1.0)):
        outcome = Outcome()
        outcome.keep("structural", "probe.top_constituents", "accuracy", a=TEXTS, score=[right] * 80)
        write(outcome, places, run)
        write_json(places.metrics(run), {})
    lines = compare(places.evaluation("backbone"), places.evaluation("sscp-13"))
    shown = printed(comparison_table(lines, "backbone", "sscp-13", 80), 80)
    assert all(len(line) <= 80 for line in shown.splitlines())
    for whole in ("backbone", "sscp-13", "examples", "difference", "structural", "+100.00", "100.00"):
        assert whole in shown
    for part in ("probe.top_constituents.", "accuracy"):
        assert part in shown
    assert "view and metric" not in printed(comparison_table(lines, "backbone", "sscp-13"))
