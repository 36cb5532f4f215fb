"""Progress of long work on stderr: a bar on a terminal; in a log, a line now and then."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
_SECONDS_IN_LOG = 10.0  # before the first line in a log, and between two of them
shown = True  # false: ``synsem --quiet``


def track(
    items: Iterable[T],
    label: str,
    total: int | None = None,
    note: Callable[[], object] | None = None,
    unit: str = "items",
) -> Iterator[T]:
    """Yield the items and show how far the work is and, if the total is known, when it ends.

    ``total`` is the number of items, needed only if ``items`` has no length; ``unit`` is what they are, such
    as ``documents``. What ``note`` returns at that moment is shown with it.
    """
    from tqdm import tqdm

    wait = 0.0 if sys.stderr.isatty() else _SECONDS_IN_LOG
    pace = {"mininterval": wait or 0.1, "delay": wait}
    bar = tqdm(items, label, total, leave=False, unit=f" {unit}", disable=not shown, **pace)
    for item in bar:
        yield item
        if note is not None:
            bar.set_postfix_str(str(note()), refresh=False)
