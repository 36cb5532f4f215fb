"""The figures' arithmetic: ticks, arcs, bins, marks and the tables behind `dvc plots`."""

import csv
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_project import HEBREW, PASSIVE, ROOT, Project, parse_row

from pipeline.core.errors import SynsemError
from pipeline.core.store import write_rows
from pipeline.evaluation import records
from pipeline.params import load_all
from pipeline.report.figures.charts import Histogram, Mark, forest_picture, histogram_picture
from pipeline.report.figures.dependency_tree import arc_levels, is_right_to_left, tree_picture
from pipeline.report.figures.svg import Scale, element, tick_text, ticks
from pipeline.report.inputs import Run, read_curves, read_evaluation
from pipeline.report.plots import write_plots
from pipeline.report.sections.gallery import changed_words, gallery
from pipeline.report.sections.projection import map_picture, map_points
from pipeline.report.sections.similarity import similarities
from pipeline.report.sections.training import loss_curves, loss_picture

PARAMS = load_all(ROOT / "params.yaml").report


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_ticks_are_few_and_span_the_range(one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    found = ticks(low, high)
    assert found == sorted(found)
    assert 2 <= len(found) <= 9
    slack = (found[1] - found[0]) * 1e-6 + 1e-9
    assert found[0] <= low + slack
    assert found[-1] >= high - slack


def test_a_scale_without_width_answers_the_middle() -> None:
    assert Scale(3, 3, 0, 10)(3) == 5


def test_elements_escape_text_and_attributes() -> None:
    drawn = element("text", "<&>", data_text='"<b>')
    assert ElementTree.fromstring(drawn).text == "<&>"
    assert ElementTree.fromstring(drawn).get("data-text") == '"<b>'


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    size = draw(st.integers(1, 12))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    for position, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, position - 1))] + 1
    return heads


@given(trees())
def test_an_arc_lies_above_every_arc_that_it_spans(heads: list[int]) -> None:
    levels = arc_levels(heads)
    arcs = [(min(word, head - 1), max(word, head - 1), word) for word, head in enumerate(heads) if head]
    for left, right, word in arcs:
        assert levels[word] >= 1
        for inner_left, inner_right, inner in arcs:
            if inner != word and left <= inner_left and inner_right <= right:
                assert levels[word] > levels[inner]
    assert [levels[word] for word, head in enumerate(heads) if head == 0] == [0]


def positions(row: dict) -> list[float]:
    svg = ElementTree.fromstring(tree_picture(row["words"], row["upos"], row["heads"], row["deprels"], {0}))
    return [
        float(text.get("x", "")) for text in svg.iter("text") if (text.get("class") or "").startswith("word")
    ]


def test_words_run_in_the_direction_of_their_script() -> None:
    assert positions(PASSIVE) == sorted(positions(PASSIVE))
    assert positions(HEBREW) == sorted(positions(HEBREW), reverse=True)
    assert not is_right_to_left("1984 …")


def test_changed_words_are_added_or_hang_elsewhere() -> None:
    # Dogs chase cats -> Cats are chased by dogs: only "are" and "by" were added, all else hangs on "chase".
    assert changed_words([2, 0, 2], [3, 3, 0, 5, 3], [3, 0, 2, 0, 1]) == {1, 3}
    assert changed_words([2, 0, 2], [2, 0, 2], [3, 2, 1]) == set()


def test_the_gallery_counts_all_and_draws_from_different_sentences(project: Project) -> None:
    found = gallery(project.data / "parsed" / "corpus", project.data / "augmented", 5, 13)
    assert [(one.name, one.meaning, one.variants, len(one.examples)) for one in found] == [
        ("permutation", "order", 2, 2),
        ("argument_swap", "different", 1, 1),
        ("passive", "same", 1, 1),
    ]
    assert found[0].share == pytest.approx(200 / 3)


