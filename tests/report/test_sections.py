"""What the sections show: example, ablations, embeddings, gallery, counts; and the figures."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_project import ABLATIONS, ACTIVE, PASSIVE, Project, row

from pipeline.core.errors import SynsemError
from pipeline.report.data import LONGEST, gallery
from pipeline.report.figures import arc_levels, maps, ticks
from pipeline.report.page import example
from pipeline.report.results import ablations
from pipeline.report.runs import read_runs

EXAMPLE = {"reworded": 1.0, "exchanged": 0.0}


def contrast(project: Project, run: str, scores: dict[str, tuple[float, float]]) -> None:
    """Score the sentences' rewordings and exchanges."""
    project.metrics(run, {"semantic": {"contrast": {"all": {"ap": 50.0}}}})
    rows = [
        row("semantic", "contrast", "ap", gold, scores[a][place], a=a, b=f"{kind} {a}", subset="voice")
        for a in scores
        for place, (kind, gold) in enumerate(EXAMPLE.items())
    ]
    project.examples(run, rows[:-1])  # the last sentence has no exchange


def test_example_is_one_that_the_backbone_gets_wrong(empty: Project) -> None:
    contrast(empty, "backbone", {"a": (0.9, 0.8), "b": (0.7, 0.8), "c": (0.5, 0.5), "d": (0.1, 0.9)})
    contrast(empty, "sscp-1", {"a": (0.7, 0.8), "b": (0.9, 0.2), "c": (0.5, 0.4), "d": (0.9, 0.1)})
    found = example(read_runs(empty.reports, empty.models, ["sscp"], [1]))
    assert found is not None
    assert (found["sentence"], found["texts"]) == ("b", ["reworded b", "exchanged b"])
    assert [found[key] for key in ("sentences", "gained", "lost")] == [3, 1, 1]  # a tie is not wrong
    assert list(found["wrong"].values()) == [1, 1]
    assert np.allclose(list(found["cosines"].values()), [(0.7, 0.8), (0.9, 0.2)])


def test_ablations_are_read_as_dvc_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "ablations.csv"
    path.write_text(ABLATIONS)
    metrics, (full, other) = ablations(path)
    assert metrics == ["contrast.sscp", "stsb.sscp"]
    assert (full["name"], full["changes"], full["effects"][0]) == ("baseline", (), (60.0, None))
    assert (other["name"], other["changes"], other["runs"]) == ("no-bias", ("sscp.bias: none",), 2)
    assert other["effects"] == [(52.0, pytest.approx(2**0.5)), None]
    path.write_text("Experiment,rev\n")
    with pytest.raises(SynsemError, match="dvc exp show --csv"):
        ablations(path)


def test_map_has_a_mark_for_each_embedding(project: Project) -> None:
    drawn, texts = maps(read_runs(project.reports, project.models, ["simcse", "sscp"], [1]))
    drawn = [one for one in drawn if one[1] == "retrieval, t-SNE"]  # UMAP is there where it is installed
    assert [(run.name, views) for run, _, _, views in drawn] == [
        ("backbone", ["semantic"]), ("simcse-1", ["semantic"]), ("sscp-1", ["semantic", "syntactic"])
    ]  # fmt: skip
    assert texts == ["Dogs chase cats"]
    picture = drawn[-1][2]
    assert picture.count('class="mark') == 24
    assert picture.count('class="tie') == 16
    assert picture.count("<circle") == 12


def test_gallery_counts_and_draws(project: Project) -> None:
    long = {
        key: [value[0]] * (LONGEST + 1) if isinstance(value, list) else value for key, value in ACTIVE.items()
    }
    variants = [(f"s{place % 2}", "passive", "same", PASSIVE, [3, 0, 2, 0, 1]) for place in range(5)]
    project.variants([*variants, ("s0", "long", "same", long, [0] * (LONGEST + 1))])
    found = {one.name: one for one in gallery(project.data)}
    assert (found["passive"].variants, found["passive"].share) == (5, 250.0)
    assert len({sentence["sent_id"] for sentence, _ in found["passive"].examples}) == 2
    assert len(found["passive"].examples) == 2
    assert (found["long"].variants, found["long"].examples) == (1, [])


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    size = draw(st.integers(1, 9))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))] + 1
    return heads


@given(trees())
def test_an_arc_is_above_those_it_spans(heads: list[int]) -> None:
    levels = arc_levels(heads)
    arcs = [(*sorted((word, head - 1)), levels[word]) for word, head in enumerate(heads) if head]
    for left, right, level in arcs:
        spanned = [other for a, b, other in arcs if left <= a and b <= right and (a, b) != (left, right)]
        assert level > max(spanned, default=0)
    assert [level for level in levels if level == 0] == [0]


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_ticks_span_the_range(one: float, other: float) -> None:
    low, high = sorted((one, other))
    found = ticks(low, high)
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    assert 2 <= len(found) <= 8
    assert found == sorted(set(found))
    assert found[0] <= low + slack
    assert found[-1] >= high - slack
