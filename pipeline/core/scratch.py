"""Resume after a crash: what a killed stage had finished is used again, and never by another run.

A scratch folder is named by a digest of all that decides its bytes: the input files, the parameters, and the
code and word lists of the library. A rerun after a crash gets the same folder and does only the rest; with
another input, parameter, code or list it gets another folder. A complete stage deletes its folder, or all but
the small records by which it finds a broken file of its output again (``units.py``).
"""

import functools
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel

from pipeline.core.atomic import exclusive_lock
from pipeline.core.errors import SynsemError
from pipeline.core.store import sha256

ROOT = Path(os.environ.get("SYNSEM_SCRATCH") or ".scratch")
KEY = re.compile("[0-9a-f]{24}")  # what ``key`` gives, the name of a folder
_ABANDONED_AFTER = 7 * 24 * 3600.0  # seconds
# What decides bytes beside the code: word lists, frames, profiles of sources.
_DECIDING = (".py", ".tsv", ".yaml")


def deciding(folder: Path) -> list[Path]:
    """The files below a folder of the library that decide what it makes: code and lists, sorted."""
    return sorted(path for path in folder.rglob("*") if path.suffix in _DECIDING)


@functools.cache
def code_digest(library: Path = Path(__file__).parents[1]) -> str:
    """Hex sha256 over the library's code and the lists that it reads, by relative path and content."""
    digest = hashlib.sha256()
    for path in deciding(library):
        digest.update(str(path.relative_to(library)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def key(inputs: Iterable[Path], *params: BaseModel | str | int) -> str:
    """A digest of input files, parameters and code: 24 hex characters."""
    facts = [code_digest(), *(sha256(path) for path in inputs)]
    facts += [
        param.model_dump_json() if isinstance(param, BaseModel) else json.dumps(param) for param in params
    ]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:24]


def folder(stage: str, key: str) -> Path:
    """The scratch folder of a stage and key, created if absent.

    Other folders of the stage that have not changed for a week are removed, unless a run holds them by
    ``exclusive_lock``; younger ones may belong to a run at the same time. What is not named by a key stays.
    """
    home = ROOT / stage / key
    if home.parent.exists():
        for other in home.parent.iterdir():
            # This run is about to resume its own; what is not named by a key is a user's own.
            if other == home or not KEY.fullmatch(other.name):
                continue
            # Another process, such as one of torchrun's, may remove the same ones at this moment. A stopped
            # process, or a clock that was set, makes a folder old that a run still holds.
            with suppress(SynsemError, FileNotFoundError):
                if time.time() - other.stat().st_mtime > _ABANDONED_AFTER:
                    with exclusive_lock(other):
                        shutil.rmtree(other, ignore_errors=True)
    make(home, "set SYNSEM_SCRATCH to a folder of your own")
    return home


def make(home: Path, remedy: str) -> None:
    """Create a folder if absent; SynsemError, with the remedy, where that cannot be done."""
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SynsemError(f"{home}: cannot be made ({error.strerror}); {remedy}") from error


def discard(home: Path) -> None:
    """Remove a scratch folder whose work is done."""
    shutil.rmtree(home, ignore_errors=True)


def discard_if_empty(home: Path) -> None:
    """Remove a scratch folder that holds no file, and that of its stage where no other one is in it."""
    if not any(path.is_file() for path in home.rglob("*")):
        discard(home)
        with suppress(OSError):  # another run's is there
            home.parent.rmdir()
