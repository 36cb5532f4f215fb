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
    """Say how to install the libraries of one of the extras in pyproject.toml."""
    # With -e, as make does: otherwise ``synsem`` would run a copy of the code.
    return f"in the folder of SynSem's code: pip install -e '.[{extra}]'"


def unknown(key: str, name: str, known: Collection[str]) -> SynsemError:
    """Return the error for an unknown name: it suggests the closest match, or lists the valid names."""
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"choose from {', '.join(sorted(known))}"
    return SynsemError(f"{key}: {name!r} is unknown; {hint}")


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
