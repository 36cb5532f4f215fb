"""Reading ahead of the step: while a device works on one step, a thread makes the batches of the next."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from pipeline.systems.base import Batch, System
from pipeline.training.batches import Numbers
from pipeline.training.distributed import parts_of_process
from pipeline.training.examples import Examples

Item = TypeVar("Item")


def read_steps(
    system: System, examples: Examples, planned: Iterator[Numbers], steps: Iterable[int]
) -> Iterator[list[Batch]]:
    """The batches of each step, cut into this process's parts, with what the system reads in them."""
    params = system.settings.train
    for step in steps:
        yield [
            read_batch(system, examples.batch(numbers), step)
            for numbers in islice(planned, params.accumulate)
        ]


def read_batch(system: System, batch: Batch, step: int) -> Batch:
    """The batch with its ``parts``, each with its ``reading``."""
    parts = parts_of_process(batch, system.settings.train.chunk)
    return replace(batch, parts=[replace(part, reading=system.read(part, step)) for part in parts])


@contextmanager
def made_ahead(items: Iterator[Item], depth: int) -> Iterator[Iterator[Item]]:
    """The same items in the same order, of which a thread makes up to ``depth`` before they are asked for.

    An error of ``items`` is raised where its item is asked for. Leaving waits for the item in the making, and
    no further one is begun. With ``depth`` 0 there is no thread.
    """
    if not depth:
        yield items
        return
    end = object()
    with ThreadPoolExecutor(1, "read-ahead") as worker:
        begun: deque[Future[object]] = deque(worker.submit(next, items, end) for _ in range(depth))

        def taken() -> Iterator[Item]:
            while (item := begun.popleft().result()) is not end:
                begun.append(worker.submit(next, items, end))
                yield item  # type: ignore[misc]

        try:
            yield taken()
        finally:
            for each in begun:
                each.cancel()
