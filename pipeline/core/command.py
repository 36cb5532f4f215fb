"""What every command has in common: options, errors of one line, and what it prints of dropped rows."""

import atexit
import errno
import gc
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.errors import SynsemError, to_install

# torch reads both when it is loaded. OpenMP threads that wait should sleep, not spin: with another busy
# process on two cores, spinning makes a training step 25 times slower. And large tensors come and go in every
# training step: in huge pages (Linux) that costs a third of the page faults, or fewer.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
# Without this, Python spends two seconds at exit on a search for reference cycles in torch and spaCy.
atexit.register(gc.freeze)

Params = Annotated[Path, typer.Option(help="The parameter file.")]
System = Annotated[str, typer.Argument(metavar="SYSTEM", help="A folder of pipeline/systems.")]
Workers = Annotated[
    int | None, typer.Option(help="Worker processes; never changes a byte.", envvar="SYNSEM_WORKERS")
]
LARGEST_SEED = 2**32 - 1  # that every library takes
_OURS = ("pipeline", "stages", "synsem")
# The extra of pyproject.toml that has a library, if it is not ``pipeline``.
_EXTRAS = {"ray": "ray", "onnx": "export", "onnxruntime": "onnx", "onnxscript": "export", "stanza": "stanza",
           "torch": "vectors"}  # fmt: skip
_MOST = 6  # reasons shown


def run(command: Callable[..., None] | typer.Typer, name: str | None = None) -> None:
    """Run a command (``python -m stages.parse``); a SynsemError becomes one line and exit code 1.

    So does a full or protected disk, and a library that is not installed. ``name`` is that of the program, if
    Python's own is not it.
    """
    app = command
    if not isinstance(app, typer.Typer):
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command()(command)
    try:
        return app(prog_name=name)
    except SynsemError as error:
        message = str(error)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith(_OURS):
            raise
        message = f"{error.name} is not installed; {to_install(_EXTRAS.get(error.name, 'pipeline'))}"
    except BrokenPipeError:  # the reader of standard output, such as `head`, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python reports it again at exit
        raise SystemExit(1) from None
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.ENOSPC, errno.EROFS):
            raise
        message = f"{error.filename or 'disk'}: {error.strerror}; free space or choose another folder"
    print(f"synsem: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(1)


def print_dropped(folder: Path, stage: str) -> None:
    """Print a line for each of the largest counts of ``folder/report.json``: how many, why, and what to do.

    ``remedies.yaml`` has what to do, by stage and the beginning of a reason.
    """
    from pipeline.core.store import read_json, read_yaml

    remedies = read_yaml(Path(__file__).with_name("remedies.yaml")).get(stage, {})
    dropped: Mapping[str, int] = read_json(folder / "report.json")["dropped"]
    ordered = sorted((-n, reason) for reason, n in dropped.items() if n)
    for n, reason in ordered[:_MOST]:
        remedy = next((f": {text}" for begin, text in remedies.items() if reason.startswith(begin)), "")
        print(f"  dropped {-n:,}  {reason}{remedy}")
    if len(ordered) > _MOST:
        print(f"  and for {len(ordered) - _MOST} other reasons: {folder / 'report.json'}")
