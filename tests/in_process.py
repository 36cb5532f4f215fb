"""``python -m MODULE`` in this process: the same arguments, output and exit code, without the start."""

import os
import runpy
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parent.parent


def python_m(
    module: str, *arguments: str, cwd: Path = ROOT, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """What ``python -m MODULE ARGUMENTS`` prints in a folder, and its exit code; ``environment`` is added."""
    said, complaint, code = TextIOWrapper(BytesIO(), write_through=True), StringIO(), 0
    # The module runs once more under its new name, and the one that tests have imported stays as it is.
    imported = sys.modules.pop(module, None)
    with (
        chdir(cwd),
        patch.object(sys, "argv", [module, *arguments]),
        patch.dict(os.environ, environment),
        patch("pipeline.core.parallel.shown_progress", True),
        redirect_stdout(said),
        redirect_stderr(complaint),
    ):
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            if imported is not None:
                sys.modules[module] = imported
    said.seek(0)
    return subprocess.CompletedProcess([module, *arguments], code, said.read(), complaint.getvalue())
