"""A folder of output that appears whole or not at all, and that one run at a time works on."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import SynsemError


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """Yield a new folder that takes the place of ``folder`` on a clean exit and vanishes on a failure.

    What a killed run left of it is cleared. Raises SynsemError where another run is at work on it, or where
    the disk or a permission is in the way; ``folder`` is then as it was.
    """
    new = folder.with_name(folder.name + ".partial")
    try:
        new.mkdir(parents=True, exist_ok=True)
        with claimed(new):
            try:
                for left in new.iterdir():
                    _remove(left)
                yield new
                _remove(folder)
                new.rename(folder)
            finally:
                shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise SynsemError(
            f"{folder}: could not be written ({error.strerror or error}); free space or choose another folder"
        ) from error


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Hold a folder against other runs; the system lets go of it even where this process is killed.

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


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
