"""Bytes as they arrive: a bar a file on a terminal, nothing in a log."""

import sys
from collections.abc import Callable
from typing import Any

Advance = Callable[[int], None]


class Meter:
    """A context manager over rich's progress display; thread-safe."""

    def __init__(self) -> None:
        self._progress: Any = None

    def __enter__(self) -> "Meter":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

            columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._progress.start()
        return self

    def task(self, name: str, total: int | None) -> Advance:
        """A function to call with the number of bytes that came; the bar shows from the first call on."""
        if self._progress is None:
            return lambda _: None
        bar = self._progress.add_task(name.rpartition("/")[2], total=total, visible=False)
        return lambda count: self._progress.update(bar, advance=count, visible=True)

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()
