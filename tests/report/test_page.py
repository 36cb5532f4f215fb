"""The page as a whole: well-formed, self-contained, accessible, the same for the same inputs."""

import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise

import pytest
import yaml
from report_project import ABLATIONS, HTML, ROOT, VIEWS, Project

from pipeline.core.errors import SynsemError

_VOID = {"meta", "link", "br", "img", "input", "wbr", "hr"}


class Outline(HTMLParser):
    """Collects elements with their attributes, and fails where one is closed out of order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += [] if tag in _VOID else [tag]
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("seeds", [(1,), (1, 2, 3)])
def test_page_is_sound(empty: Project, seeds: tuple[int, ...]) -> None:
    empty.fill(seeds)
    (empty.reports / "ablations.csv").write_text(ABLATIONS)
    html = empty.page(seeds)
    assert "−8.00" in html
    assert not re.search(r"url\(|@import|https?://", html)
    found = Outline(html).found
    ids = [values["id"] for _, values in found if "id" in values]
    assert len(ids) == len(set(ids))
    links = {values[name] for _, values in found for name in ("href", "src") if name in values}
    assert links <= {f"#{name}" for name in ids}
    assert all("scope" in values for tag, values in found if tag == "th")
    named = [values for _, values in found if "tabindex" in values or values.get("role") == "img"]
    assert all(values.get("aria-label") for values in named)
    levels = [int(tag[1]) for tag, _ in found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert sum(values.get("class") == "fold" for _, values in found) == 5


def test_page_shows_all_and_no_older_run(project: Project) -> None:
    shutil.copy(project.reports / "metrics" / "sscp-1.json", project.reports / "metrics" / "older-1.json")
    html = project.page(revision="abc123")
    text = " ".join(re.sub(r"<style>.*?</style>|<wbr>|<[^>]+>", " ", html, flags=re.S).split())
    for words in (
        "finds an exchange of words closer than a rewording",
        "strongest baseline",
        "no model agreement of trees",
        "sscp late interaction",
        "most frequent class",
        "probe. tree_depth. accuracy",
        "SSCP (Adavala &amp; Adavala 2026), tables 4 and 7",
        "1,000 train, 50 dev",
        "argument swap different meaning",
        "too short 3",
        "also counted: 13 lines",
        "evaluate_every",
        "Revision: abc123",
    ):
        assert words in text, words
    for view in VIEWS["sscp"][:3]:
        assert f'sscp</span> <span class="view">{view}' in html
    assert "older" not in html


def test_same_input_same_bytes(project: Project) -> None:
    """The columns that ``dvc.yaml`` and the Vega template name are those of the table."""

    plots = [item for one in yaml.safe_load((ROOT / "dvc.yaml").read_text())["plots"] for item in one.items()]

    def written() -> dict[str, str]:
        project.page()
        names = ("index.html", "results.md", "headline.json", *(path.split("/", 1)[1] for path, _ in plots))
        return {f"reports/{name}": (project.reports / name).read_text() for name in names}

    first = written()
    assert first == written()
    for path, plot in plots:
        template = (ROOT / ".dvc" / "plots" / f"{plot['template']}.json").read_text()
        fields = set(re.findall(r'"field": "(\w+)"', template)) - {"rev"}
        assert {plot["x"], plot["y"]} | fields <= set(first[path].splitlines()[0].split(","))


def test_what_was_fine_tuned_is_next_to_its_control(project: Project) -> None:
    for start, share, f1 in (("backbone", 100, 70.0), ("sscp", 100, 80.5), ("sscp", 20, 65.0)):
        project.matcher(start, share, f1)
    project.matcher("sscp", 40, 1.0)  # of an earlier run
    html = project.page()
    assert "EBSIM (2024), tables 2 and 3" in html
    results = (project.reports / "results.md").read_text()
    assert "| backbone fine-tuned | 75.00 | 70.00 |" in results
    assert "| sscp fine-tuned | 75.00 | **80.50** |" in results
    assert "| `matching.qqp.share_20.f1` | – | – | 65.00 |" in results
    assert "share_40" not in results
    shares = (project.reports / "plots" / "shares.csv").read_text().splitlines()[1:]
    assert shares == ["sscp,sscp-1,qqp,20,65", "sscp,sscp-1,qqp,100,80.5", "backbone,backbone-1,qqp,100,70"]
    assert "sscp,sscp-1-20,qqp,5,65\n" in (project.reports / "plots" / "matching.csv").read_text()


def test_text_is_escaped(empty: Project) -> None:
    evil = f'{HTML}"><img src=x onerror=alert(1)>'
    empty.fill([1], text=evil)
    html = empty.page()
    assert [tag for tag, _ in Outline(html).found].count("script") == 1
    assert html.count("onerror") >= 4
    assert "<img" not in html


def test_missing_parts_are_named(empty: Project) -> None:
    empty.metrics("backbone", {"semantic": {"retrieval": {"test": {"mrr": 10.0}}}})
    empty.metrics("odd name-7", {"semantic": {"retrieval": {"test": {"mrr": 20.0}}}, "a<b": {}})
    html = empty.page((7,), ["odd name"])
    assert Outline(html).found
    for section in ("headline metric", "contrast set", "curve", "embeddings", "stage"):
        assert re.search(rf'<p class="absent">No (\w+ has a )?{section}', html), section


def test_missing_run_is_named(project: Project) -> None:
    (project.reports / "metrics" / "sscp-1.json").unlink()
    with pytest.raises(SynsemError, match=r"sscp-1\.json.*synsem evaluate sscp 1"):
        project.page()


_RULES = (ROOT / "pipeline" / "report" / "templates" / "style.css").read_text()


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [":root {", '[data-theme="light"]) {', 'data-theme="dark"] {'])
def test_colours_have_contrast(scheme: str) -> None:
    block = _RULES[_RULES.index(scheme) :].partition("}")[0]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
    for ground in ("paper", "panel"):
        for name in colours.keys() - {"paper", "panel", "line", "track", "best"}:
            lighter, darker = sorted((luminance(colours[name]), luminance(colours[ground])), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (scheme, name, ground)
