"""How many examples a number is of, and what the page makes of very few."""

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from report_project import Project, fill
from test_headline import comparison
from test_page import page

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json, write_json
from pipeline.evaluation.compare import Scores
from pipeline.evaluation.records import EXAMPLE_SCORE, Outcome
from pipeline.evaluation.significance import FEWEST
from pipeline.report.inputs import Run
from pipeline.report.markdown import results_page
from pipeline.report.sections.headline import headlines
from pipeline.report.sections.probes import tells
from pipeline.report.sizes import Size, sizes
from pipeline.report.tables import PROBES, headline_metrics, result_tables

TEXTS = [f"text {number}" for number in range(200)]


def kept(home: Path, *metrics: tuple[str, str, str, int], parts: int = 0) -> Path:
    """A folder of scores: view, task, metric and number of examples; the first ``parts`` are a phenomenon."""
    outcome = Outcome()
    for view, task, metric, count in metrics:
        subset = ["voice"] * parts + ["cleft"] * (count - parts) if parts else None
        outcome.keep(view, task, metric, a=TEXTS[:count], score=np.arange(count) % 2, subset=subset)
    store.write_rows(home / "examples.arrow", outcome.examples, EXAMPLE_SCORE)
    return home


def run(system: str, view: str, metrics: Mapping[str, float], scores: Path | None = None) -> Run:
    return Run(system, None if system == "backbone" else 1, {view: dict(metrics)}, scores=scores)


def test_a_metric_is_of_the_examples_that_were_kept_of_it(tmp_path: Path) -> None:
    home = kept(
        tmp_path,
        ("semantic", "stsb.test", "spearman", 30),
        ("semantic", "trec.test", "accuracy", 31),
        ("semantic", "retrieval.test", "mrr", 32),
        ("semantic", "probe.tree_depth", "accuracy", 7),
        ("semantic", "upos.en.unseen", "accuracy_5nn", 33),
    )
    names = (
        "stsb.test.spearman", "stsb.test.pearson", "stsb.test.spearman_all", "trec.test.f1_macro",
        "retrieval.test.accuracy", "retrieval.test.accuracy_triplet", "probe.tree_depth.accuracy",
        "upos.en.unseen.accuracy_5nn", "upos.en.test.distance_correlation", "alignment.test.alignment",
        "alignment.test.uniformity",
    )  # fmt: skip
    metrics = dict.fromkeys(names, 50.0) | {
        "qqp.stress_long.ap": 50.0,
        "qqp.stress_long.pairs": 34.0,
        "parsing.test.las": 50.0,
        "parsing.test.sentences": 35.0,
        "upos.en.test.sentences": 36.0,  # of the groups, not of what distances are taken between
    }
    pairs = [{"view": "semantic", "kind": kind, "similarity": 0.5} for kind in ("same", "random", "random")]
    one = replace(run("backbone", "semantic", metrics, home), evaluation={"similarities": pairs})
    found = {
        name: size.least for name, size in sizes([one]).items() if not name.endswith(("pairs", "sentences"))
    }
    assert found == {
        "stsb.test.spearman": 30,
        "stsb.test.pearson": 30,
        "stsb.test.spearman_all": 30,
        "trec.test.f1_macro": 31,
        "retrieval.test.accuracy": 32,
        "probe.tree_depth.accuracy": 7,
        "upos.en.unseen.accuracy_5nn": 33,
        "alignment.test.alignment": 1,
        "alignment.test.uniformity": 2,
        "qqp.stress_long.ap": 34,
        "parsing.test.las": 35,
    }


def test_no_count_is_taken_from_another_set_of_examples(tmp_path: Path) -> None:
    """Distances are between the first sentences of the test text, parts of PAWS are of some of its pairs."""
    home = kept(
        tmp_path,
        ("semantic", "paws.test", "ap", 40),
        ("semantic", "upos.en.test", "accuracy_1nn", 30),
        ("semantic", "upos.en.test", "accuracy_5nn", 30),
    )
    distances = ("functional_dissimilarity", "distance_correlation", "likeness_1nn", "likeness_best")
    names = ["paws.test_unread.ap", "paws.test_apart.ap", *(f"upos.en.test.{name}" for name in distances)]
    counts = {"upos.en.test.sentences": 30.0, "upos.en.test.groups": 4.0}
    metrics = dict.fromkeys([*names, "paws.test.ap", "upos.en.test.accuracy_1nn"], 50.0) | counts
    found = sizes([run("backbone", "semantic", metrics, home)])
    assert found == {"paws.test.ap": Size(40, 40), "upos.en.test.accuracy_1nn": Size(30, 30)}