def test_histogram_shares_agree_with_a_count() -> None:
    sample = [-0.30, 0.0, 0.01, 0.5, 0.999, 1.0, 1.0000001]
    rows = [{"view": "semantic", "kind": "same", "similarity": value} for value in sample]
    (found,) = similarities([Run("a", 1, {}, evaluation={"similarities": rows})])
    shares = found.shares["same"]
    assert shares.sum() == pytest.approx(100)
    assert shares[0] == pytest.approx(300 / 7)  # distance below 0.05: cosines 0.999 and above
    assert shares[np.searchsorted(found.edges, 1.0, side="right") - 1] == pytest.approx(100 / 7)  # cosine 0.5
    assert found.edges[-1] >= np.sqrt(2.6)
    assert found.means["same"] == pytest.approx(np.mean(sample))


def test_the_map_marks_views_and_roles(project: Project) -> None:
    rows = read_evaluation(project.reports / "evaluation" / "sscp-1")["projection"]
    points = map_points(rows, PARAMS)
    assert len(points) == 2 * 4 * 3  # the joint view has no place on the map
    assert points == map_points(rows, PARAMS)
    svg = ElementTree.fromstring(map_picture("sscp-1", points, texts := {}))
    marks = [shape for shape in svg if (shape.get("class") or "").startswith("mark")]
    assert sum(shape.tag == "circle" for shape in marks) == sum(shape.tag == "path" for shape in marks) == 12
    assert sum((shape.get("class") or "").startswith("tie") for shape in svg) == 16
    assert list(texts) == ["Dogs chase cats"]  # each text once on the page, its number on the marks
    assert {shape.get("data-text") for shape in marks} == {"0"}


def test_too_few_points_make_no_map() -> None:
    row = {
        "view": "semantic",
        "role": "anchor",
        "source_id": "a",
        "transformation": "",
        "text": "",
        "embedding": [1.0],
    }
    assert map_points([row] * 3, PARAMS) == []
    assert map_points([], PARAMS) == []


def test_a_curve_of_one_point_is_drawn_and_no_curve_is_none() -> None:
    assert loss_picture("a", [Run("a", 1, {})]) is None
    drawn = loss_picture(
        "a", [Run("a", 1, {}, curves={"dev/loss": [(0.0, 2.0)], "train/rate": [(1.0, 0.1)]})]
    )
    assert drawn is not None
    ElementTree.fromstring(drawn)


def test_curves_skip_what_is_not_finite(project: Project) -> None:
    project.curve("x-1", "train/loss", [(2, 1.0), (1, float("nan")), (3, 0.5), (float("inf"), 0.25)])
    assert read_curves(project.reports / "curves" / "x-1") == {"train/loss": [(2.0, 1.0), (3.0, 0.5)]}


@pytest.mark.parametrize(
    "content",
    [
        b"step\tloss\n1\t\xff\n",
        b"step\tloss\n1\t2\t3\n",
        b"step\tloss\n1\n",
        b"step\tloss\n1\tx\n",
        b"a\tb\n1\t2\n",
    ],
)
def test_a_damaged_curve_is_one_clear_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "plots" / "metrics" / "train" / "loss.tsv"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    assert read_curves(tmp_path) == {}
    path.write_bytes(content)
    with pytest.raises(
        SynsemError, match=r"loss.tsv: (not a table of numbers|needs the columns) .*; run pretrain"
    ):
        read_curves(tmp_path)


@pytest.mark.parametrize("stem", ["projection", "similarities", "neighbours", "alignments"])
def test_a_file_of_a_figure_without_its_columns_is_named(tmp_path: Path, stem: str) -> None:
    schema = getattr(records, {"similarities": "SIMILARITY"}.get(stem, stem.removesuffix("s").upper()))
    write_rows(tmp_path / f"{stem}.arrow", [], schema)
    assert read_evaluation(tmp_path) == {stem: []}
    write_rows(tmp_path / f"{stem}.arrow", [], pa.schema([schema.field("view")]))
    absent = ", ".join(sorted({*schema.names} - {"view"}))
    with pytest.raises(SynsemError, match=rf"{stem}.arrow: has no column {absent}; evaluate that run again"):
        read_evaluation(tmp_path)


