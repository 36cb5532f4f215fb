"""Files and folders that appear whole or not at all, and locks that keep a second run away.

A folder is written as ``NAME.partial`` beside its place, which is renamed when it is complete. A folder that
it replaces is ``NAME.replaced`` for that moment. A file is written in a folder ``NAME.xxxxxxxx.partial`` of
its own: where two runs write it at once, that of the one that ends last stays, whole. Only the download cache
does without: its partial files stay, so that a transfer can be resumed.
"""

import errno
import fcntl
import glob
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import BinaryIO

from pipeline.core.errors import SynsemError


@contextmanager
def atomic_path(
    path: Path, *, folder: bool = False, remedy: str = "free space or choose another folder"
) -> Iterator[Path]:
    """Yield a place for a new file or folder, which replaces ``path`` on a clean exit and else is removed.

    With ``folder`` the place is an empty folder already, and held against other runs. What a killed run left
    is cleared, and a folder that it was about to replace is put back. Where such a path is a symbolic link,
    the folder that it names is replaced. Raises SynsemError, ending in ``remedy``, where the disk or a
    permission is in the way. An OSError of the body that is not about the place, such as of an input, passes
    as it is.
    """
    if not path.name:
        raise SynsemError(f"{str(path)!r}: is no name of a file or folder; give one")
    if folder and path.is_symlink():
        path = path.resolve()
    home = partial = path.with_name(path.name + ".partial")
    other: OSError | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as held:
            if folder:
                partial.mkdir(exist_ok=True)
                held.enter_context(exclusive_lock(partial))
                put_back(path)
                for left in partial.iterdir():
                    remove(left)
            else:
                _clear(path)
                home = _own_folder(path, held)
                partial = home / path.name
            in_place = False
            try:
                try:
                    yield partial
                except OSError as error:
                    other = None if _about(error, path, partial) else error
                    raise
                if folder:
                    _readable(partial)
                replaces = partial.is_dir() and path.exists()
                if replaces:
                    _exchange(partial, path)
                else:
                    partial.replace(path)
                in_place = True
                if replaces:
                    remove(_replaced(path))
            finally:
                # Where a folder was that is in its place now, another run may have begun the next.
                if not (folder and in_place):
                    with suppress(OSError):
                        remove(home)
    except OSError as error:
        if error is other:
            raise
        raise SynsemError(f"{path}: could not be written ({error.strerror or error}); {remedy}") from error


def _own_folder(path: Path, held: ExitStack) -> Path:
    """A new folder beside a file's place, held against the runs that clear what a killed one left."""
    while True:
        home = Path(mkdtemp(prefix=f"{path.name}.", suffix=".partial", dir=path.parent))
        try:
            held.enter_context(exclusive_lock(home))
        except (SynsemError, FileNotFoundError):  # another run took it for such a folder
            continue
        return home


def _clear(path: Path) -> None:
    """Remove the folders in which killed runs were writing a file."""
    with suppress(OSError):
        for left in path.parent.glob(f"{glob.escape(path.name)}.????????.partial"):
            with suppress(SynsemError, OSError), exclusive_lock(left):
                shutil.rmtree(left)


def _whole(name: str) -> str:
    """What a file or folder is called that is ``name`` while a run is writing it."""
    return _UNFINISHED.sub("", name)


def _replaced(path: Path) -> Path:
    return path.with_name(path.name + ".replaced")


def put_back(path: Path) -> None:
    """Bring a folder back that a killed run was about to replace, if there is one."""
    path = path.resolve() if path.is_symlink() else path
    if _replaced(path).exists() and not path.exists():
        _replaced(path).replace(path)


def _exchange(new: Path, path: Path) -> None:
    """Put a new folder where an old one is, which is whole in one of two places all the while.

    It is left in the second, ``_replaced``. A folder cannot be renamed to one that has something in it.
    """
    remove(_replaced(path))
    path.replace(_replaced(path))
    try:
        new.replace(path)
    except BaseException:
        _replaced(path).replace(path)
        raise


