"""docs/performance.md and its chart show what reports/speed holds (``benchmarks/ratios.py``)."""

import itertools
import json
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from program_checks import script
from shell_lines import ROOT

from pipeline.core.errors import SynsemError


@pytest.fixture(scope="module")
def ratios() -> ModuleType:
    return script(ROOT / "benchmarks" / "ratios.py")


@pytest.fixture(scope="module")
def timing() -> ModuleType:
    return script(ROOT / "benchmarks" / "timing.py")


def test_the_page_shows_what_the_measurements_give(ratios: ModuleType, tmp_path: Path) -> None:
    """python benchmarks/ratios.py --write docs/performance.md --chart docs/performance.svg"""
    marks = script(ROOT / "benchmarks" / "marks.py")
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    measured = page.partition(marks.BEGIN)[2].partition(marks.END)[0]
    (tmp_path / "page.md").write_text(page.replace(measured, "\nold\n"), encoding="utf-8")
    ratios.main(write=tmp_path / "page.md", draw=tmp_path / "chart.svg")
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == page
    assert (tmp_path / "chart.svg").read_text() == (ROOT / "docs" / "performance.svg").read_text()


def test_a_page_without_marks_stays_as_it_is(tmp_path: Path) -> None:
    marks = script(ROOT / "benchmarks" / "marks.py")
    page = tmp_path / "page.md"
    for text, missing in (("Text.\n", "begin"), (f"Text.\n{marks.BEGIN}", "end")):
        page.write_text(text)
        with pytest.raises(
            SynsemError, match=f"page.md: lacks the line <!-- measured: {missing} -->; add it"
        ):
            marks.write_between(page, "new")
        assert page.read_text() == text


def test_a_ratio_is_the_peers_seconds_over_ours(
    ratios: ModuleType, timing: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tmp_path / "rows.yaml"
    rows.write_text(
        "- {what: a thing, file: thing, by: program, ours: fast, peer: slow, peer_is: the other, "
        "equal: 'to {difference}, {same} the same'}\n"
        "- {what: elsewhere, file: thing, ours: in bf16, peer: slow, peer_is: another, equal: all}\n"
        "- {what: again, file: thing, ours: slow, peer: fast, peer_is: the first, equal: more work}\n"
    )
    monkeypatch.setattr(ratios, "ROWS", rows)
    fast = {"seconds": 2.0, "cpu_seconds": 4.0, "difference": 0.0002}
    timing.record(
        "thing", {"fast": fast, "slow": {"seconds": 5.0, "cpu_seconds": 6.0}}, {"same": 7}, tmp_path
    )
    found = ratios.rows(tmp_path)
    assert [(row.ratio, row.cpu_ratio) for row in found] == [(2.5, 1.5), (0.4, pytest.approx(4 / 6))]
    cells = "| a thing | the other | 2.50 | 1.50 | to 2e-04, 7 the same |"
    assert ratios.table(found).splitlines()[2] == f"{cells} [`program.py`](../reports/speed/thing.json) |"
    drawn = str(ratios.chart(found))
    assert drawn.count('class="faster"') == drawn.count('class="slower"') == 1


def test_what_was_not_read_of_the_processor_has_no_ratio(
    ratios: ModuleType, timing: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tmp_path / "rows.yaml"
    rows.write_text("- {what: a, file: b, ours: x, peer: y, peer_is: z, equal: all}\n")
    monkeypatch.setattr(ratios, "ROWS", rows)
    timing.record("b", {"x": {"seconds": 1.0}, "y": {"seconds": 1.5}}, {}, tmp_path)
    assert "| a | z | 1.50 |  | all |" in ratios.table(ratios.rows(tmp_path))


def test_what_was_not_measured_names_the_program_that_does(
    ratios: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tmp_path / "rows.yaml"
    rows.write_text("- {what: a, file: b-of-c, by: b, ours: x, peer: y, peer_is: z, equal: all}\n")
    monkeypatch.setattr(ratios, "ROWS", rows)
    with pytest.raises(SynsemError, match=r"b-of-c\.json: not measured yet; run benchmarks/b\.py, which"):
        ratios.rows(tmp_path)


def test_a_file_says_where_it_was_measured_and_rounds(timing: ModuleType, tmp_path: Path) -> None:
    timing.record("x", {"a": {"seconds": 1.23456789}}, {"rounds": 3}, tmp_path)
    kept = json.loads((tmp_path / "x.json").read_text())
    assert kept["sides"] == {"a": {"seconds": 1.235}}
    assert kept["work"] == {"rounds": 3}
    assert kept["machine"]["cores"] >= 1
    assert kept["machine"].keys() == {"processor", "cores", "load", "python"}


def test_a_stopwatch_counts_the_clock_and_the_processor(timing: ModuleType) -> None:
    watch = timing.Stopwatch()
    while watch.read().cpu_seconds < 0.02:
        sum(range(1000))
    taken = watch.read()
    assert taken.seconds >= 0.015
    both = [timing.Seconds(1.0, 5.0), timing.Seconds(3.0, 1.0), timing.Seconds(2.0, 2.0)]
    assert timing.medians(both) == {"seconds": 2.0, "cpu_seconds": 2.0}


def test_sides_take_turns_each_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    timing = import_module("timing")
    # An iterator of this process would be advanced by one side for both.
    shared = itertools.count(5)
    sides = {"a": partial(iter, shared), "b": partial(iter, shared)}
    assert timing.in_turns(sides, rounds=3, threads=1) == {"a": [5, 6, 7], "b": [5, 6, 7]}
    with pytest.raises(SystemExit, match="b: its process has ended"):
        timing.in_turns({"a": partial(iter, [1, 2]), "b": partial(iter, [1])}, rounds=2, threads=1)