def test_plots_hold_every_curve_probe_and_histogram(project: Project) -> None:
    from pipeline.report.inputs import read_runs

    runs = read_runs(project.reports, project.models, ["simcse", "sscp"], [1, 2])
    write_plots(project.root / "plots", runs)
    tables = {
        name: list(csv.DictReader((project.root / "plots" / f"{name}.csv").open()))
        for name in ("loss", "probes", "similarity")
    }
    assert {(row["system"], row["seed"], row["split"]) for row in tables["loss"]} == {
        (system, seed, split)
        for system in ("simcse", "sscp")
        for seed in ("1", "2")
        for split in ("train", "validation")
    }
    assert [row["embedding"] for row in tables["probes"]] == [
        "majority",
        "backbone",
        "simcse semantic",
        "sscp semantic",
        "sscp syntactic",
        "sscp joint",
    ]
    totals: dict[tuple[str, str], float] = {}
    for row in tables["similarity"]:
        key = (row["embedding"], row["pairs"])
        totals[key] = totals.get(key, 0) + float(row["percent"])
    assert len(totals) == 15
    assert all(total == pytest.approx(100, abs=0.1) for total in totals.values())


def of_words(count: int) -> dict:
    repeated = [f"{word} " * count for word in ("word", "X")]
    return parse_row(*repeated, [0, *[1] * (count - 1)], "root " + "dep " * (count - 1))


def test_the_gallery_shows_a_sentence_once_and_no_tree_of_more_than_14_words(project: Project) -> None:
    project.sentences({"s0": of_words(14), "s1": of_words(15)})
    order = [*range(1, 15)]
    project.variants(
        [
            ("s0", "passive", "same", of_words(14), order),
            ("s0", "passive", "same", of_words(14), order),
            ("s1", "passive", "same", of_words(15), [*order, 15]),
        ]
    )
    [found] = gallery(project.data / "parsed" / "corpus", project.data / "augmented", 5, 13)
    assert found.variants == 3
    assert [len(example.variant.split()) for example in found.examples] == [14]


def test_the_axis_of_distances_reaches_three_halves_however_alike_the_pairs_are() -> None:
    rows = [{"view": "semantic", "kind": "same", "similarity": value} for value in (0.99, 1.0)]
    [found] = similarities([Run("a", 1, {}, evaluation={"similarities": rows})])
    assert found.edges[-1] == pytest.approx(1.5)


def test_a_loss_is_drawn_from_step_zero_and_other_losses_are_left_out() -> None:
    curve = [(50.0, 2.0), (100.0, 1.0)]
    run = Run("a", 1, {}, curves={"dev/loss": curve, "train/adversarial_loss": curve})
    assert loss_curves(run) == {"validation": curve}
    svg = ElementTree.fromstring(str(loss_picture("a", [run])))
    middle, end = (float(dot.get("cx") or 0) for dot in svg.iter("circle"))
    [zero] = [
        float(text.get("x") or 0)
        for text in svg.iter("text")
        if text.text == "0" and text.get("text-anchor") == "middle"
    ]
    assert middle == pytest.approx((zero + end) / 2, abs=0.1)
    assert zero > 0  # it is within the drawing


def marks_outside(drawn: str) -> list[str]:
    """Places of lines, dots and outlines that are beyond the edges of a picture."""
    svg = ElementTree.fromstring(drawn)
    _, _, width, height = map(float, (svg.get("viewBox") or "").split())
    places = [(shape, [shape.get("cx", ""), shape.get("cy", "")]) for shape in svg.iter("circle")]
    for line in svg.iter("line"):
        places += [(line, [line.get(f"x{end}", ""), line.get(f"y{end}", "")]) for end in (1, 2)]
    for shape in svg.iter("path"):
        steps = re.findall(r"[ML](\S+?) ([\d.-]+)", shape.get("d") or "")
        places += [(shape, list(step)) for step in steps]
    assert places
    return [
        f"{shape.tag} {place}"
        for shape, place in places
        if "" in place or not (0 <= float(place[0]) <= width and 0 <= float(place[1]) <= height)
    ]


