"""Files and folders that appear whole or not at all."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pipeline.errors import SynsemError


@contextmanager
def placed(path: Path) -> Iterator[Path]:
    """A place beside ``path`` for a file or folder: it gets its name when all went well, else it is removed.

    Raises SynsemError where the disk or a permission is in the way.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove(partial)
        yield partial
        partial.replace(path)
    except OSError as error:
        raise SynsemError(
            f"{path}: could not be written ({error.strerror or error}); free space or choose another place"
        ) from error
    finally:
        _remove(partial)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A stream into ``placed(path)``; a device or named pipe that is there already is written to as it is."""
    if path.exists() and not path.is_file():
        try:
            with path.open("wb") as sink:
                yield sink
        except OSError as error:
            raise SynsemError(f"{path}: could not be written ({error.strerror or error})") from error
        return
    with placed(path) as partial, partial.open("wb") as sink:
        yield sink


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()
