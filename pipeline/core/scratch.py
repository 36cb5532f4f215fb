"""Folders for unfinished work: what a killed run had finished is used again, and never by another run.

A scratch folder is named by a digest of all that decides its content: the input files, the parameters and the
library's code. A run after a kill gets the same folder and does only the rest.
"""

import functools
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel

from pipeline.core.store import sha256

ROOT = Path(os.environ.get("SYNSEM_SCRATCH") or ".scratch")
_DIGITS = 24  # of a key
_ABANDONED_AFTER = 7 * 24 * 3600.0  # seconds


@functools.cache
def code_digest(library: Path = Path(__file__).parents[1]) -> str:
    """Return a sha256 over the library's code and the lists that it reads, by relative path and content."""
    digest = hashlib.sha256()
    for path in sorted(library.rglob("*")):
        if path.suffix in (".py", ".tsv", ".yaml"):
            digest.update(str(path.relative_to(library)).encode() + path.read_bytes())
    return digest.hexdigest()


def key(inputs: Iterable[Path], *params: BaseModel | str | int) -> str:
    """Return a digest of input files, parameters and code: 24 hex characters."""
    facts = [code_digest(), *(sha256(path) for path in inputs)]
    facts += [
        param.model_dump_json() if isinstance(param, BaseModel) else json.dumps(param) for param in params
    ]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:_DIGITS]


def folder(stage: str, key: str) -> Path:
    """Return the scratch folder of a stage and key, created if absent; a week after its last use it goes."""
    home = ROOT / stage / key
    home.mkdir(parents=True, exist_ok=True)
    for other in home.parent.iterdir():
        if other != home and len(other.name) == _DIGITS:
            with suppress(FileNotFoundError):  # another process removes it as well
                if time.time() - other.stat().st_mtime > _ABANDONED_AFTER:
                    shutil.rmtree(other)
    return home
