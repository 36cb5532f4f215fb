"""The pages as a site: its menu has every page, its links lead somewhere, and it builds without a warning."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from program_checks import script
from shell_lines import ROOT

TEXT = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    return script(ROOT / "docs" / "site_pages.py")


def menu(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    values = entry.values() if isinstance(entry, dict) else entry
    return [page for value in values for page in menu(value)]


def test_the_menu_has_every_page_once() -> None:
    settings = yaml.safe_load(re.sub(r"!!python/name:\S+", "null", TEXT))
    listed = menu(settings["nav"])
    assert sorted(listed) == sorted({"index.md", *(path.name for path in (ROOT / "docs").glob("*.md"))})
    assert settings["hooks"] == ["docs/site_pages.py"]


def test_every_link_of_a_page_leads_to_a_file(pages: ModuleType) -> None:
    found = pages.reachable()
    assert {"README.md", "CONTRIBUTING.md", "params.yaml", "docs/notebook.ipynb"} < set(found)
    missing = {
        (path, link)
        for path, text in found.items()
        for link, target in pages.targets(path, text).items()
        if not (ROOT / target).exists()
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("README.md", "[a](docs/sscp.md#the-sketch)", "[a](sscp.md#the-sketch)"),
        ("README.md", '<img src="docs/picture.svg">', '<img src="picture.svg">'),
        ("README.md", "[a](LICENSE)", "[a](repository/LICENSE.txt)"),
        ("docs/sscp.md", "[a](../params.yaml)", "[a](repository/params.yaml)"),
        ("docs/sscp.md", "[a](../README.md)", "[a](index.md)"),
        ("docs/sscp.md", "[a](cssl.md), [b](#here)", "[a](cssl.md), [b](#here)"),
        ("docs/sscp.md", "[a](../reports/controls)", "[a](repository/reports/controls/index.md)"),
        ("CONTRIBUTING.md", "[a](docs/sscp.md)", "[a](../sscp.md)"),
        ("README.md", "[a](https://dvc.org/x.md)", "[a](https://dvc.org/x.md)"),
    ],
)
def test_a_link_is_rewritten_to_where_the_file_lies_in_the_site(
    pages: ModuleType, path: str, text: str, expected: str
) -> None:
    assert pages.rewritten(path, text) == expected


def test_no_heading_skips_a_level() -> None:
    """A reader who goes from heading to heading, by ear, would look for the one between."""
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        levels = [len(marks) for marks in re.findall(r"^(#+) ", text, flags=re.MULTILINE)]
        assert levels[0] == 1, path
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), path


def luminance(colour: str) -> float:
    """The relative luminance of ``#rrggbb``, as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    # Of code, as the theme has it.
    ("scheme", "background"),
    [("default", "#f5f5f5"), ("slate", "#272a35")],
)
def test_code_can_be_read_on_its_background(scheme: str, background: str) -> None:
    (style,) = yaml.safe_load(re.sub(r"!!python/name:\S+", "null", TEXT))["extra_css"]
    css = (ROOT / "docs" / style).read_text(encoding="utf-8")
    block = css.split(f'[data-md-color-scheme="{scheme}"]')[1].split("}")[0]
    colours = re.findall(r"--md-(?:code-hl-\w+|typeset-a)-color: (#\w{6});", block)
    assert colours
    for colour in colours:
        low, high = sorted([luminance(colour), luminance(background)])
        assert (high + 0.05) / (low + 0.05) >= 4.5, colour


def test_it_builds_without_a_warning_and_its_links_hold(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="needs MkDocs; `make docs` installs it and builds the site, too")
    pytest.importorskip("material")
    built = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(built)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    checked = 0
    for page in built.rglob("*.html"):
        if page.name == "404.html":  # its links are from the root of a server
            continue
        for link in re.findall(r'(?:href|src)="([^":#]+)["#]', page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), (page, link)
            checked += 1
    assert checked > 500
