"""The one exception that a user is meant to read, and checks that raise it."""

import difflib
import os
from collections.abc import Collection
from pathlib import Path


class SynsemError(Exception):
    """Something the user can fix: one sentence that names the file or key, and the remedy.

    The command line prints it on one line and exits with code 1, without a traceback.
    """


def to_install(extra: str) -> str:
    """What to do where a library of one of the extras in pyproject.toml is missing.

    With -e, as make installs: else a copy of the code takes its place, and ``synsem`` runs that copy.
    """
    return f"in the folder of SynSem's code: pip install -e '.[{extra}]'"


def unknown(key: str, name: str, known: Collection[str], what: str = "unknown") -> SynsemError:
    """The error for a ``name`` that is none of the ``known`` ones: it gives the nearest, else all of them.

    ``what`` says what the name is.
    """
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"choose from {', '.join(sorted(known))}"
    return SynsemError(f"{key}: {name!r} is {what}; {hint}")


# Folders for a user's own texts and models. The stages that read them depend on them (dvc.yaml).
OWN_FILES = Path("data/own")
OWN_MODELS = Path("data/own-models")


def demand_tracked(path: Path, home: Path) -> None:
    """Raise SynsemError if DVC runs this process and ``path`` does not lie in ``home``, a dependency.

    DVC would call the stage up to date after a change of such a file. Without DVC any path will do.
    """
    inner = Path(os.path.normpath(Path.cwd() / path))  # not resolved: a file that is a link counts as there
    if "DVC_STAGE" in os.environ and not inner.is_relative_to(home.absolute()):
        raise SynsemError(f"{path}: DVC would not see a change of it; move it into {home}/ and name it there")
