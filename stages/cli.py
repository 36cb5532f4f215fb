"""The ``synsem`` command: every stage and tool, under one name."""

import codecs
import errno
import importlib
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline import systems
from pipeline.core import progress
from pipeline.core.errors import SynsemError, demand_installed

if TYPE_CHECKING:
    from rich.console import Console

# OpenMP threads that wait should sleep, not spin: with another busy process on two cores, spinning makes a
# training step 25 times slower. torch reads this when it is loaded, so it is set before.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Large tensors come and go in every training step. In huge pages (Linux) that costs a third of the page
# faults, or fewer. torch reads this, too, when it is loaded.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

# A closed one is None: then progress would fail, and what is printed there would go to standard output.
if sys.stderr is None:
    sys.stderr = Path(os.devnull).open("w", errors="backslashreplace")  # noqa: SIM115 - till the process ends

# Commands in the order in which --help lists them, each a module here with a function or Typer app ``main``.
GROUPS = {
    "Try it": {
        "pretrained": "tools.pretrained",
        "tree": "tools.tree",
        "similar": "tools.similar",
        "encode": "tools.encode",
        "score": "tools.score",
        "search": "tools.search",
        "like": "tools.like",
    },
    "Pipeline": {
        "check": "check",
        "download": "download",
        "parse": "parse",
        "augment": "tools.augment",
        "treebank": "treebank",
        "mine": "mine",
        "pretrain": "pretrain",
        "evaluate": "evaluate",
        "report": "report",
    },
    "Models": {
        "card": "tools.card",
        "export": "tools.export",
        "compare": "tools.compare",
    },
    "More": {
        "plots": "tools.plots",
    },
}
# In a wheel the package of this file has another name.
COMMANDS = {name: f"{__package__}.{path}" for group in GROUPS.values() for name, path in group.items()}
LARGEST_SEED = 2**32 - 1  # that every library takes
_INTERRUPTED = 130  # the exit code of a program that Ctrl-C ended
_verbose = False

# Errors of a disk, a quota or a permission; any other OSError is a bug and keeps its traceback.
_DISK = {
    errno.EACCES, errno.EDQUOT, errno.EEXIST, errno.EFBIG, errno.EIO, errno.EISDIR, errno.EMFILE,
    errno.ENOSPC, errno.ENOTDIR, errno.EPERM, errno.EROFS,
}  # fmt: skip

Params = Annotated[Path, typer.Option(help="The parameter file.")]
SYSTEMS = sorted(path.parent.name for path in Path(systems.__file__).parent.glob("*/model.py"))
SystemName = Annotated[
    str,
    typer.Argument(
        metavar="SYSTEM",
        help=f"One of {', '.join(SYSTEMS)}.",
        autocompletion=lambda incomplete: [name for name in SYSTEMS if name.startswith(incomplete)],
    ),
]
Several = typer.Option(help="Give it again, or separate by commas.")
Workers = Annotated[
    int | None, typer.Option(help="Worker processes; never changes a byte.", envvar="SYNSEM_WORKERS")
]


def run(command: Callable[..., None] | typer.Typer, name: str | None = None) -> None:
    """Run a command (``python -m stages.parse``); a SynsemError becomes one line and exit code 1.

    So does a disk that is full or cannot be written to. Ctrl-C is one line and exit code 130. ``name`` is
    that of the program, where Python's own is not it.
    """
    _escape_unknown_characters()
    if isinstance(command, typer.Typer):
        app = command
    else:
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command()(command)
    code = 1
    try:
        with demand_installed():
            app(prog_name=name)
    except SynsemError as error:
        if _verbose:
            traceback.print_exc()
        message = str(error)
    except (KeyboardInterrupt, SystemExit) as end:
        if not isinstance(end, KeyboardInterrupt) and end.code != _INTERRUPTED:
            raise
        code, message = _INTERRUPTED, "stopped; run the same command again"
        # After Ctrl-C within an exec, such as a dataclass's, Python would end by the signal: no exit code.
        exec("")
    except (UnicodeEncodeError, TypeError):  # the tokenizers' error is a TypeError
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
    raise SystemExit(code)


def _escape_unknown_characters() -> None:
    """Let standard output write a character that its encoding lacks as ``\\xe9``, as standard error does.

    UTF-8 lacks none but half characters, of which ``run`` speaks.
    """
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper) and codecs.lookup(out.encoding).name != "utf-8":
        out.reconfigure(errors="backslashreplace")


def several(given: Iterable[str]) -> list[str]:
    """The values of an option that is repeated or whose values are separated by commas, or both."""
    return [value.strip() for each in given for value in each.split(",")]


def several_numbers(given: Iterable[str], option: str) -> list[int]:
    """The same of whole numbers; another value is an error of the command line that names ``option``."""
    values = several(given)
    if wrong := [value for value in values if not value.isdecimal()]:
        raise typer.BadParameter(f"{option}: {wrong[0]!r} is no whole number")
    return [int(value) for value in values]


def several_seeds(given: Iterable[str], option: str) -> list[int]:
    """``several_numbers`` of seeds; one that a library cannot take is an error of the command line."""
    seeds = several_numbers(given, option)
    if wrong := [seed for seed in seeds if seed > LARGEST_SEED]:
        raise typer.BadParameter(f"{option}: {wrong[0]} is too large; give {LARGEST_SEED} at most")
    return seeds


def table_console(width: int) -> "Console":
    """A console for texts that may look like markup; ``width`` columns where it is no terminal."""
    from rich.console import Console

    return Console(width=None if Console().is_terminal else width, markup=False, emoji=False)


def first_model(params: Path, system: str = "") -> Path:
    """The folder of the first system and seed of a parameter file; of ``system`` where it is among them."""
    from pipeline.params import load, or_defaults

    chosen = load(or_defaults(params), "systems", "seeds")
    return Path("models") / (system if system in chosen.systems else chosen.systems[0]) / str(chosen.seeds[0])


@contextmanager
def ends_with_its_reader() -> Iterator[None]:
    """Exit quietly where the reader of standard output, such as `head`, has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        # Or Python reports the pipe again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None


def call(name: str, *arguments: object) -> None:
    """Run a command in this process, where its libraries may be loaded already; its errors are raised."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(importlib.import_module(COMMANDS[name]).main)
    with demand_installed():
        code = app([str(argument) for argument in arguments], standalone_mode=False)
    # Typer gives the exit code of Ctrl-C back, and raises nothing.
    if code == _INTERRUPTED:
        raise KeyboardInterrupt


def main() -> None:
    """Entry point of the ``synsem`` console script."""
    app = typer.Typer(
        help="Syntax-aware sentence embeddings, one stage at a time.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for panel, commands in GROUPS.items():
        for name in commands:
            module = importlib.import_module(COMMANDS[name])
            app.command(name, rich_help_panel=panel)(module.main)
    run(app, "synsem")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"synsem {metadata.version('synsem')}")
        raise typer.Exit


def _options(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show where an error arose.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    global _verbose
    _verbose, progress.shown = verbose, not quiet


if __name__ == "__main__":
    main()
