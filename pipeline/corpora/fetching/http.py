"""A file over HTTP: resumed where it broke off, retried with growing pauses."""

import time
from collections.abc import Callable
from pathlib import Path

import requests

from pipeline.corpora.fetching.verify import UnavailableError
from pipeline.errors import SynsemError

ATTEMPTS = 5
_KNOCKS = 2  # attempts at a server that never answered: another location may
FIRST_PAUSE = 0.5  # seconds, doubled after each failure
_TIMEOUT = (10, 60)  # seconds to connect, seconds between two chunks
_CHUNK = 2**18
_PASSING = {408, 425, 429, 500, 502, 503, 504}
Advance = Callable[[int], None]


def download(url: str, partial: Path, advance: Advance = lambda _: None) -> None:
    """Append to ``partial`` what it lacks of ``url``; ``advance`` is told the bytes as they come.

    A partial file of an earlier run is resumed by an HTTP Range request, and started afresh where the
    server does not offer ranges. Raises UnavailableError where the server has no such file or cannot be
    reached after several attempts, SynsemError where the disk is full.
    """
    failure, silent = "no answer", True
    for attempt in range(1, ATTEMPTS + 1):
        try:
            if _attempt(url, partial, advance):
                return
            failure, silent = "the transfer broke off", False
        except _PassingError as passing:
            failure, silent = str(passing), False
        except requests.RequestException as error:
            failure = _short(error)
            silent = silent and isinstance(error, requests.ConnectionError)
        if attempt == ATTEMPTS or (silent and attempt == _KNOCKS):
            raise UnavailableError(
                f"{url}: {failure}, {attempt} times; try again later, or set download.mirror"
            )
        time.sleep(FIRST_PAUSE * 2 ** (attempt - 1))


class _PassingError(Exception):
    """A failure that may pass."""


def _attempt(url: str, partial: Path, advance: Advance) -> bool:
    have = partial.stat().st_size if partial.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
        if answer.status_code == 416:  # the partial is whole, or longer than the file: only the hash can tell
            total = answer.headers.get("Content-Range", "").rpartition("/")[2]
            if total == str(have):
                return True
            partial.unlink()
            raise _PassingError("the server refused to resume")
        if answer.status_code in _PASSING:
            raise _PassingError(f"the server answered {answer.status_code}")
        if answer.status_code not in (200, 206):
            raise UnavailableError(
                f"{url}: the server answered {answer.status_code} {answer.reason}; check download.mirror"
            )
        resumed = answer.status_code == 206
        start = have if resumed else 0
        length = answer.headers.get("Content-Length")
        advance(start)
        got = 0
        with partial.open("ab" if resumed else "wb") as sink:
            for chunk in answer.iter_content(_CHUNK):
                try:
                    sink.write(chunk)
                    sink.flush()
                except OSError as error:
                    raise SynsemError(
                        f"{partial}: could not be written ({error.strerror});"
                        " free space or set download.cache"
                    ) from error
                got += len(chunk)
                advance(len(chunk))
        return length is None or got == int(length)


def _short(error: requests.RequestException) -> str:
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the transfer broke off"
    if isinstance(error, requests.ConnectionError):
        return "cannot be reached"
    if isinstance(error, requests.Timeout):
        return "did not answer in time"
    return " ".join(str(error).split()) or type(error).__name__
