"""Runs that the repository ships say where they come from, and make room for the user's own."""

import shutil
from pathlib import Path

import pytest
from report_project import Project, ablate, fill

from pipeline.core.store import read_json, write_json
from pipeline.params import Params
from pipeline.report.page import write_report
from pipeline.report.sections.ablations import gathered, origins, read_ablations, read_notes

ROOT = Path(__file__).parents[2]
ORIGIN = "shipped with the repository; other data & code"


@pytest.mark.parametrize("folder", ["ablations", "languages"])
def test_every_committed_run_says_where_it_comes_from(folder: str) -> None:
    files = sorted((ROOT / "reports" / folder).glob("*.json"))
    assert files
    for file in files:
        assert read_json(file).get("origin", "").startswith("shipped with the repository; "), file


def test_every_committed_matcher_says_where_it_comes_from() -> None:
    runs = read_json(ROOT / "reports" / "matching" / "qqp.json")["runs"]
    assert all(run["origin"].startswith("shipped with the repository; ") for run in runs.values())


def ship(reports: Path) -> None:
    for file in (reports / "ablations").glob("*.json"):
        write_json(file, read_json(file) | {"origin": ORIGIN, "note": "A note on their data."})


def page(project: Project, seeds: tuple[int, ...] = (1, 2)) -> str:
    params: Params = project.params(("simcse", "sscp"), seeds)
    path = write_report(project.data, project.models, project.reports, project.reports, params)
    return path.read_text(encoding="utf-8")


def section(html: str, name: str) -> str:
    start = html.index(f'<section id="{name}">')
    return html[start : html.index("</section>", start)]


def test_shipped_runs_are_labelled_in_every_section_they_stand_in(empty: Project) -> None:
    fill(empty, (1, 2))
    ablate(empty, (1, 2))
    ship(empty.reports)
    shutil.copytree(ROOT / "reports" / "matching", empty.reports / "matching", dirs_exist_ok=True)
    shutil.copytree(ROOT / "reports" / "languages", empty.reports / "languages", dirs_exist_ok=True)
    html = page(empty)
    assert ORIGIN.replace("&", "&amp;") in section(html, "ablations")
    assert "code of commit" in section(html, "languages")
    assert "code of commit" in section(html, "matching")
    papers = section(html, "papers")
    assert papers.count(ORIGIN.replace("&", "&amp;")) == papers.count("Table 7, ablations<") == 1
    assert "elsewhere" not in section(html, "headline")


def test_own_runs_are_never_set_beside_shipped_ones(empty: Project) -> None:
    fill(empty, (1, 2))
    ablate(empty, (1, 2))
    ship(empty.reports)
    folder = empty.reports / "ablations"
    of_family = folder / "parabart-1.json"
    write_json(of_family, read_json(folder / "full-1.json") | {"ablation": "parabart", "system": "parabart"})
    mine = folder / "no-bias-1.json"
    write_json(mine, read_json(mine) | {"origin": "", "note": ""})
    assert [each.name for each in read_ablations(folder)] == ["no-bias", "parabart"]
    assert [run.seed for run in read_ablations(folder)[0].runs] == [1]
    assert origins(folder) == []
    assert origins(folder, "parabart") == [ORIGIN]
    assert read_notes(folder) == [("A note on their data.", "parabart")]
    assert "Not from this project" not in section(page(empty), "ablations")
    for file in ("got_proiel.ce", "hu_szeged.ce"):
        write_json(folder / f"{file}-1.json", read_json(mine) | {"ablation": file, "origin": ORIGIN})
    write_json(folder / "got_proiel.cssl-1.json", read_json(mine) | {"ablation": "got_proiel.cssl"})
    names = [each.name for each in read_ablations(folder)]
    assert names == ["got_proiel.cssl", "hu_szeged.ce", "no-bias", "parabart"]


def test_origins_that_differ_in_their_commit_alone_are_one() -> None:
    starter, mirror = "shipped; the starter, code of commit", "shipped; the mirror, code of commit"
    assert gathered([f"{starter} b1", f"{starter} a2", f"{mirror} c3", f"{starter} c3"]) == [
        f"{starter}s a2, b1 and c3",
        f"{mirror} c3",
    ]
    others = ["shipped; code of commit a1, with refinements", "by hand", f"{mirror} a1"]
    assert gathered(others) == others
    assert gathered([]) == []


def test_a_note_says_whose_it_is(empty: Project) -> None:
    fill(empty, (1,))
    ablate(empty, (1,))
    folder = empty.reports / "ablations"
    names = sorted({read_json(file)["ablation"] for file in folder.glob("*.json")})
    assert names == ["full", "no-bias", "no-distillation"]

    def noted(notes: dict[str, str]) -> list[tuple[str, str]]:
        for file in folder.glob("*.json"):
            raw = read_json(file)
            write_json(file, raw | {"note": notes.get(raw["ablation"], "")})
        return read_notes(folder)

    assert noted({}) == []
    assert noted(dict.fromkeys(names, "Of all.")) == [("Of all.", "")]
    assert noted(dict.fromkeys(names[:2], "Half.")) == [("Half.", "all but no-distillation")]
    assert noted({"full": "A.", "no-bias": "B."}) == [("A.", "full"), ("B.", "no-bias")]
    shown = section(page(empty, (1,)), "ablations")
    assert "<b>On full:</b> A." in shown
