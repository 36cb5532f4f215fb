"""Plots of the section on pairs: what is drawn, against values counted by hand."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_project import ROOT
from sklearn.metrics import precision_recall_curve

from pipeline.core import store
from pipeline.core.metrics import average_precision, spearman
from pipeline.evaluation.compare import Scores
from pipeline.evaluation.records import EXAMPLE_SCORE
from pipeline.params import load_all
from pipeline.report.figures.plane import Dot, Line, plane_picture, spread
from pipeline.report.inputs import Run
from pipeline.report.sections.examples import ranks
from pipeline.report.sections.phenomena import phenomena, phenomena_picture
from pipeline.report.sections.ranking import (
    band_means,
    curves,
    gold_tasks,
    precision_recall,
    ranked_pairs,
    thinned,
)
from pipeline.report.sections.similarity import uniformities, uniformity_picture
from pipeline.report.sections.weights import joint_score, split, tradeoff_picture, tradeoffs

COLOURS = {"backbone": 0, "synsem": 1, "sscp": 2}
PARAMS = load_all(ROOT / "params.yaml")


def scores(gold: list[float], score: list[float]) -> Scores:
    names = [f"sentence {place}" for place in range(len(gold))]
    return Scores(names, list(names), np.asarray(gold, dtype=float), np.asarray(score, dtype=float))


def kept(folder: Path, found: dict[tuple[str, str, str], Scores]) -> Path:
    rows = [
        {"view": view, "task": task, "metric": metric, "subset": "", "a": a, "b": b, "gold": gold,
         "score": score}
        for (view, task, metric), one in found.items()
        for a, b, gold, score in zip(one.a, one.b, one.gold, one.score, strict=True)
    ]  # fmt: skip
    store.write_rows(folder / "examples.arrow", rows, EXAMPLE_SCORE)
    return folder


def places(drawing: str, tag: str, kind: str) -> list[tuple[float, float]]:
    return [
        (float(shape.get("cx") or 0), float(shape.get("cy") or 0))
        for shape in ElementTree.fromstring(drawing).iter(tag)
        if kind in (shape.get("class") or "").split()
    ]


def test_precision_and_recall_at_every_threshold() -> None:
    gold = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    score = np.array([0.9, 0.8, 0.7, 0.7, 0.1])
    # Above .9: one right of one; .8: of two; .7 twice, together: three right of four; then all five.
    expected = [(100 / 3, 100.0), (100 / 3, 50.0), (100.0, 75.0), (100.0, 60.0)]
    assert precision_recall(gold, score) == [pytest.approx(point) for point in expected]
    assert precision_recall(np.zeros(2), score[:2]) == []


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=20))
def test_the_curve_is_that_of_scikit_learn(rows: list[tuple[bool, int]]) -> None:
    """Which has its points from the lowest threshold up, and one at recall 0 that no threshold gives."""
    gold, score = np.array([g for g, _ in rows], dtype=float), np.array([s for _, s in rows], dtype=float)
    if not gold.any():
        assert precision_recall(gold, score) == []
        return
    precision, recall, _ = precision_recall_curve(gold, score)
    expected = list(zip(100 * recall, 100 * precision, strict=True))[:-1][::-1]
    assert precision_recall(gold, score) == [pytest.approx(point) for point in expected]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_ranks_and_bands_are_those_of_a_count(values: list[int]) -> None:
    array = np.array(values, dtype=float)
    assert ranks(array).tolist() == [1 + sum(other > each for other in values) for each in values]
    points = band_means(array, -array, bands=3)
    assert all(y == pytest.approx(-x) for x, y in points)
    counts = np.histogram(array, 3)[0] if np.ptp(array) else np.array([1])
    assert len(points) == np.count_nonzero(counts)


def test_a_long_curve_keeps_a_point_for_each_step_of_recall() -> None:
    points = [(100 * place / 1000, 100 - place / 20) for place in range(1, 1001)]
    found = thinned(points, 10)
    assert found == [points[place] for place in (98, 198, 298, 398, 498, 598, 698, 798, 898, 998, 999)]
    assert thinned(points[:10], 10) == points[:10]


def test_curves_have_a_line_for_each_view_and_the_level_of_chance(tmp_path: Path) -> None:
    gold, right, wrong = [1.0, 0.0, 1.0, 0.0], [0.9, 0.1, 0.8, 0.2], [0.1, 0.9, 0.2, 0.8]
    run = Run(
        "synsem",
        1,
        {},
        scores=kept(
            tmp_path,
            {
                ("joint", "contrast", "ap"): scores(gold, right),
                ("late", "contrast", "ap_late"): scores(gold, [3.0, 1.0, 2.0, 0.5]),
                ("semantic", "contrast", "ap"): scores(gold, wrong),
                ("semantic", "contrast_dev", "ap"): scores(gold, wrong),
            },
        ),
    )
    found = ranked_pairs([run], "ap")
    assert {task: list(groups) for task, groups in found.items()} == {
        "contrast": [("synsem", "semantic"), ("synsem", "joint"), ("synsem", "late")]
    }
    (one,) = curves(found, COLOURS)
    assert (one.pairs, one.share) == (4, 50.0)
    assert one.values["synsem", "joint"] == one.values["synsem", "late"] == 100.0
    assert one.values["synsem", "semantic"] == pytest.approx(100 * (1 / 3 + 2 / 4) / 2)
    lines = [
        shape.get("class")
        for shape in ElementTree.fromstring(one.drawing).iter("path")
        if (shape.get("class") or "").startswith("curve")
    ]
    assert lines == [f"curve system-1 view-{view}" for view in ("semantic", "joint", "late")]
    assert len([line for line in ElementTree.fromstring(one.drawing).iter("line")
                if line.get("class") == "majority"]) == 1  # fmt: skip


def test_gold_is_drawn_against_cosine_in_bands_and_in_classes() -> None:
    assert band_means(np.array([0.0, 1.0, 4.0, 5.0]), np.array([0.2, 0.4, 0.6, 0.8]), 2) == [
        pytest.approx((0.5, 0.3)),
        pytest.approx((4.5, 0.7)),
    ]
    sts = scores([0.0, 1.0, 4.0, 5.0], [0.2, 0.4, 0.6, 0.8])
    pairs = scores([1.0, 0.0, 1.0, 0.0], [0.9, 0.1, 0.7, 0.3])
    groups = {("synsem", view): sts for view in ("joint", "late")}
    classes = {("synsem", "joint"): pairs, ("backbone", "structural_agreement"): pairs}
    first, second = gold_tasks({"stsb.test": groups}, {"paws.test": classes}, COLOURS, 13, ["synsem"])
    (chart,) = first.graded  # a late score is no cosine
    assert (chart.view, chart.correlation) == ("joint", pytest.approx(100.0))
    cloud = next(
        shape.get("d") or ""
        for shape in ElementTree.fromstring(chart.drawing).iter("path")
        if shape.get("class") == "cloud"
    )
    assert cloud.count("h0") == first.pairs == 4
    (own,) = second.classes
    assert own.means == pytest.approx({"different": 0.2, "same": 0.8})
    assert own.pairs == {"different": 2, "same": 2}


def test_phenomena_stand_with_the_hardest_for_the_backbone_first() -> None:
    def metrics(every: float, voice: float, dative: float) -> dict[str, float]:
        return {"contrast.all.ap": every, "contrast.voice.ap": voice, "contrast.dative.ap": dative,
                "contrast_dev.voice.ap": 1.0}  # fmt: skip

    runs = [
        Run("backbone", None, {"semantic": metrics(40, 30, 60)}),
        Run("synsem", 1, {"semantic": metrics(41, 31, 61), "joint": metrics(60, 70, 80)}),
        Run("synsem", 2, {"semantic": metrics(41, 31, 61), "joint": metrics(62, 74, 90)}),
    ]
    untouched, own = phenomena(runs)
    assert (untouched.system, own.system, own.task) == ("backbone", "synsem", "contrast")
    assert [name for name, _ in own.rows] == ["all", "voice", "dative"]
    assert own.groups == (("backbone", "semantic"), ("synsem", "semantic"), ("synsem", "joint"))
    assert list(dict(own.rows)["voice"].values()) == [30.0, 31.0, 72.0]
    drawing = phenomena_picture(own, COLOURS)
    dots = places(drawing, "circle", "point")
    assert len(dots) == 9
    # An axis from 0 to 100: the dots of "all" lie where 40, 41 and 61 are.
    (zero, hundred) = (
        float(text.get("x") or 0)
        for text in ElementTree.fromstring(drawing).iter("text")
        if text.text in ("0", "100")
    )
    for (x, _), value in zip(dots, (40, 41, 61), strict=False):
        assert x == pytest.approx(zero + (hundred - zero) * value / 100, abs=0.1)


def test_alignment_and_uniformity_are_means_over_seeds_and_named() -> None:
    def metrics(alignment: float, uniformity: float) -> dict[str, float]:
        return {"alignment.test.alignment": alignment, "alignment.test.uniformity": uniformity}

    runs = [
        Run("backbone", None, {"semantic": metrics(0.2, -3.0)}),
        Run("sscp", 1, {"joint": metrics(0.1, -2.0)}),
        Run("sscp", 3, {"joint": metrics(0.3, -2.0), "late": {"contrast.all.ap": 50.0}}),
    ]
    found = uniformities(runs)
    assert found == {
        ("backbone", "semantic"): (-3.0, 0.2),
        ("sscp", "joint"): (-2.0, pytest.approx(0.2)),
    }
    drawing = uniformity_picture(found, COLOURS)
    (left, right) = places(drawing, "circle", "point")
    assert left[0] < right[0]
    assert left[1] == pytest.approx(right[1], abs=0.2)
    names = [
        text.text for text in ElementTree.fromstring(drawing).iter("text") if text.get("class") == "label"
    ]
    assert sorted(str(name) for name in names) == ["backbone", "sscp joint"]


def test_names_beside_a_chart_never_meet() -> None:
    assert spread([10, 11, 12, 90], 10, 10, 100) == [10, 20, 30, 90]
    assert spread([95, 96, 97], 10, 10, 100) == [80, 90, 100]
    drawing = plane_picture("p", ("x", "y"), [Line([(0, 0), (1, 1)], "s")], [Dot((0, 0), "s", "n", "<a>")])
    assert "&lt;a&gt;" in drawing


def unit(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    vectors = rng.normal(size=(n, width))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("system", "views"), [("synsem", ("semantic", "structural")), ("sscp", ("semantic", "syntactic"))]
)
def test_the_curve_over_the_weight_is_that_of_vectors_joined_anew(
    tmp_path: Path, system: str, views: tuple[str, ...]
) -> None:
    """Against vectors [r; w v] that are made with each weight."""
    rng = np.random.default_rng(3)
    own = PARAMS.synsem.weight if system == "synsem" else PARAMS.encoder.sketch.weight
    rest_parts = [[unit(rng, 40, 6) for _ in "ab"] for _ in views[: 1 if system == "synsem" else 2]]
    part = [unit(rng, 40, 5) for _ in "ab"]

    def joined(weight: float) -> np.ndarray:
        sides = [
            np.hstack([*(each[side] / len(rest_parts) ** 0.5 for each in rest_parts), weight * part[side]])
            for side in (0, 1)
        ]
        return (sides[0] * sides[1]).sum(axis=1) / (1 + weight**2)

    grades, labels = rng.uniform(0, 5, 40).tolist(), rng.integers(0, 2, 40).astype(float).tolist()
    cosines = {
        view: (pair[0] * pair[1]).sum(axis=1) for view, pair in zip(views, [*rest_parts, part], strict=False)
    }
    cosines["joint"] = joined(own)
    found = {
        (view, *task): scores(gold, each.tolist())
        for view, each in cosines.items()
        for task, gold in ((("stsb.test", "spearman"), grades), (("paws.test", "ap"), labels))
    }
    sts = {view: one for (view, task, _), one in found.items() if task == "stsb.test"}
    np.testing.assert_allclose(joint_score(*split(sts, own), 0.9), joined(0.9), atol=1e-9)

    run = Run(system, 1, {}, scores=kept(tmp_path, found))
    alike = PARAMS.model_copy(update={"synsem": PARAMS.synsem.model_copy(update={"growth": 0.0})})
    (one,) = tradeoffs([Run("backbone", None, {}), run], alike)
    assert [weight for weight, _, _ in one.points] == pytest.approx([step / 10 for step in range(11)])
    for weight, x, y in (*one.points[1:], one.own):
        assert x == pytest.approx(spearman(grades, joined(weight)), abs=0.5)  # kept in 32 bits
        assert y == pytest.approx(average_precision(labels, joined(weight)), abs=0.5)
    assert one.own[0] == own
    drawing = tradeoff_picture([one], COLOURS)
    assert len(places(drawing, "circle", "point")) == 3
    assert f">{system} {own:g}<" in drawing
    # A weight that grows with the sentence: without the part, and as it is.
    if system == "synsem":
        (grown,) = tradeoffs([run], PARAMS)
        assert grown.points == ((0.0, *grown.points[0][1:]), grown.own)
        assert grown.points[0][1:] == pytest.approx(one.points[0][1:])
        assert grown.own == one.own


def test_without_a_structural_part_or_a_benchmark_there_is_no_curve(tmp_path: Path) -> None:
    one = scores([1.0, 0.0], [0.9, 0.1])
    plain = Run("simcse", 1, {}, scores=kept(tmp_path / "a", {("semantic", "stsb.test", "spearman"): one}))
    half = Run("sscp", 1, {}, scores=kept(tmp_path / "b", {
        (view, "stsb.test", "spearman"): one for view in ("semantic", "joint")}))  # fmt: skip
    assert tradeoffs([plain, half], PARAMS) == []
    no_sketch = PARAMS.model_copy(update={"encoder": PARAMS.encoder.model_copy(update={"sketch": None})})
    assert tradeoffs([half], no_sketch) == []


def test_bands_begin_at_the_lowest_gold_and_not_at_zero() -> None:
    gold, score = np.array([5.0, 1.0, 3.0, 2.0, 4.0]), np.array([0.9, 0.1, 0.4, 0.2, 0.8])
    found = np.array(band_means(gold, score, bands=2))
    np.testing.assert_allclose(found, [[1.5, 0.15], [4.0, 0.7]])


def test_a_view_without_both_measures_has_no_dot() -> None:
    assert uniformities([Run("a", 1, {"joint": {"alignment.test.alignment": 0.1}})]) == {}


def test_names_stand_in_the_order_of_their_dots_and_an_axis_shows_its_ends() -> None:
    dots = [Dot((0, value), "s", "n", name) for value, name in ((0, "low"), (100, "high"), (50, "middle"))]
    drawing = plane_picture("p", ("x", "y"), dots=dots, spans=((0, 10), (0, 100)))
    texts = list(ElementTree.fromstring(drawing).iter("text"))
    names = {text.text: float(text.get("y") or 0) for text in texts if text.get("class") == "label"}
    assert sorted(names, key=lambda name: names[name]) == ["high", "middle", "low"]
    assert {"0", "10", "100"} <= {text.text for text in texts if text.get("class") == "tick"}
