"""Progress of long work: a bar of rich on a terminal; in a log, where rich is silent, a line now and then."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TypeVar

T = TypeVar("T")
_SECONDS_BETWEEN_LINES = 10.0
shown = True  # false: ``synsem --quiet``


def track(
    items: Iterable[T],
    label: str,
    total: int | None = None,
    note: Callable[[], object] = lambda: "",
    unit: str = "",
) -> Iterator[T]:
    """Yield the items and show on stderr how far the work is and, where the total is known, when it ends.

    ``total`` is the number of items, needed only where ``items`` has no length; ``unit`` is what they are,
    such as ``documents``. What ``note`` returns at that moment is shown with it.
    """
    if not shown:
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    if sys.stderr.isatty():
        yield from _on_a_terminal(items, label, total, note, unit)
        return
    began = last = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            counted = f"{done:,} of {total:,}" if total else f"{done:,}"
            line = f"{label}: {f'{counted} {unit}'.strip()} in {now - began:.0f} s"
            if total:
                line += f", {(now - began) * (total - done) / done:.0f} s to go"
            print(", ".join(filter(None, [line, str(note())])), file=sys.stderr, flush=True)


def _on_a_terminal(
    items: Iterable[T], label: str, total: int | None, note: Callable[[], object], unit: str
) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,}" + (" of {task.total:,}" if total else "") + " {task.fields[unit]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total, note="", unit=unit)
        for item in items:
            yield item
            progress.update(task, advance=1, note=str(note()))
