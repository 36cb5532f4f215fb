"""What the further sections are made from: published tables, ablations, curves, neighbours, errors, cost."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from report_project import Project, ablate, fill
from scipy import stats

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.evaluation.records import EXAMPLE_SCORE
from pipeline.evaluation.significance import holm
from pipeline.report import glossary
from pipeline.report.figures.charts import Mark, forest_picture
from pipeline.report.inputs import Run, read_runs
from pipeline.report.sections.ablations import effects, read_ablations
from pipeline.report.sections.examples import queries, worst_errors
from pipeline.report.sections.matchers import read_matching
from pipeline.report.sections.published import published_entries, published_tables
from pipeline.report.sections.run_facts import costs, measured, quantity, stage_counts
from pipeline.report.sections.similarity import example_picture, example_similarities

SEEDS = [1, 2, 3]


@pytest.fixture
def runs(empty: Project) -> list[Run]:
    fill(empty, SEEDS)
    return read_runs(empty.reports, empty.models, ["simcse", "sscp"], SEEDS)


def test_a_published_table_is_explained_without_another() -> None:
    """The page leaves tables out whose metrics no run has, and what they say with them."""
    for entry in published_entries():
        for key in ("protocol", "differs"):
            assert not re.match(r"as in", entry[key], flags=re.IGNORECASE), (entry["table"], key)


def test_published_rows_fit_their_columns_and_the_glossary_knows_them() -> None:
    for entry in published_entries():
        assert entry["protocol"]
        assert entry["differs"]
        for row in entry["rows"].values():
            assert len(row) == len(entry["columns"])
        for metric in entry["columns"]:
            assert glossary.meaning(metric).pattern != "*"


def test_ours_stand_beside_what_is_measured_alike(runs: list[Run]) -> None:
    found = {table.table: table for table in published_tables(runs)}
    pairs = next(table for name, table in found.items() if "paraphrase" in name)
    assert [metric for metric, _ in pairs.columns] == ["stsb.test.spearman", "paws.test.accuracy_logistic"]
    assert dict(pairs.published)["SSCP"] == (86.1, 85.6)  # the QQP column is left out: no run has it
    joint = next(row for row in pairs.own if (row.system, row.view) == ("sscp", "joint"))
    expected = [run.views["joint"]["stsb.test.spearman"] for run in runs if run.system == "sscp"]
    assert joint.numbers[0] == pytest.approx((np.mean(expected), np.std(expected, ddof=1)))
    assert all(row.view != "late" for row in pairs.own)
    assert not any("QQP-Easy" in name for name in found)
    assert published_tables([Run("a", 1, {"semantic": {"own.test.score": 1.0}})]) == []


def test_ablations_are_paired_by_seed_and_corrected(empty: Project) -> None:
    ablate(empty, SEEDS)
    found = read_ablations(empty.reports / "ablations")
    assert [(each.name, each.changes) for each in found] == [
        ("full", ()),
        ("no-bias", (("sscp.bias", "none"),)),
        ("no-distillation", (("sscp.distillation", "0.0"),)),
    ]
    table = effects(found)[0][0]
    assert table.view == "joint"
    place = [column.metric for column in table.columns].index("paws.test.ap")
    full, hurt, idle = (row[place] for _, row in table.rows)
    assert full is not None
    assert hurt is not None
    assert idle is not None
    assert full.difference is None
    assert hurt.difference == pytest.approx(-9.2)
    others = len(table.columns) * 2 - 1  # every other test of the table compares equals: p = 1
    p = float(stats.ttest_1samp([-9.1, -9.2, -9.3], 0).pvalue)
    assert hurt.p == pytest.approx(float(holm([p] + [1.0] * others)[0]))
    assert (idle.difference, idle.p) == (0.0, 1.0)


def test_no_ablation_is_no_table_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    assert effects(read_ablations(tmp_path)) == []
    store.write_json(tmp_path / "x-1.json", {"ablation": "x", "metrics": {}})
    with pytest.raises(SynsemError, match=r"x-1\.json.*system"):
        read_ablations(tmp_path)


def test_fine_tuned_matchers_stand_beside_their_paper(tmp_path: Path) -> None:
    record = {"pairs": 10, "dev": 80.0}
    runs = {
        f"{start} {share} {seed}": record
        | {
            "start": start,
            "share": share,
            "seed": seed,
            "test": {"accuracy": 60.0 + seed, "f1": 50.0 + share},
        }
        for start in ("models/ebsim/13", "backbone")
        for share in (20, 100)
        for seed in (1, 2)
    }
    store.write_json(tmp_path / "qqp.json", {"task": "qqp", "recipe": {}, "runs": runs})
    found = read_matching(tmp_path)
    assert {run.system for run in found} == {"backbone", "ebsim"}
    (table,) = published_tables([], matched=found)
    assert [metric for metric, _ in table.columns] == ["matching.qqp.accuracy", "matching.qqp.f1"]
    assert [row.numbers[1] for row in table.own] == [(150.0, 0.0), (150.0, 0.0)]
    store.write_json(tmp_path / "bad.json", {"task": "x", "runs": {"k": {}}})
    with pytest.raises(SynsemError, match=r"bad\.json"):
        read_matching(tmp_path)


def test_neighbours_are_of_the_first_seed_and_in_order(runs: list[Run]) -> None:
    found = queries(runs)
    assert len(found) == 3
    assert [group[:2] for group in found[0].lists] == [
        ("backbone", "semantic"),
        ("simcse", "semantic"),
        ("sscp", "semantic"),
        ("sscp", "syntactic"),
        ("sscp", "joint"),
    ]
    nearest = found[0].lists[0][2]
    assert [near.kind for near in nearest] == ["same", "different", "other"]
    assert [near.similarity for near in nearest] == sorted((n.similarity for n in nearest), reverse=True)


def test_the_worst_errors_are_farthest_from_gold(tmp_path: Path) -> None:
    gold, score = [5.0, 4.0, 3.0, 2.0, 1.0], [0.1, 0.8, 0.7, 0.6, 0.9]

    def kept(folder: Path, scores: list[float]) -> Path:
        rows = [
            {"view": "semantic", "task": "stsb.test", "metric": "spearman", "subset": "", "a": str(i),
             "b": "x", "gold": gold[i], "score": value}
            for i, value in enumerate(scores)
        ]  # fmt: skip
        store.write_rows(folder / "examples.arrow", rows, EXAMPLE_SCORE)
        return folder

    models = [
        Run("backbone", None, {}, scores=kept(tmp_path / "a", gold)),
        Run("sscp", 1, {}, scores=kept(tmp_path / "b", score)),
    ]
    own, untouched = worst_errors(models, 1)["stsb.test"]
    assert (own.system, untouched.system) == ("sscp", "backbone")
    assert [(m.first, m.rank, m.backbone) for m in own.too_similar] == [("4", 1, 5)]
    assert [(m.first, m.rank, m.backbone) for m in own.too_different] == [("0", 5, 1)]
    assert own.graded
    assert untouched.too_similar == untouched.too_different == ()  # it agrees with gold


def test_example_distributions_are_percent_and_damage_is_named(runs: list[Run], empty: Project) -> None:
    found = example_similarities(empty.data / "triplets", ["simcse", "sscp"])
    assert [(one.system, one.measure) for one in found] == [("sscp", "overlap"), ("sscp", "cosine")]
    assert sum(found[0].shares["positive"]) == pytest.approx(100)
    ElementTree.fromstring(example_picture(found[0]))
    path = empty.data / "triplets" / "sscp" / "similarity.json"
    store.write_json(path, {"edges": [0, 1], "overlap": {}, "cosine": {}})
    with pytest.raises(SynsemError, match=r"similarity\.json"):
        example_similarities(empty.data / "triplets", ["sscp"])


def test_costs_show_what_is_known(runs: list[Run]) -> None:
    headings, rows = measured(runs)
    assert headings == ["time", "tokens/s", "peak memory", "device"]
    assert rows[0][1] == ["3 min 20 s", "4,321", "1.8 GB", "cpu"]
    trained = Run("a", 1, {}, training={"steps": 1200, "device": "cpu"}, size=45_000_000)
    assert costs([trained, Run("b", 1, {})]) == (
        ["steps", "weights", "device"],
        [(trained, ["1,200", "45 MB", "cpu"])],
    )
    assert measured([Run("a", 1, {})]) == ([], [])


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "count", "–"),
        (12.4, "seconds", "12 s"),
        (59.7, "seconds", "1 min 0 s"),
        (119.6, "seconds", "2 min 0 s"),
        (7384, "seconds", "2 h 3 min"),
        (181_000_000, "bytes", "181 MB"),
        (999.7, "megabytes", "1.0 GB"),
        (1000, "megabytes", "1.0 GB"),
        (0.25, "share", "25 %"),
        (28.173, "rate", "28.2"),
        (4210.66, "rate", "4,210.7"),
        ({"train": 2848, "dev": 141}, "count", "2,848 train, 141 dev"),
        ({"dev": 141, "train": 2848}, "count", "2,848 train, 141 dev"),
        ("NVIDIA H200", "text", "NVIDIA H200"),
        (0.0014, "number", "0.001"),
        (10.0, "number", "10"),
        (float("nan"), "seconds", "–"),
        (float("inf"), "count", "–"),
    ],
)
def test_quantities_read_well(value: object, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


def test_a_forest_stands_without_reach_or_reference() -> None:
    marks = [Mark("<a>", 1.0, None, "x", "n"), Mark("b", -2.0, (-3.0, -1.0), "x", "n")]
    svg = ElementTree.fromstring(forest_picture("name", marks, None, signed=True))
    assert [text.text for text in svg.iter("text") if text.get("class") == "label"] == ["<a>", "b"]
    assert [text.text for text in svg.iter("text") if text.get("class") == "value"] == ["+1.00", "−2.00"]


def test_a_stage_counts_the_largest_reason_first_and_no_switch(tmp_path: Path) -> None:
    report = {
        "kept": {"wiki": 5}, "dropped": {"short": 3, "long": 20, "empty": 3}, "words": 50, "gold": True,
    }  # fmt: skip
    store.write_json(tmp_path / "corpus" / "report.json", report)
    [stage] = stage_counts(tmp_path)
    assert [(each.label, each.number) for each in stage.dropped] == [("long", 20), ("empty", 3), ("short", 3)]
    # Of the most that was kept or dropped for one reason; a bar is never wider than its place.
    assert [each.percent for each in (*stage.kept, *stage.dropped)] == [25, 100, 15, 15]
    assert [(each.label, each.percent) for each in stage.other] == [("words", 100)]


def test_a_role_without_an_example_has_no_distribution(empty: Project) -> None:
    """A system without hard negatives."""
    positive = {"count": 4, "mean": 0.5, "bins": [1, 3]}
    both = {"positive": positive, "negative": {"count": 0, "mean": None, "bins": [0, 0]}}
    path = empty.data / "triplets" / "sscp" / "similarity.json"
    store.write_json(path, {"edges": [0, 0.5, 1], "overlap": both, "cosine": both})
    [overlap, _] = example_similarities(empty.data / "triplets", ["sscp"])
    assert overlap.shares == {"positive": (25, 75)}
    assert overlap.counts == {"positive": 4}