_UNFINISHED = re.compile(r"(\.[a-z0-9_]{8})?\.partial$|\.replaced$")
_OF_SYSTEMS = (".DS_Store",)  # what file managers leave in any folder
# What a write says that names no file: a disk, quota or limit that is full, or a pipe that nobody reads.
_OF_WRITES = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE}


def _about(error: OSError, *places: Path) -> bool:
    """Whether an error is about one of the places: what lies in it, or a folder on the way to it."""
    names = [error.filename, error.filename2]
    files = [Path(os.fsdecode(name)).absolute() for name in names if isinstance(name, str | bytes)]
    if not files:  # Arrow names the file in its message alone
        return error.errno in _OF_WRITES or any(str(place) in str(error) for place in places)
    homes = [place.absolute() for place in places]
    return any(file.is_relative_to(home) or home.is_relative_to(file) for file in files for home in homes)


@contextmanager
def atomic_folder(folder: Path, *written: str) -> Iterator[Path]:
    """Yield a new folder that replaces ``folder`` on a clean exit, while no other run may work on it.

    Raises SynsemError where another run does, where the disk or a permission is in the way, or where
    ``demand_own(folder, *written)`` raises it; ``folder`` is then as it was.
    """
    demand_own(folder, *written)
    with atomic_path(folder, folder=True) as new:
        yield new


def demand_own(folder: Path, *written: str) -> None:
    """Raise SynsemError where a folder that is to be replaced holds what an earlier run has not written.

    ``written`` are patterns of the names of all that such a run may leave in it; one that was killed leaves
    them with ``.partial``, ``.xxxxxxxx.partial`` or ``.replaced`` at their end.
    """
    if folder.is_dir():
        for name in sorted(path.name for path in folder.iterdir()):
            whole = _whole(name)
            if whole not in _OF_SYSTEMS and not any(fnmatchcase(whole, pattern) for pattern in written):
                raise SynsemError(
                    f"{folder}: holds other files, such as {name}, which would be deleted; name a new folder"
                )
    elif folder.exists():
        raise SynsemError(f"{folder}: is a file, which would be deleted; name a folder")


def demand_writable(path: Path) -> None:
    """Raise SynsemError where nothing can be written at ``path``; the folder that it lies in is made.

    For a stage that writes after hours of work.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise SynsemError(f"{path}: cannot be written ({error.strerror}); choose another folder") from error


@contextmanager
def atomic_stream(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary stream into ``atomic_path(path)``; a device or named pipe is written to as it is.

    Where the path is a symbolic link, the file that it names is written.
    """
    if path.exists() and not path.is_file():
        try:
            with path.open("wb") as sink:
                yield sink
        except OSError as error:
            if not _about(error, path):
                raise
            reason = error.strerror or error
            raise SynsemError(f"{path}: could not be written ({reason}); name a file") from error
        return
    target = path.resolve() if path.is_symlink() else path
    with atomic_path(target) as partial, partial.open("wb") as sink:
        yield sink


@contextmanager
def exclusive_lock(folder: Path) -> Iterator[None]:
    """Hold a folder against other runs; the system releases it even where this process is killed.

    Raises SynsemError where another process holds it.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = folder.exists() and os.path.samestat(os.fstat(handle), folder.stat())
        except BlockingIOError:
            held = False
        except OSError:  # a file system without locks
            held = True
        if not held:
            raise SynsemError(f"{folder}: another run is at work on it; wait for that one to end")
        yield
    finally:
        os.close(handle)


def _readable(folder: Path) -> None:
    """Give files that a library made for its owner alone (0600) the mode that the umask gives to others."""
    usual = folder.stat().st_mode & 0o666
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o777 == 0o600:
            path.chmod(usual)


def remove(path: Path) -> None:
    """Delete a file, a folder with its contents, or a symbolic link itself; do nothing where none is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
