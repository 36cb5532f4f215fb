"""The matching section: tables of fine-tuned matchers, and grids of aligned tokens."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from report_project import Project
from scipy import stats

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.evaluation.records import ALIGNMENT
from pipeline.report.inputs import Run
from pipeline.report.page import write_report
from pipeline.report.sections.matchers import matcher_tables, read_matching
from pipeline.report.sections.token_alignment import aligned_pairs, grid_picture

OWN = {1: 70.0, 2: 73.0, 3: 71.5, 4: 69.0}
BASE = {1: 68.0, 2: 70.0, 3: 69.0, 5: 99.0}


def runs(**points: dict[int, float]) -> dict[str, object]:
    found = {}
    for start, by_seed in points.items():
        for seed, value in by_seed.items():
            record = {"start": start.replace("_", "/"), "share": 20, "seed": seed, "pairs": 300, "dev": 1.0}
            found[f"{start} {seed}"] = record | {"test": {"accuracy": value, "ap": 50.0 + seed}}
    recipe = {"epochs": 1, "batch_size": 32, "learning_rate": 5e-5}
    return {"task": "qqp", "recipe": recipe, "test_pairs": 1000, "runs": found}


def row(view: str, **changed: object) -> dict[str, object]:
    tokens = {"first": ["Ġthe", "cat"], "second": ["a", "▁big", "cat"]}
    weights = [0.5, 0.25, 0.25, 0.0, 0.0, 1.0]
    return {"view": view, "kind": "", "a": "the cat", "b": "a big cat", "weights": weights} | tokens | changed


def test_gains_are_over_common_seeds_and_tested_by_pairs(tmp_path: Path) -> None:
    """Oracle: scipy's paired t-test; Holm by hand, for two tests."""
    store.write_json(tmp_path / "qqp.json", runs(models_ebsim_13=OWN, backbone=BASE))
    (table,) = matcher_tables(tmp_path)
    assert (table.task, table.metrics, table.test_pairs) == ("qqp", ("accuracy", "ap"), 1000)
    base, own = table.rows
    assert (base.system, base.baseline, base.cells[0].gain, base.cells[0].p) == ("backbone", True, None, None)
    assert (own.system, own.seeds, own.pairs) == ("ebsim", 4, 300)
    accuracy, ap = own.cells
    assert accuracy.mean == pytest.approx(np.mean([*OWN.values()]))
    assert accuracy.sd == pytest.approx(np.std([*OWN.values()], ddof=1))
    common = [1, 2, 3]
    assert accuracy.gain == pytest.approx(np.mean([OWN[seed] - BASE[seed] for seed in common]))
    raw = stats.ttest_rel([OWN[seed] for seed in common], [BASE[seed] for seed in common]).pvalue
    assert accuracy.p == pytest.approx(2 * raw)
    assert accuracy.verdict == ("better" if 2 * raw < 0.05 else "even")
    assert (ap.gain, ap.p, ap.verdict) == (0.0, 1.0, "even")


def test_outdated_runs_are_counted_and_left_out(tmp_path: Path) -> None:
    """Which they are is told by ``synsem finetune``: their files or pairs are others than the rest's."""
    raw = runs(models_ebsim_13={1: 70.0, 2: 72.0}, backbone={1: 69.0, 2: 60.0})
    for key in ("models_ebsim_13 2", "backbone 2"):
        raw["runs"][key]["outdated"] = True
    store.write_json(tmp_path / "qqp.json", raw)
    (table,) = matcher_tables(tmp_path)
    assert table.outdated == 2
    assert [(row.seeds, row.cells[0].mean) for row in table.rows] == [(1, 69.0), (1, 70.0)]
    assert sorted((run.system, run.seed) for run in read_matching(tmp_path)) == [
        ("backbone", 1),
        ("ebsim", 1),
    ]
    for run in raw["runs"].values():
        run["outdated"] = True
    store.write_json(tmp_path / "qqp.json", raw)
    assert matcher_tables(tmp_path) == read_matching(tmp_path) == []


