"""After `synsem plots` the pages of `dvc plots diff` and `dvc plots show` draw without a network."""

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from browser import look, needs_chromium

from pipeline.core.errors import SynsemError
from stages.tools import plots
from tests.fresh_repository import ROOT, attempt, call

# What the report stage writes, two lines of each: the page is drawn from DVC's templates and these.
TABLES = {
    "loss": "step,loss,system,seed,split\n1,{0},sscp,13,train\n2,0.4,sscp,13,train\n",
    "probes": "embedding,accuracy,probe\nsscp semantic,{0},depth\nsscp joint,55,depth\n",
    "similarity": "distance,percent,pair,embedding\n0.1,{0},same,semantic\n0.2,12,different,semantic\n",
}
needs_scripts = pytest.mark.skipif(
    importlib.util.find_spec("vl_convert") is None, reason="no vl-convert-python: pip install '.[plots]'"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with this one's plots, whose tables have changed since the last commit."""
    folder = tmp_path_factory.mktemp("plots")
    shutil.copytree(
        ROOT / ".dvc" / "plots", folder / ".dvc" / "plots", ignore=shutil.ignore_patterns("*.html")
    )
    for name in ("config", ".gitignore"):
        shutil.copy(ROOT / ".dvc" / name, folder / ".dvc" / name)
    graph = yaml.safe_load((ROOT / "dvc.yaml").read_text())
    (folder / "dvc.yaml").write_text(yaml.safe_dump({"plots": graph["plots"]}))
    write_tables(folder, 0.5)
    call("git", "init", "--quiet", "--initial-branch=main", cwd=folder)
    call("git", "add", "--all", cwd=folder)
    call("git", "commit", "--quiet", "--message=start", cwd=folder)
    write_tables(folder, 0.7)
    return folder


def write_tables(folder: Path, value: float) -> None:
    (folder / "reports" / "plots").mkdir(parents=True, exist_ok=True)
    for name, table in TABLES.items():
        (folder / "reports" / "plots" / f"{name}.csv").write_text(table.format(value))


def drawn(folder: Path, scratch: Path, *command: str) -> dict[str, Any]:
    call("dvc", "plots", *command, cwd=folder)
    page = (folder / "dvc_plots" / "index.html").read_text(encoding="utf-8")
    return look(page, 1280, scratch, axe=False)


@needs_chromium
@needs_scripts
def test_dvc_draws_without_a_network(project: Path, tmp_path: Path) -> None:
    call(sys.executable, "-m", "stages.tools.plots", "--project", str(project), cwd=ROOT)
    for command in ("diff", "show"):
        found = drawn(project, tmp_path, command)
        assert found["requests"] == []
        assert found["complaints"] == []
        assert found["canvases"] == len(TABLES)


@needs_chromium
def test_the_browser_would_see_a_request(project: Path, tmp_path: Path) -> None:
    (project / ".dvc" / "config.local").unlink(missing_ok=True)
    assert len(drawn(project, tmp_path, "diff")["requests"]) >= 3


@needs_scripts
def test_git_sees_nothing_of_it(project: Path) -> None:
    call(sys.executable, "-m", "stages.tools.plots", "--project", str(project), cwd=ROOT)
    code, said, _ = attempt("git", "status", "--porcelain", "--", ".dvc", cwd=project)
    assert (code, said) == (0, "")


def test_elsewhere_and_without_the_library_it_says_what_to_do(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SynsemError, match=r"\.dvc: .*the folder of dvc\.yaml"):
        plots.main(tmp_path)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(SynsemError, match=r"vl_convert is not installed; .*pip install -e '\.\[plots\]'"):
        plots.main(project)
