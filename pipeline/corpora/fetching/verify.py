"""Whether a file is what the registry says it is."""

from pathlib import Path

from pipeline.corpora.registry import File
from pipeline.errors import SynsemError
from pipeline.store import sha256


class UnavailableError(SynsemError):
    """A location that does not have the file, or cannot be reached: the next location may."""


def verify(path: Path, file: File, origin: str) -> None:
    """Check size and sha256 of ``path``, where the registry knows them; it is left alone.

    Raises SynsemError naming ``origin``, what was found and what was expected.
    """
    size = path.stat().st_size
    if file.bytes is not None and size != file.bytes:
        raise SynsemError(
            f"{origin}: has {size:,} bytes, not the {file.bytes:,} that sources.yaml expects;"
            " it was changed or cut short: fetch it again or use another mirror"
        )
    if file.sha256 is not None and (found := sha256(path)) != file.sha256:
        raise SynsemError(
            f"{origin}: its sha256 is {found}, not the {file.sha256} that sources.yaml expects;"
            " it was changed: fetch it again or use another mirror"
        )