def test_a_phenomenon_is_of_its_own_pairs_and_late_scores_count_as_cosines(tmp_path: Path) -> None:
    home = kept(tmp_path, ("late", "contrast", "ap_late", 50), parts=20)
    names = ("contrast.all.ap", "contrast.voice.ap", "contrast.cleft.ap")
    found = sizes([run("sscp", "late", dict.fromkeys(names, 50.0), home)])
    assert [found[name] for name in names] == [Size(50, 50), Size(20, 20), Size(30, 30)]


def test_runs_of_other_data_are_told_apart(tmp_path: Path) -> None:
    metrics = {"probe.tree_depth.accuracy": 50.0}
    runs = [
        run(system, "semantic", metrics, kept(tmp_path / system, ("semantic", "probe.tree_depth", *one)))
        for system, one in (("backbone", ("accuracy", 120)), ("sscp", ("accuracy", 80)))
    ]
    assert str(sizes(runs)["probe.tree_depth.accuracy"]) == "80 to 120"
    assert sizes([run("backbone", "semantic", metrics)]) == {}  # without scores nothing is known
    texts = [str(Size(n, n)) for n in (1379, FEWEST, FEWEST - 1)]
    assert texts == ["1,379", str(FEWEST), f"{FEWEST - 1} (few)"]


def few_and_many(home: Path) -> list[Run]:
    """A probe of five sentences that only sscp gets right, and one of 100 that the backbone reads better."""
    runs = []
    for system, few, many in (("backbone", 0, 90), ("sscp", 1, 40)):
        outcome = Outcome()
        for name, right in (("object_number", np.full(5, few)), ("tree_depth", np.arange(100) < many)):
            outcome.keep("semantic", f"probe.{name}", "accuracy", a=TEXTS[: len(right)], score=right)
        store.write_rows(home / system / "examples.arrow", outcome.examples, EXAMPLE_SCORE)
        metrics = {"probe.object_number.accuracy": 100.0 * few, "probe.tree_depth.accuracy": 1.0 * many}
        runs.append(run(system, "semantic", metrics, home / system))
    return runs


def test_of_few_examples_none_is_the_best_and_their_number_stands_there(tmp_path: Path) -> None:
    runs = few_and_many(tmp_path)
    counted = sizes(runs)
    [table] = result_tables(runs, counted)
    cells = {
        (row.system, name): cell
        for row in table.rows
        for name, cell in zip(table.metrics, row.cells, strict=True)
    }
    bold = [key for key, cell in cells.items() if cell and cell.best]
    assert bold == [("backbone", "probe.tree_depth.accuracy")]
    few = cells["sscp", "probe.object_number.accuracy"]
    assert few is not None
    assert (few.gain, few.better) == (100.0, None)
    lines = results_page([], [table], 1).splitlines()
    assert lines[0] == f"Of fewer than {FEWEST} examples (few) nothing is tested and nothing stands in bold."
    assert "| metric | examples | backbone | sscp semantic |" in lines
    assert "| `probe.object_number.accuracy` | 5 (few) | 0.00 | 100.00 |" in lines
    assert "| `probe.tree_depth.accuracy` | 100 | **90.00** | 40.00 |" in lines


