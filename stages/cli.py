"""The ``synsem`` command: every stage and tool, under one name."""

import errno
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.errors import SynsemError

# OpenMP threads that wait should sleep, not spin: with another busy process on two cores, spinning makes a
# training step 25 times slower. torch reads this when it is loaded, so it is set before.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# Commands in the order in which --help lists them, each a module with a function or Typer app ``main``.
COMMANDS = {
    "download": f"{__package__}.download",
    "parse": f"{__package__}.parse",
    "augment": f"{__package__}.tools.augment",
    "treebank": f"{__package__}.treebank",
    "mine": f"{__package__}.mine",
    "triplets": f"{__package__}.tools.triplets",
    "pretrain": f"{__package__}.pretrain",
    "evaluate": f"{__package__}.evaluate",
    "report": f"{__package__}.report",
    "compare": f"{__package__}.tools.compare",
    "ablate": f"{__package__}.tools.ablate",
    "encode": f"{__package__}.tools.encode",
    "like": f"{__package__}.tools.like",
    "paraphrase": f"{__package__}.tools.paraphrase",
    "match": f"{__package__}.tools.match",
    "finetune": f"{__package__}.tools.finetune",
    "similar": f"{__package__}.tools.similar",
    "export": f"{__package__}.tools.export",
    "card": f"{__package__}.tools.card",
    "sources": f"{__package__}.tools.sources",
    "tree": f"{__package__}.tools.tree",
    "picture": f"{__package__}.tools.picture",
}

# Errors of a disk, a quota or a permission; any other OSError is a bug and keeps its traceback.
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

    So does a disk that is full or cannot be written to.
    """
    if isinstance(command, typer.Typer):
        app = command
    else:
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command()(command)
    try:
        app()
    except SynsemError as error:
        message = str(error)
    except UnicodeEncodeError:
        if not any("\udc80" <= character <= "\udcff" for word in sys.argv for character in word):
            raise
        message = "a text on the command line is not UTF-8; check the encoding of the terminal"
    except OSError as error:
        if error.errno not in _DISK:
            raise
        place = f"{error.filename}: " if error.filename else ""
        message = f"{place}{error.strerror or error}; free space, check permissions or choose another folder"
    else:
        return
    print(f"synsem: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(1)


def call(name: str, *arguments: object) -> None:
    """Run a command in this process, where its libraries may be loaded already; its errors are raised."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(importlib.import_module(COMMANDS[name]).main)
    app([str(argument) for argument in arguments], standalone_mode=False)


def main() -> None:
    """Entry point of the ``synsem`` console script."""
    app = typer.Typer(
        help="Syntax-aware sentence embeddings, one stage at a time.",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    for name, path in COMMANDS.items():
        module = importlib.import_module(path)
        if isinstance(module.main, typer.Typer):  # a group, such as ``synsem triplets head``
            app.add_typer(module.main, name=name)
        else:
            app.command(name)(module.main)
    run(app)