def test_starts_of_one_system_are_told_apart_by_their_seeds(project: Project) -> None:
    points = {f"{name}models_ebsim_{seed}": {1: 70.0} for name in ("", "cosine+") for seed in (13, 14)}
    store.write_json(project.reports / "matching" / "by-share.json", runs(backbone={1: 69.0}, **points))
    (table,) = matcher_tables(project.reports / "matching")
    starts = [(row.system, row.start_seed) for row in table.rows]
    assert starts[0] == ("backbone", None)
    assert sorted(starts[1:]) == [(name, seed) for name in ("cosine+ebsim", "ebsim") for seed in (13, 14)]
    params = project.params(["simcse"], [1])
    html = write_report(project.data, project.models, project.reports, project.reports, params).read_text()
    shown = html.split('<section id="matching">')[1].split("</section>")[0]
    assert "by-share.json: 1,000 test pairs" in shown
    assert all(shown.count(f"seed {seed}<") == 2 for seed in (13, 14))


def test_one_common_seed_has_a_gain_and_no_test(tmp_path: Path) -> None:
    store.write_json(tmp_path / "qqp.json", runs(models_ebsim_13={1: 70.0}, backbone={1: 69.0}))
    cell = matcher_tables(tmp_path)[0].rows[1].cells[0]
    assert (cell.gain, cell.p, cell.sd, cell.verdict) == (1.0, None, None, "")


def test_a_file_of_another_form_is_named_and_an_empty_one_is_passed_over(tmp_path: Path) -> None:
    store.write_json(tmp_path / "qqp.json", runs())
    assert matcher_tables(tmp_path) == []
    store.write_json(tmp_path / "bad.json", {"task": "x", "runs": {"k": {"start": "backbone"}}})
    with pytest.raises(SynsemError, match=r"bad\.json: not the runs of a matcher"):
        matcher_tables(tmp_path)


@pytest.mark.parametrize("recipe", [{}, None, {"epochs": "two", "batch_size": 1, "learning_rate": 1.0}])
def test_a_file_without_its_recipe_is_named(tmp_path: Path, recipe: object) -> None:
    store.write_json(tmp_path / "qqp.json", runs(backbone=BASE) | {"recipe": recipe})
    with pytest.raises(
        SynsemError, match=r"qqp\.json: not the runs of a matcher .*; run `synsem finetune` ag"
    ):
        matcher_tables(tmp_path)


def test_a_grid_has_a_cell_for_each_two_tokens_as_full_as_its_weight() -> None:
    run = Run("ebsim", 13, {}, evaluation={"alignments": [row("trained"), row("backbone")]})
    other_seed = Run("ebsim", 14, {}, evaluation={"alignments": [row("trained", a="unshown")]})
    (pair,) = aligned_pairs([run, other_seed])
    assert [grid.system for grid in pair.grids] == ["backbone", "ebsim"]
    grid = pair.grids[1]
    assert grid.first == ("the", "cat")
    assert grid.second == ("a", "big", "cat")
    svg = ElementTree.fromstring(grid_picture(grid))
    cells = [shape for shape in svg if shape.get("class") == "cell"]
    assert [shape[0].text for shape in cells][::3] == ["the → a: 0.50", "cat → a: 0.00"]
    filled = [float(shape.get("fill-opacity") or "nan") for shape in cells]
    np.testing.assert_allclose(filled, [0.525, 0.2875, 0.2875, 0.05, 0.05, 1.0], atol=0.006)
    labels = [shape.text for shape in svg if shape.get("class") == "label"]
    assert sorted(labels) == sorted([*grid.first, *grid.second])


def test_the_section_is_there_with_its_data_alone(project: Project, tmp_path: Path) -> None:
    folders = (project.data, project.models, project.reports)
    params = project.params(["simcse", "sscp"], [1, 2])
    html = write_report(*folders, tmp_path / "without", params).read_text()
    assert 'id="matching"' not in html
    assert '"#matching"' not in html
    store.write_json(project.reports / "matching" / "qqp.json", runs(models_ebsim_13=OWN, backbone=BASE))
    home = project.reports / "evaluation" / "simcse-1"
    store.write_rows(home / "alignments.arrow", [row("trained", b="a <big> cat")], ALIGNMENT)
    html = write_report(*folders, tmp_path / "with", params).read_text()
    section = html[html.index('<section id="matching"') :].split("</section>")[0]
    assert '"#matching"' in html
    assert "+2.50" in section
    assert '<td>4 <span class="view">gain over 3</span></td>' in section
    assert section.count("gain over") == 1
    assert "a &lt;big&gt; cat" in section
    assert section.count("<rect") == 6
