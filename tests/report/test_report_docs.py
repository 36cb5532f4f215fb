"""docs/report.md says what is true: commands run, files and parameters exist, all sections are in it."""

import importlib
import re
import shlex
from pathlib import Path

import pytest
import typer
from report_project import ROOT, Project, fill
from typer.testing import CliRunner

from pipeline.params import Report
from pipeline.report.page import SECTIONS, write_report
from stages.cli import COMMANDS

TEXT = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")


def test_the_commands_run(empty: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(empty, [13, 14])
    monkeypatch.chdir(empty.root)
    params = (ROOT / "params.yaml").read_text(encoding="utf-8")
    (empty.root / "params.yaml").write_text(
        re.sub(r"(?m)^systems: \[.*?\]", "systems: [sscp, simcse]", params)
    )
    (empty.root / "ablations.yaml").symlink_to(ROOT / "ablations.yaml")
    ran = 0
    for block in re.findall(r"```console\n(.*?)```", TEXT, flags=re.DOTALL):
        for line in block.splitlines():
            if "# needs" in line:
                continue
            command, *words = shlex.split(line, comments=True)[1:]
            app = typer.Typer()
            app.command()(importlib.import_module(COMMANDS[command]).main)
            done = CliRunner().invoke(app, words)
            assert done.exit_code == 0, (line, done.output, done.exception)
            ran += 1
    assert ran == 3


def test_every_file_of_the_table_is_written(project: Project) -> None:
    params = project.params(["simcse", "sscp"], [1, 2])
    write_report(project.data, project.models, project.reports, project.reports, params)
    for name in re.findall(r"^\| `(reports/[^`]+)`", TEXT, flags=re.MULTILINE):
        assert list(project.root.glob(name.replace("RUN", "*"))), name


def test_every_section_and_named_parameter_exists() -> None:
    for _, _, name in SECTIONS:
        assert name.lower() in TEXT.lower(), name
    for key in re.findall(r"`report\.(\w+)", TEXT):
        assert key in Report.model_fields
    for path in re.findall(r"`((?:pipeline|reports)/[\w/.]+\.(?:yaml|md))`", TEXT):
        assert (ROOT / path).exists() or path in ("reports/results.md", "reports/cost.md")  # written by runs
    for path in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert (Path(ROOT) / "docs" / path).resolve().exists(), path
