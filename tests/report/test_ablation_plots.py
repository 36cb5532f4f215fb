"""The plots of the ablations: differences with their intervals, all of a table on one scale."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from report_project import Project, ablate, fill
from scipy import stats
from test_page import page

from pipeline.core.store import read_json, write_json
from pipeline.report.figures.charts import Mark, forest_picture
from pipeline.report.intervals import paired_interval
from pipeline.report.sections.ablations import (
    Effect,
    differences,
    effects,
    mixed,
    read_ablations,
    shared_span,
)


def effect(difference: float, interval: tuple[float, float] | None = None) -> Effect:
    return Effect(50.0, None, 1, difference, interval=interval)


def test_the_interval_is_that_of_student() -> None:
    apart = [-9.1, -9.2, -9.3]
    expected = stats.ttest_1samp(apart, 0).confidence_interval()
    assert paired_interval(apart) == pytest.approx((expected.low, expected.high))
    assert paired_interval([1.0]) is None


def test_differences_that_are_all_equal_have_no_interval() -> None:
    """Rounded figures differ by the same by chance: an interval without width looks certain."""
    assert paired_interval([0.41, 65.18 - 64.77, 53.16 - 52.75]) is None
    assert paired_interval([0.0, 0.0]) == (0, 0)  # a change that changes nothing, as its p of 1 says


def test_one_scale_serves_all_plots_of_a_table(empty: Project) -> None:
    ablate(empty, [1, 2, 3])
    table = effects(read_ablations(empty.reports / "ablations"))[0][0]
    axes = []
    for _, drawing in differences(table):
        texts = [one for one in ElementTree.fromstring(drawing).iter("text") if one.get("class") == "tick"]
        axes.append([(one.text, one.get("x")) for one in texts])
    assert len(axes) >= 3
    assert all(axis == axes[0] for axis in axes)
    ticks = [float((text or "").replace("−", "-")) for text, _ in axes[0]]
    assert min(ticks) <= -9.2
    assert max(ticks) >= 0


def test_runs_of_another_basis_show_no_difference(empty: Project) -> None:
    ablate(empty, [1, 2, 3])
    folder = empty.reports / "ablations"
    for file in folder.glob("no-bias-*.json"):
        write_json(file, read_json(file) | {"basis": "of other data"})
    (table, *_), *_ = effects(read_ablations(folder))
    found = {each.name: row[0] for each, row in table.rows}
    assert found["no-bias"].difference is None
    assert found["no-bias"].mean
    assert found["no-distillation"].difference == pytest.approx(0)


def test_an_ablation_that_was_run_on_two_versions_is_named(empty: Project) -> None:
    """Its mean mixes them, as where one of its seeds is left from before the data or its changes changed."""
    ablate(empty, [1, 2, 3])
    folder = empty.reports / "ablations"
    assert mixed(read_ablations(folder)) == ()
    for name, other in (
        ("no-bias-2", {"basis": "of other data"}),
        ("full-3", {"changes": {"train.steps": 5}}),
    ):
        write_json(folder / f"{name}.json", read_json(folder / f"{name}.json") | other)
    assert mixed(read_ablations(folder)) == ("full", "no-bias")
    html = page(empty_with_runs(empty))
    assert "Runs of full and no-bias are not all of one version of data, code and parameters" in html


def empty_with_runs(project: Project) -> Project:
    fill(project, [1, 2])
    return project


def test_a_difference_over_fewer_seeds_than_the_mean_says_so(empty: Project) -> None:
    ablate(empty, [1, 2, 3])
    folder = empty.reports / "ablations"
    (folder / "full-3.json").unlink()
    (table, *_), *_ = effects(read_ablations(folder))
    found = {each.name: row[0] for each, row in table.rows}
    assert (found["no-bias"].seeds, found["no-bias"].common) == (3, 2)
    html = page(empty_with_runs(empty))
    assert re.search(r"<span class=\"gain[^>]*>−9\.\d\d(?:(?!</td>).)*over 2 seeds", html, flags=re.DOTALL)


def test_the_scale_spans_differences_and_intervals() -> None:
    assert shared_span([effect(-1.0, (-1.5, -0.5)), effect(0.5), effect(0.2, (-9.0, 9.4))]) == (-2.0, 2.0)
    assert shared_span([effect(3.0)]) == (0.0, 3.0)
    assert shared_span([]) == (0.0, 0.0)


def test_one_control_far_away_does_not_set_the_scale() -> None:
    usual = [effect(float(one)) for one in np.linspace(-0.5, 0.5, 19)]
    low, high = shared_span([*usual, effect(-20.0, (-20.5, -19.5))])
    assert -1.0 <= low <= -0.45
    assert 0.45 <= high <= 1.0
    marks = [Mark("far", -20.0, (-20.5, -19.5), "s", "n"), Mark("near", 0.2, (0.1, 9.0), "s", "n")]
    drawn = ElementTree.fromstring(forest_picture("name", marks, 0.0, signed=True, span=(low, high)))
    far = next(shape for shape in drawn.iter("path") if "beyond" in (shape.get("class") or ""))
    assert far.get("class") == "point s beyond"
    assert [text.text for text in drawn.iter("text") if text.get("class") == "value"] == ["−20.00", "+0.20"]
    width = float((drawn.get("viewBox") or "").split()[2])
    reaches = [line for line in drawn.iter("line") if (line.get("class") or "").startswith("reach")]
    assert all(0 < float(line.get(end) or 0) < width for line in reaches for end in ("x1", "x2"))
