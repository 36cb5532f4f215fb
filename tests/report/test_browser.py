"""The page as a reader meets it: short before anything is opened, readable, without a complaint."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import axe_core, look, needs_chromium
from report_project import ROOT, Project, ablate, fill
from test_story import SYSTEMS, contrast

from pipeline.report.page import SECTIONS, write_report

HEIGHT, BYTES, LETTERS = 8000, 1_000_000, 11


@pytest.fixture
def html(project: Project) -> str:
    """A page with all sections, with runs that the repository ships."""
    fill(project, [1])
    contrast(project)
    ablate(project, [1])
    for folder in ("matching", "languages"):
        shutil.copytree(ROOT / "reports" / folder, project.reports / folder, dirs_exist_ok=True)
    path = write_report(
        project.data, project.models, project.reports, project.reports, project.params(SYSTEMS, [1])
    )
    return path.read_text(encoding="utf-8")


class Outline(HTMLParser):
    """Collects the levels of headings, and the sections whose content is folded."""

    def __init__(self) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.folded: list[str] = []
        self.opened: list[str] = []
        self.section = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "section":
            self.section = values.get("id") or ""
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.levels.append(int(tag[1]))
        if tag == "details" and values.get("class") == "fold":
            self.folded.append(self.section)
            self.opened += [self.section] * ("open" in values)


def test_headings_are_in_order_and_sections_fold(html: str) -> None:
    found = Outline()
    found.feed(html)
    assert found.levels[0] == 1
    assert found.levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(found.levels, found.levels[1:], strict=False))
    assert found.folded == [anchor for _, anchor, _ in SECTIONS if anchor != "headline"]
    assert found.opened == []


def test_the_page_is_small(html: str) -> None:
    assert len(html.encode()) < BYTES


def test_paper_has_the_light_colours_and_whole_tables(html: str) -> None:
    style = html.split("<style>")[1].split("</style>")[0]
    # A block is read up to the first brace on a line of its own: enough to see its colours.
    blocks = re.findall(r"^@media ([^{]+)\{(.*?)^\}", style, flags=re.MULTILINE | re.DOTALL)
    dark = [media for media, rules in blocks if "--paper:" in rules]
    assert len(dark) == style.count("--paper:") - 1
    assert all(media.startswith("screen") for media in dark)
    # What comes later wins, so that no rule of the screen cuts a table on paper.
    assert blocks[-1][0].strip() == "print"
    assert style.rstrip().endswith(blocks[-1][1] + "}")
    assert ".scroll { overflow: visible; }" in blocks[-1][1]


def test_a_folded_section_of_shipped_runs_says_so_outside(html: str) -> None:
    for name in ("languages", "matching"):
        summary = html.split(f'<section id="{name}">')[1].split("</summary>")[0]
        assert "shipped with the repository, not yours" in summary
    assert "not yours" not in html.split('<section id="ablations">')[1].split("</summary>")[0]


@needs_chromium
@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_shows_it_without_a_complaint(html: str, width: int, tmp_path: Path) -> None:
    found = look(html, width, tmp_path, axe=False)
    assert found["complaints"] == []
    assert found["closed"]["height"] <= HEIGHT
    assert found["closed"]["width"] == found["open"]["width"] == width
    assert found["letters"] >= LETTERS
    assert found["cut"] == found["marked"]
    assert len(found["cut"]) > 0 or width > 390
    assert found["markedAtEnd"] == 0


@needs_chromium
@pytest.mark.skipif(
    axe_core() is None, reason="no axe-core: `npm install -g axe-core`, or name it in AXE_CORE"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(html: str, scheme: str, tmp_path: Path) -> None:
    found = look(html, 1280, tmp_path, scheme)
    assert [one for one in found["axe"] if one["impact"] in ("serious", "critical")] == []
    assert [one for one in found["axe"] if one["id"] == "heading-order"] == []
