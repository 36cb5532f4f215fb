"""``python -m MODULE`` in this process: the same arguments, output and exit code, without the start.

A start of Python, and of torch after it, is most of what many tests would wait for. What only a process has
is tested with one: signals, kills, pipes that close, modules that are not loaded.
"""

import io
import os
import runpy
import subprocess
import sys
import traceback
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import BinaryIO
from unittest.mock import patch

from pipeline.core import progress

ROOT = Path(__file__).parent.parent


def python_m(
    module: str,
    *arguments: str,
    cwd: Path = ROOT,
    stdin: BinaryIO | None = None,
    stdout: BinaryIO | None = None,
    **environment: str,
) -> "subprocess.CompletedProcess[str]":
    """What ``python -m MODULE ARGUMENTS`` prints in a folder, and its exit code; ``environment`` is added.

    An exception that nothing catches is a traceback on stderr and exit code 1, as at the end of a process.
    ``stdin`` and ``stdout`` stand for what a shell joins to the command, such as a pipe.
    """
    said = io.TextIOWrapper(stdout) if stdout else io.StringIO()
    complaint = io.StringIO()
    given = io.TextIOWrapper(stdin) if stdin else sys.stdin
    shown = progress.shown
    code = 0
    with (
        chdir(cwd),
        patch.object(sys, "argv", [module, *arguments]),
        patch.object(sys, "stdin", given),
        patch.dict(os.environ, environment),
        redirect_stdout(said),
        redirect_stderr(complaint),
    ):
        try:
            # It runs once more under its new name, and the one that tests have imported stays as it is:
            # of the second, runpy would warn.
            imported = sys.modules.pop(module, None)
            try:
                runpy.run_module(module, run_name="__main__", alter_sys=True)
            finally:
                if imported is not None:
                    sys.modules[module] = imported
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception:
            traceback.print_exc()
            code = 1
        finally:
            progress.shown = shown
    if isinstance(said, io.TextIOWrapper):
        said.detach()  # else it would close the file with itself
    printed = said.getvalue() if isinstance(said, io.StringIO) else ""
    return subprocess.CompletedProcess([module, *arguments], code, printed, complaint.getvalue())
