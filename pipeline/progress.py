"""Progress of long work: a rich bar on a terminal, a plain line now and then in a log."""

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

T = TypeVar("T")
_SECONDS_BETWEEN_LINES = 10.0


def track(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """Yield the items and show on stderr how far the work is.

    ``total`` is the number of items, needed only where ``items`` has no length.
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import track as rich_track

        yield from rich_track(items, label, total=total, console=Console(stderr=True), transient=True)
        return
    began = last = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            print(f"{label}: {done:,} of {total or '?'} in {now - began:.0f} s", file=sys.stderr, flush=True)
