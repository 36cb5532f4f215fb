"""Follow a page: copy the project, then write and change the files that the page shows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def follow(page: str, copy: Path) -> str:
    """Copy the project's code to ``copy`` and apply docs/``page`` to it; returns the page's text.

    A path on a line of its own, followed by a fenced block, is a file to write. A ``diff`` block names its
    file, gives one line that is there, and the lines to add after it.
    """
    for part in ("pipeline", "stages"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("params.yaml", "dvc.yaml"):
        shutil.copy(ROOT / name, copy / name)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for path, content in re.findall(
        r"^`([\w/.]+)`\n\n```\w+\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL
    ):
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_text(content, encoding="utf-8")
    for path, change in re.findall(r"^```diff\n# (\S+)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        _insert(copy / path, change.splitlines())
    return text


def _insert(path: Path, change: list[str]) -> None:
    there, *added = change
    assert there.startswith(" ")
    assert all(line.startswith("+") for line in added)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines.count(there[1:]) == 1, f"{path.name} has this line not once: {there[1:]!r}"
    at = lines.index(there[1:]) + 1
    path.write_text(
        "\n".join([*lines[:at], *(line[1:] for line in added), *lines[at:], ""]), encoding="utf-8"
    )


def run(script: str, copy: Path) -> str:
    """Run a script in the copy, with the copy's code; returns what it prints."""
    environment = os.environ | {
        "PYTHONPATH": str(copy),
        "OMP_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
    }
    environment |= {"SYNSEM_SCRATCH": str(copy / "scratch"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout
