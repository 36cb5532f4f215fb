"""docs/citing.md and CITATION.cff name the same works, one for each system."""

import re
from typing import Any

import yaml
from shell_lines import ROOT

import synsem

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "citing.md").read_text(encoding="utf-8")


def entries() -> dict[str, dict[str, str]]:
    """Each BibTeX entry of the page: its fields by title, without the braces that keep capitals."""
    found = {}
    for body in re.findall(r"^@\w+\{[\w-]+,\n(.*?)^\}$", PAGE, flags=re.MULTILINE | re.DOTALL):
        fields = dict(re.findall(r"^  (\w+) *= \{(.*)\},?$", body, flags=re.MULTILINE))
        fields = {name: re.sub("[{}]", "", value) for name, value in fields.items()}
        found[fields["title"]] = fields
    return found


def author(person: dict[str, Any]) -> str:
    return person.get("name") or f"{person['family-names']}, {person['given-names']}"


def test_bibtex_says_what_the_citation_file_says() -> None:
    given = entries()
    own = given.pop(f"{CITATION['title']}: {CITATION['abstract'].rstrip('.')}")
    assert own["version"] == CITATION["version"] == synsem.__version__
    assert own["license"] == CITATION["license"]
    works = {work["title"]: work for work in CITATION["references"]}
    assert given.keys() == works.keys()
    for title, fields in given.items():
        work = works[title]
        assert fields["author"] == " and ".join(map(author, work["authors"]))
        assert fields["year"] == str(work["year"])
        assert fields.get("url") == work.get("url")


def test_every_system_but_ours_has_a_paper() -> None:
    systems = {path.parent.name for path in (ROOT / "pipeline" / "systems").glob("*/model.py")} - {"synsem"}
    assert {work["notes"].split()[-1] for work in CITATION["references"]} == systems
    assert set(re.findall(r"^`(\w+)`", PAGE, flags=re.MULTILINE)) == systems


def test_readme_links_each_paper_that_has_an_address() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [work["url"] for work in CITATION["references"] if work.get("url", "") not in readme] == []
