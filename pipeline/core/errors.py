"""The one exception that a user is meant to read."""

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata


class SynsemError(Exception):
    """Something the user can fix: one sentence that names the file or key, and the remedy.

    The command line prints it on one line and exits with code 1, without a traceback.
    """


def to_install(extra: str) -> str:
    """What to do where a library of one of the extras in pyproject.toml is missing.

    With -e, as make installs: else a copy of the code takes its place, and ``synsem`` runs that copy.
    """
    return f"in the folder of SynSem's code: pip install -e '.[{extra}]'"


@contextmanager
def demand_installed() -> Iterator[None]:
    """Within, a missing dependency is a SynsemError, as few come with ``pip install '.[vectors]'``."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _dependencies():  # a part of a library, or our own code: a bug
            raise
        raise SynsemError(f"{error.name} is not installed; {to_install('pipeline')}") from error


def _dependencies() -> set[str]:
    """The dependencies of SynSem and of its extras; lower case, with underscores, as most are imported."""
    try:
        required = metadata.requires("synsem") or []
    except metadata.PackageNotFoundError:  # run from its folder
        return set()
    return {re.split(r"[^\w.-]", each, maxsplit=1)[0].replace("-", "_").lower() for each in required}


# The dashes of options that have such an argument; those of pip, in a remedy, and within a path stay.
_ARGUMENTS = re.compile(r"(?<!\S)--(?=(?:device|lang|params|view)\b)")


@contextmanager
def naming_arguments() -> Iterator[None]:
    """Within, an error that names options of the command line names arguments of Python: no ``--``."""
    try:
        yield
    except SynsemError as error:
        raise SynsemError(_ARGUMENTS.sub("", str(error))) from error


def first_few(names: Sequence[str], most: int = 5) -> str:
    """The first ``most`` names for a message, with ``...`` where there are more."""
    return ", ".join([*names[:most], *(["..."] if len(names) > most else [])])


def unknown(key: str, name: str, known: Collection[str], what: str = "unknown") -> SynsemError:
    """The error for a ``name`` that is none of the ``known`` ones: it gives the nearest, else all of them.

    ``what`` says what the name is.
    """
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"choose from {', '.join(sorted(known))}"
    return SynsemError(f"{key}: {name!r} is {what}; {hint}")