def test_curves_bars_and_marks_stay_within_their_pictures() -> None:
    losses = {"dev/loss": [(3.0, 2.0), (5.0, 0.0)], "train/loss": [(3.0, 7.0), (9.0, 0.2)]}
    curves = loss_picture("a", [Run("a", 1, {}, curves=losses)])
    assert marks_outside(str(curves)) == []
    assert all(float(dot.get("r") or 0) > 1 for dot in ElementTree.fromstring(str(curves)).iter("circle"))
    bins = [Histogram([80.0, 20.0], 0.5, "s", "note"), Histogram([0.0, 100.0], 1.5, "t", "note")]
    assert marks_outside(histogram_picture("name", "x", [0, 1, 2], bins, [(0, "0"), (2, "2")], 100)) == []
    forest = [Mark("less", -1.0, (-3.0, 1.0), "s", "n"), Mark("more", 2.0, None, "s", "n")]
    assert marks_outside(forest_picture("name", forest, 0.0)) == []


def histogram(falling: bool) -> tuple[float, list[str]]:
    """Where the mark of the mean is, and the heights of the outline."""
    one = Histogram([80.0, 20.0], 0.5, "s", "note")
    svg = ElementTree.fromstring(histogram_picture("name", "x", [0, 1, 2], [one], [], 100, falling))
    paths = {(shape.get("class") or "").split()[0]: shape.get("d") or "" for shape in svg.iter("path")}
    return float(paths["mean"][1:].split()[0]), re.findall(r"(?<=[ V])[\d.]+", paths["steps"])


def test_a_histogram_returns_to_the_axis_and_falls_to_the_right_where_it_is_told() -> None:
    (left, heights), (right, _) = histogram(False), histogram(True)
    assert left < right
    assert len(heights) == 4
    assert heights[0] == heights[-1]  # down to the axis
    assert float(heights[1]) < float(heights[2]) < float(heights[3])


def test_what_is_beyond_the_axis_points_to_the_side_where_it_is() -> None:
    marks = [Mark("less", -20.0, None, "s", "n"), Mark("more", 20.0, None, "s", "n")]
    svg = ElementTree.fromstring(forest_picture("name", marks, 0.0, span=(-1.0, 1.0)))
    shapes = [shape.get("d") or "" for shape in svg.iter("path")]
    tips = [float(shape[1:].split()[0]) for shape in shapes]
    sides = [shape.split("l")[1].startswith("-") for shape in shapes]
    assert tips[0] < tips[1]
    assert sides == [False, True]  # from the tip to the axis


@pytest.mark.parametrize("name", ["short", "an ablation with a name of fifty letters and a few more"])
def test_a_long_label_is_cut_and_stays_inside(name: str) -> None:
    """It ran out of the picture to the left, and its beginning could not be read; the note has it whole."""
    drawn = ElementTree.fromstring(
        forest_picture(
            "chart", [Mark(name, 1.0, None, "s", f"{name}: 1.00"), Mark("b", 2.0, None, "s", "b")], 0.0
        )
    )
    label = next(text for text in drawn.iter("text") if text.get("class") == "label")
    assert float(label.get("x") or 0) - 7.0 * len(label.text or "") >= 0
    assert name.startswith((label.text or "").removesuffix("…"))
    assert any(title.text == f"{name}: 1.00" for title in drawn.iter("title"))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.5, "−0.5"), (1500.0, "1,500"), (1_200_000.0, "1,200,000"), (0.006, "0.006")],
)
def test_a_tick_has_all_its_digits_and_the_minus_of_the_page(value: float, text: str) -> None:
    assert tick_text(value) == text