def test_a_probe_of_few_sentences_does_not_count_in_the_mean(tmp_path: Path) -> None:
    runs = few_and_many(tmp_path)
    found = comparison(headlines(runs, 100, 1), PROBES)
    assert {group[0]: result.mean for group, result in found.results.items()} == {"backbone": 90, "sscp": 40}
    assert found.examples == 100
    assert found.results["sscp", "semantic"].interval == pytest.approx((40, 40), abs=12)
    assert headline_metrics(runs)["probes"] == {"sscp": 70.0}
    assert headline_metrics(runs, {"probe.object_number.accuracy"})["probes"] == {"sscp": 40.0}


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_headline_of_few_examples_is_neither_tested_nor_the_best(tmp_path: Path, seeds: int) -> None:
    """Five pairs that all come right: the bootstrap says p = 0.02, and three seeds that agree say less."""
    name = "paws.test.accuracy_logistic"
    for count, tested in ((5, False), (FEWEST, True)):
        runs = []
        for system, seed, right in [("backbone", None, 0), *(("sscp", seed, 1) for seed in range(seeds))]:
            outcome, home = Outcome(), tmp_path / f"{count} {system} {seed}"
            outcome.keep("semantic", "paws.test", "accuracy_logistic", a=TEXTS[:count], score=[right] * count)
            store.write_rows(home / "examples.arrow", outcome.examples, EXAMPLE_SCORE)
            runs.append(Run(system, seed, {"semantic": {name: 100.0 * right - (seed or 0)}}, scores=home))
        [table] = headlines(runs, 100, 1)
        result = table.comparisons[0].results["sscp", "semantic"]
        assert result.gain is not None
        assert (result.gain.p is not None, result.best) == (tested, tested)
        assert result.gain.verdict == ("better" if tested else "")
        if seeds == 1:
            assert (result.interval is not None) == tested
        size = str(FEWEST) if tested else "5 (few)"
        assert f"PAWS-Wiki, accuracy, %, {size} examples" in results_page([table], [], seeds)


def test_the_page_leaves_out_a_probe_of_few_sentences_and_says_how_many(empty: Project) -> None:
    fill(empty, [1])
    for name in ("backbone", "simcse-1", "sscp-1"):
        metrics = empty.reports / "metrics" / f"{name}.json"
        found = read_json(metrics)
        file = empty.reports / "evaluation" / name / "examples.arrow"
        rows = store.read_file(file).to_pylist()
        for view in (view for view in found if "probe" in found[view]):
            share = 80.0 if name == "sscp-1" else 60.0
            found[view]["probe"]["object_number"] = {"accuracy": share, "majority": 60.0}
            five = [row for row in rows if row["view"] == view and row["task"] == "probe.tree_depth"][:5]
            rows += [{**row, "task": "probe.object_number"} for row in five]
        write_json(metrics, found)
        store.write_rows(file, rows, EXAMPLE_SCORE)
    html = page(empty, seeds=(1,))
    section = html[html.index('<section id="probes">') : html.index('<section id="similarity">')]
    assert re.search(r"<figcaption>tree depth <span class=\"view\">200 sentences</span>", section)
    assert "<figcaption>object number" not in section
    assert f"tested on fewer than {FEWEST} sentences" in section
    assert "<b>object number</b> (5)." in section
    results = html[html.index('<section id="results">') : html.index('<section id="pairs">')]
    assert "<td>5 (few)</td>" in results
    assert "average precision, 200 examples" in html
    with (empty.reports / "plots" / "probes.csv").open() as stream:
        assert {row["probe"] for row in csv.DictReader(stream)} == {"tree_depth", "subject_number"}


def test_a_probe_without_anything_to_beat_tells_neither(tmp_path: Path) -> None:
    """The word counts are of other sentences and the majority is not known: nothing was tested."""
    own = Scores(TEXTS, [None] * 200, np.full(200, np.nan), np.ones(200))
    other = own._replace(a=TEXTS[::-1])
    assert tells({("sscp", "semantic"): own}, other, None) is None


def test_scores_of_other_columns_are_one_clear_sentence(tmp_path: Path) -> None:
    store.write_table(tmp_path / "examples.arrow", pa.table({"view": ["semantic"]}))
    with pytest.raises(
        SynsemError, match=r"examples.arrow: has no column .*subset.*; evaluate that run again"
    ):
        sizes([run("backbone", "semantic", {"stsb.test.spearman": 1.0}, tmp_path)])
