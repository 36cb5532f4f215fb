"""Files and folders that appear whole or not at all, and a lock that keeps a second run away."""

import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

from pipeline.core.errors import SynsemError


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` for a new file, which replaces ``path`` on a clean exit."""
    path = path.resolve() if path.is_symlink() else path
    path.parent.mkdir(parents=True, exist_ok=True)
    # Hidden, so that part-*.arrow does not match it, and with the suffix that some libraries go by.
    partial = path.with_name(f".{uuid.uuid4().hex[:8]}.{path.name}")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def atomic_stream(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary stream into ``atomic_path(path)``; a device or pipe is written to directly."""
    if path.exists() and not path.is_file():
        with path.open("wb") as sink:
            yield sink
    else:
        with atomic_path(path) as partial, partial.open("wb") as sink:
            yield sink


@contextmanager
def atomic_folder(folder: Path, *written: str) -> Iterator[Path]:
    """Yield an empty folder beside ``folder``, which replaces it on a clean exit.

    ``written`` are patterns of the names that an earlier run may have left in ``folder``. Raises SynsemError
    if anything else is there, which would be lost, or if another run is writing the folder.
    """
    folder = folder.resolve() if folder.is_symlink() else folder
    demand_own(folder, *written)
    partial = folder.with_name(folder.name + ".partial")
    partial.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(partial):
        for left in partial.iterdir():
            remove(left)
        try:
            yield partial
        except BaseException:
            shutil.rmtree(partial)
            raise
        for path in partial.rglob("*.safetensors"):
            path.chmod(partial.stat().st_mode & 0o666)  # safetensors lets nobody else read what it writes
        # A folder cannot replace another, so the old one is moved out of the way first.
        old = folder.with_name(folder.name + ".old")
        remove(old)
        if folder.exists():
            folder.rename(old)
        partial.rename(folder)
        remove(old)


def demand_own(folder: Path, *written: str) -> None:
    """Raise SynsemError if a folder that is to be replaced holds names that match none of the patterns."""
    if folder.is_dir():
        for name in sorted(path.name for path in folder.iterdir()):
            if not any(fnmatchcase(name, pattern) for pattern in (*written, ".DS_Store")):
                raise SynsemError(
                    f"{folder}: holds other files, such as {name}, which would be deleted; name a new folder"
                )
    elif folder.exists():
        raise SynsemError(f"{folder}: is a file, which would be deleted; name a folder")


@contextmanager
def exclusive_lock(folder: Path) -> Iterator[None]:
    """Hold a folder against other runs until the block or the process ends.

    Raises SynsemError if another run holds it.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SynsemError(f"{folder}: another run is at work on it; wait for that one to end") from error
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Delete a file, a folder with its contents, or a symbolic link itself, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
