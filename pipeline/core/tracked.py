"""A user's own files: a stage that DVC runs reads only those that DVC sees.

``data/own`` (texts, pairs, treebanks) and ``data/own-models`` (parsers, backbones, models to start from) are
dependencies of the stages that read them. DVC does not know of any other file: it would call a stage up to
date after a change, and an experiment in another folder would not find the file. Without DVC any path will
do.
"""

import hashlib
import os
from pathlib import Path

from pydantic import BaseModel

from pipeline.core.errors import SynsemError
from pipeline.core.store import sha256

OWN_FILES = Path("data/own")
OWN_MODELS = Path("data/own-models")


def demand_tracked(path: Path, home: Path) -> None:
    """Raise SynsemError where DVC runs this process and ``path`` does not lie in ``home``, a dependency.

    A file may be a link, as ``dvc add`` may make one, but DVC does not look into folders that are links.
    """
    if not run_by_dvc():
        return
    # Not resolved: a file that is a link counts as where the link is.
    inner, outer = (Path(os.path.normpath(Path.cwd() / each)) for each in (path, home))
    between = [folder for folder in (inner, *inner.parents) if folder.is_relative_to(outer)]
    if not between or any(folder.is_symlink() and folder.is_dir() for folder in between):
        raise SynsemError(
            f"{path}: DVC would not see a change of it; move it into {home}/, not as a link to a folder, and "
            "name it there"
        )


def folder_digest(folder: Path) -> str:
    """Hex sha256 over every file below a folder, by relative path and content.

    Training times (cost.json) are left out.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "cost.json":
            digest.update(f"{path.relative_to(folder).as_posix()} {sha256(path)}\n".encode())
    return digest.hexdigest()


def brings_code(parser: Path) -> bool:
    """Whether a parser's folder has ``parser.json``, which names a module that is run to load it."""
    return (parser / "parser.json").exists()


def named_content(*params: BaseModel) -> list[str]:
    """Digests of the folders that values of these sections name, such as ``upos.start``, in their order.

    A key with them changes when a folder's content does, though its name stays.
    """
    values = [value for section in params for _, value in section if isinstance(value, str)]
    return [folder_digest(Path(value)) for value in values if Path(value).is_dir()]


def run_by_dvc() -> bool:
    """Whether this process is a stage that DVC runs."""
    return "DVC_STAGE" in os.environ


def unknown_to_git() -> str:
    """Why a file may be missing where DVC runs a stage, as the end of a complaint; empty without DVC."""
    if not run_by_dvc():
        return ""
    return (
        "; an experiment with --temp or --queue has only what Git knows, so `git add` it (a large one: "
        "`dvc add` it, then `git add` what that wrote)"
    )
