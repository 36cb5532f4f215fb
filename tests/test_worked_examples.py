"""The pages on adding a system and a transformation: what they say to write works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for part in ("pipeline", "stages", "data/contrast"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("params.yaml", "dvc.yaml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def follow(page: str, copy: Path) -> str:
    """Write and change in ``copy`` the files that a page shows; returns the page's text.

    A path on a line of its own, followed by a fenced block, is a file to write. A ``diff`` block names its
    file, gives one line that is there, and the lines to add after it.
    """
    text = (ROOT / "docs" / page).read_text()
    for path, content in re.findall(
        r"^`([\w/.]+)`\n\n```\w+\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL
    ):
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_text(content)
    for path, change in re.findall(r"^```diff\n# (\S+)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        there, *added = change.splitlines()
        lines = (copy / path).read_text().splitlines()
        at = lines.index(there[1:]) + 1
        lines[at:at] = [line[1:] for line in added]
        (copy / path).write_text("\n".join(lines) + "\n")
    return text


def run(script: str, copy: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def test_transformation(copy: Path) -> None:
    text = follow("adding-a-transformation.md", copy)
    arguments = '"The boy chased the dog.", True, False, None, "en", Path("params.yaml")'
    printed = run(f"from pathlib import Path; from stages.tools import tree; tree({arguments})", copy)
    (shown,) = re.findall(r"```text\n(.*?)```", text, flags=re.DOTALL)
    assert shown.strip() in printed


def test_system(copy: Path) -> None:
    follow("adding-a-system.md", copy)
    source = (ROOT / "tests" / "test_graph.py").read_text()
    names: dict = {"__file__": str(copy / "tests" / "test_graph.py"), "__name__": "copied"}
    exec(compile(source, "test_graph.py", "exec"), names)
    ours = [each for each in names["EXPANDED"] if each[2].get("system") == "margin"]
    assert [name.split("@")[0] for name, _, _ in ours] == ["mine", "pretrain", "evaluate"]
    run("from pipeline.systems.margin import mining, model; from pipeline.core.params import *", copy)
