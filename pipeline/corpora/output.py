"""A folder of output that appears whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import SynsemError


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """Yield a new folder that takes the place of ``folder`` on a clean exit and vanishes on a failure."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    except OSError as error:
        raise SynsemError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from error
    try:
        new.chmod(0o755)
        yield new
        if folder.exists():
            shutil.rmtree(folder)
        new.rename(folder)
    except OSError as error:
        raise SynsemError(
            f"{folder}: could not be written ({error.strerror or error}); free space or choose another folder"
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
