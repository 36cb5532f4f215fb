"""The ``synsem`` command: every stage and tool, under one name."""

import errno
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from pipeline.errors import SynsemError

# OpenMP threads that wait should sleep, not spin: beside one other busy process on two cores, spinning makes
# a training step 25 times slower. It is read when torch is loaded, so it must be set before.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# Modules of this package with a function or Typer app ``main``, in the order in which --help lists them.
COMMANDS = (
    "download",
    "parse",
    "augment",
    "treebank",
    "mine",
    "triplets",
    "pretrain",
    "evaluate",
    "report",
    "compare",
    "ablate",
    "encode",
    "like",
    "paraphrase",
    "match",
    "finetune",
    "similar",
    "export",
    "card",
    "sources",
    "tree",
)

# What a disk, a quota or a permission says; any other OSError is a fault of ours and shows where.
_DISK = {
    errno.EACCES, errno.EDQUOT, errno.EEXIST, errno.EFBIG, errno.EIO, errno.EISDIR, errno.EMFILE,
    errno.ENOSPC, errno.ENOTDIR, errno.EPERM, errno.EROFS,
}  # fmt: skip

Params = Annotated[Path, typer.Option(help="The parameter file.")]
Workers = Annotated[
    int | None, typer.Option(help="Worker processes; never changes a byte.", envvar="SYNSEM_WORKERS")
]


def run(command: Callable[..., None] | typer.Typer) -> None:
    """Run a command (``python -m stages.parse``); a SynsemError becomes one line and exit code 1.

    So does a disk that is full or will not be written to, wherever it struck.
    """
    if isinstance(command, typer.Typer):
        app = command
    else:
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command()(command)
    try:
        app()
    except SynsemError as error:
        complaint = str(error)
    except UnicodeEncodeError:
        if not any("\udc80" <= character <= "\udcff" for word in sys.argv for character in word):
            raise
        complaint = "a text on the command line is not UTF-8; check the encoding of the terminal"
    except OSError as error:
        if error.errno not in _DISK:
            raise
        place = f"{error.filename}: " if error.filename else ""
        complaint = (
            f"{place}{error.strerror or error}; free space, check permissions or choose another folder"
        )
    else:
        return
    print(f"synsem: {' '.join(complaint.split())}", file=sys.stderr)
    raise SystemExit(1)


def main() -> None:
    """Entry point of the ``synsem`` console script."""
    app = typer.Typer(
        help="Syntax-aware sentence embeddings, one stage at a time.",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    for name in COMMANDS:
        module = importlib.import_module(f"stages.{name}")
        if isinstance(module.main, typer.Typer):  # a group, such as ``synsem triplets head``
            app.add_typer(module.main, name=name)
        else:
            app.command(name)(module.main)
    run(app)
