"""Reading ahead of the step: while a device works on one step, the batches of the next are made.

By a thread or, with ``train.readers``, by processes: a thread shares the interpreter with the step itself.
"""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import torch

from pipeline.core.errors import SynsemError
from pipeline.core.parallel import environment, follow_parent
from pipeline.systems.base import Batch, System
from pipeline.training.batches import Numbers
from pipeline.training.distributed import parts_of_process
from pipeline.training.examples import Examples

Item = TypeVar("Item")
Job = TypeVar("Job")


@contextmanager
def steps_ahead(
    system: System, examples: Examples, planned: Iterator[Numbers], steps: Iterable[int]
) -> Iterator[Iterator[list[Batch]]]:
    """The batches of each step as ``read_step`` gives them, made ahead of it.

    ``planned`` has the examples of each batch. ``train.read_ahead`` and ``train.readers`` tell how far ahead
    and by whom, and change no batch. Raises SynsemError for readers where processes cannot be forked.
    """
    params = system.settings.train
    work = partial(read_step, system, examples)
    jobs = ((step, list(islice(planned, params.accumulate))) for step in steps)
    if params.readers:
        with made_by_processes(work, jobs, params.readers, params.read_ahead) as ready:
            yield ready
    else:
        with made_ahead(map(work, jobs), params.read_ahead) as ready:
            yield ready


def read_step(system: System, examples: Examples, job: tuple[int, Sequence[Numbers]]) -> list[Batch]:
    """The batches of a step from their examples' numbers, each cut into this process's parts and read."""
    step, batches = job
    return [read_batch(system, examples.batch(numbers), step) for numbers in batches]


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
    with ThreadPoolExecutor(1, "read-ahead") as worker:
        # Each makes a list of one item; an empty one is the end.
        begun = deque(worker.submit(list, islice(items, 1)) for _ in range(depth))

        def taken() -> Iterator[Item]:
            while made := begun.popleft().result():
                begun.append(worker.submit(list, islice(items, 1)))
                yield from made

        try:
            yield taken()
        finally:
            for each in begun:
                each.cancel()


@contextmanager
def made_by_processes(
    work: Callable[[Job], Item], jobs: Iterator[Job], processes: int, depth: int
) -> Iterator[Iterator[Item]]:
    """``work`` of each job, in order, by processes: each has one, and ``depth`` more are begun.

    The processes are forked, so ``work`` may hold what cannot be pickled, such as a model on a GPU; it must
    not touch the GPU. Jobs and results are pickled. An error of ``work`` is raised where its item is asked
    for. Leaving waits for the jobs begun. Raises SynsemError where a process dies or cannot be forked.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        raise SynsemError("train.readers: this system cannot fork processes; set 0, which is a thread")
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(work,)) as pool:
        begun: deque[Future[Item]] = deque()

        def submit() -> None:
            for job in islice(jobs, 1):
                begun.append(pool.submit(_do, job))

        # tokenizers has no threads after a fork, and warns of it unless it is told so.
        with environment({"TOKENIZERS_PARALLELISM": "false"}):
            submit()  # which forks them all
        for _ in range(processes - 1 + depth):
            submit()

        def taken() -> Iterator[Item]:
            while begun:
                try:
                    item = begun.popleft().result()
                    submit()
                except BrokenProcessPool as error:
                    raise SynsemError(
                        "train: a process that reads examples was killed (out of memory?); "
                        "run again with fewer train.readers"
                    ) from error
                yield item

        try:
            yield taken()
        finally:
            for each in begun:
                each.cancel()


_work: Callable[[Any], Any]  # of a reading process


def _begin(work: Callable[[Any], Any]) -> None:
    """Start a reading process."""
    global _work
    follow_parent()
    torch.set_num_threads(1)  # OpenMP's threads are not there after a fork
    _work = work


def _do(job: Any) -> Any:
    return _work(job)
