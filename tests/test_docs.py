"""The pages are true: links lead somewhere, paths exist, and programs accept the commands."""

import re
import shlex
from itertools import dropwhile, pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from pipeline.core.params import load

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings get on GitHub."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def commands(page: Path) -> list[list[str]]:
    """Every command of the page's indented and shell blocks as words, without comments and variables."""
    text = re.sub(r"\\\n\s*", " ", page.read_text())
    fenced = re.findall(r"^```(?:console|sh|bash)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [*"\n".join(fenced).splitlines(), *re.findall(r"^ {4,}(\S.*)$", prose, flags=re.MULTILINE)]
    found = []
    for part in (part for line in lines for part in re.split(r"\s(?:&&|;|\|)\s", line)):
        try:
            words = shlex.split(part, comments=True)
        except ValueError:  # no command: a sentence with an apostrophe
            continue
        words = list(dropwhile(lambda word: re.match(r"[A-Z_]+=", word), words))
        cut = next((at for at, word in enumerate(words) if word in ("<", ">", ">>")), len(words))
        found.append(words[:cut])
    return [words for words in found if words]


def complaint(arguments: list[str]) -> str | None:
    """Why ``synsem`` would refuse the arguments; nothing runs."""
    from stages.cli import STAGES, TOOLS, command

    if arguments[0] not in (*STAGES, *TOOLS):
        return "no such command"
    app = typer.Typer()
    app.command()(command(arguments[0]))
    parsed: Any = typer.main.get_command(app)
    try:
        parsed.make_context("command", arguments[1:])
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return str(error.format_message())
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_paths_exist(page: Path) -> None:
    text = page.read_text()
    links = re.findall(r"\]\(((?!https?:)[^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for link in links:
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
    for path in re.findall(r"`((?:pipeline|stages|tests|benchmarks|examples)/[\w/.-]+)[`:]", text):
        made_here = re.search("margin|emphatic_do|emphasis|NAME", path)
        assert (ROOT / path).exists() or made_here, path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_programs_accept_the_commands(page: Path, tmp_path: Path) -> None:
    for words in commands(page):
        if words[0] == "synsem":
            assert complaint(words[1:]) is None, (words, complaint(words[1:]))
        elif words[:3] == ["python", "-m", f"stages.{words[-1].removeprefix('stages.')}"]:
            assert (ROOT / "stages" / f"{words[2].removeprefix('stages.')}.py").exists(), words
        elif words[0] == "python" and words[1].endswith(".py"):
            assert (ROOT / words[1]).exists(), words
        elif words[:2] == ["dvc", "repro"]:
            assert all(word.startswith("-") or word.split("@")[0] in STAGES for word in words[2:]), words
        elif words[:3] == ["dvc", "exp", "run"]:
            settings = [after for word, after in pairwise(words) if word == "-S"]
            assert_settings(settings, tmp_path / "params.yaml")


def assert_settings(settings: list[str], copy: Path) -> None:
    """Each ``KEY=VALUE`` of ``dvc exp run -S`` names a key, and the values pass the check of parameters."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text())
    for setting in settings:
        dotted, _, value = setting.partition("=")
        *sections, key = dotted.lstrip("+").split(".")
        place = values
        for section in sections:
            place = place[section]
        assert dotted.startswith("+") or key in place, setting
        choices = value.split(",") if value[:1] not in "[{" else [value]  # a queue of several
        place[key] = yaml.safe_load(choices[0])
    copy.write_text(yaml.safe_dump(values, sort_keys=False))
    load(copy, *values)
