"""What takes long to build and is only read after that: once a run, in all processes of pytest-xdist."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def built_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]) -> Path:
    """The folder ``name`` of this run, which the first process that asks for it fills; the others wait.

    ``build`` gets the empty folder. Where it failed, the next process tries again.
    """
    home = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # it has a folder in that of the run
        home = home.parent
    folder, done = home / name, home / f"{name}.done"
    with FileLock(home / f"{name}.lock"):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            build(folder)
            done.touch()
    return folder
