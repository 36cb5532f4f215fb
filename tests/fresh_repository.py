"""A fresh Git repository with this code and small parameters, and a way to call programs in it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
# dvc and python are those of the environment that runs the tests.
BIN = Path(sys.executable).parent


def attempt(*command: str, cwd: Path) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a command."""
    environment = os.environ | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "SYNSEM_WORKERS": "1",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "test",
        "GIT_CONFIG_KEY_1": "user.email",
        "GIT_CONFIG_VALUE_1": "test@example.org",
    }
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def call(*command: str, cwd: Path) -> str:
    """What a command prints; it must end well."""
    code, said, complaint = attempt(*command, cwd=cwd)
    assert code == 0, f"{' '.join(command)}\n{said[-4000:]}\n{complaint[-4000:]}"
    return said


def write_repository(
    folder: Path, changes: Mapping[str, Mapping[str, Any]], systems: Sequence[str] | None = None
) -> Path:
    """Copy what Git has of this project, without tests and results, change params.yaml, and commit it.

    ``systems``: those to train; None: those of params.yaml.
    """
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    for name in filter(None, tracked.split("\0")):
        left_out = name.startswith("tests/") or name == "dvc.lock"
        left_out |= name.startswith("reports/") and not name.endswith("README.md")  # folders that are deps
        if (ROOT / name).is_file() and not left_out:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    params = yaml.safe_load((folder / "params.yaml").read_text())
    for section, values in changes.items():
        params[section] |= values
    if systems is not None:
        params["systems"] = list(systems)
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    call("git", "init", "--quiet", "--initial-branch=main", cwd=folder)
    call("git", "add", "--all", cwd=folder)
    call("git", "commit", "--quiet", "--message=start", cwd=folder)
    return folder
