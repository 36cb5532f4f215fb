"""An ordered map over shards, on processes of one machine or on Ray; finished shards survive a crash.

Every task writes its own Arrow file, and no row goes from process to process. The files of the output are
joined from them (``units.py``). The number of workers and the engine change how long the work takes and never
a byte of what it writes.
"""

import multiprocessing
import multiprocessing.connection
import multiprocessing.context
import os
import shutil
import signal
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import cycle, islice
from pathlib import Path
from typing import Any, TypeVar

from pipeline.core import scratch
from pipeline.core.atomic import exclusive_lock
from pipeline.core.errors import SynsemError, to_install
from pipeline.core.progress import track
from pipeline.core.store import write_json
from pipeline.core.units import Units

Task = TypeVar("Task")
# Writes the task's rows to the path and returns what it counted (kept, dropped by reason).
Work = Callable[[Task, Path], Counter[str]]

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS")
_ATTEMPTS = "attempts"  # in the scratch folder: a folder for each attempt at a task on Ray


def default_workers() -> int:
    """SYNSEM_WORKERS, or the number of cores this process may use; SynsemError for what is no number."""
    given = os.environ.get("SYNSEM_WORKERS", "")
    if not given:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1  # macOS and Windows have no affinity
    if not given.isdecimal():
        raise SynsemError(f"SYNSEM_WORKERS: {given!r} is no number; set it to 1 or more, or not at all")
    return _checked(int(given))


def _checked(workers: int) -> int:
    if workers < 1:
        raise SynsemError(
            f"--workers, SYNSEM_WORKERS: {workers} processes do no work; give 1 or more, or leave it out"
        )
    return workers


def map_shards(
    work: Work[Task],
    tasks: Sequence[Task],
    out: Path,
    *,
    key: str,
    workers: "Processes | int | None",
    label: str,
) -> Counter[str]:
    """Run ``work(task, path)`` for each task; ``out`` gets what they wrote, in the order of the tasks.

    A task's shard is a record batch of a file, and a file is ``units.FILE_BYTES`` or a little more; only the
    last may be smaller.

    ``work`` must be picklable and write its file atomically (``store.write_rows``). ``key`` is the content
    key (``scratch.key``) under which finished shards survive a crash; one run at a time may use it.
    ``workers`` is a number of processes, None for the default, or ``Processes`` that several maps share.
    With ``SYNSEM_ENGINE=ray`` the tasks go to a cluster. Returns the sum of their counts. Raises what a task
    raises, once the running tasks have ended (Ray interrupts them), and SynsemError for fewer than one
    worker.
    """
    with joined_shards(work, tasks, out, key=key, workers=workers, label=label) as units:
        return units.publish()


@contextmanager
def joined_shards(
    work: Work[Task],
    tasks: Sequence[Task],
    out: Path,
    *,
    key: str,
    workers: "Processes | int | None",
    label: str,
) -> Iterator[Units]:
    """Do the work of ``map_shards``, but leave ``out`` as it is until ``publish`` of what is yielded.

    For a stage that replaces several folders or none. No other run may use the key until the block ends.
    """
    if not isinstance(workers, Processes):
        with (
            Processes(workers) as own,
            joined_shards(work, tasks, out, key=key, workers=own, label=label) as units,
        ):
            yield units
        return
    home = scratch.folder(label, key)
    with exclusive_lock(home):
        units = Units(home, out, len(tasks))
        units.join()  # what a run that was killed had finished
        jobs = [(work, tasks[number], *units.paths(number)) for number in units.missing]
        engine = os.environ.get("SYNSEM_ENGINE") or "local"
        if engine == "local":
            results = workers.run(jobs)
        elif engine == "ray":
            results = _on_ray(jobs, workers.gpus)
        else:
            raise SynsemError(f"SYNSEM_ENGINE: '{engine}' is no engine; choose local or ray")
        for _ in track(results, label, total=len(jobs), unit="shards"):
            units.join()
        # What nodes have left there that died.
        shutil.rmtree(home / _ATTEMPTS, ignore_errors=True)
        yield units


def _run(work: Work[Task], task: Task, path: Path, counts: Path) -> None:
    write_json(counts, work(task, path))  # the counts come last: where they are, the shard is complete


class Processes:
    """Worker processes for one map or several in turn, started when a map has work for two of them.

    So each loads its models once. A context manager, which ends them. ``workers`` is their number, None the
    default; with ``gpus`` each gets one of its own. ``libraries`` are modules that the work needs beside its
    own: on Linux all are imported once, by a process that the workers are forked from. Raises SynsemError for
    fewer than one worker.
    """

    def __init__(self, workers: int | None, gpus: int = 0, libraries: Sequence[str] = ()) -> None:
        workers = default_workers() if workers is None else _checked(workers)
        # A model that fills a GPU gains nothing from a second process on it.
        self.workers, self.gpus = min(workers, gpus or workers), gpus
        self._libraries = libraries
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self, jobs: Sequence[tuple[Any, ...]]) -> Iterator[None]:
        """Do the jobs, in this process where there is one or one worker; yields after each."""
        if self._pool is None and min(self.workers, len(jobs)) <= 1:
            for job in jobs:
                _run(*job)
                yield
            return
        # One thread in each worker: numeric libraries read these variables when they are loaded.
        with environment(dict.fromkeys(_THREAD_VARIABLES, "1")):
            self._pool = self._pool or self._started(jobs[0][0])
            pending: set[Future[None]] = set()
            try:
                pending.update(self._pool.submit(_run, *job) for job in jobs)
                while pending:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
                        yield
            except BrokenProcessPool as error:
                raise SynsemError(
                    "a worker process was killed (out of memory?); run again with fewer --workers: "
                    "finished shards are kept"
                ) from error
            finally:
                for future in pending:
                    future.cancel()
                wait(pending)

    def _started(self, work: Work[Any]) -> ProcessPoolExecutor:
        context = _context([work.__module__, *self._libraries])
        devices = context.SimpleQueue()
        for device in _visible_devices(self.workers) if self.gpus else []:
            devices.put(device)
        # Processes are started as jobs come, so never more than there are jobs.
        arguments = (dict(os.environ), devices if self.gpus else None)
        return ProcessPoolExecutor(self.workers, context, initializer=_begin, initargs=arguments)


def _context(libraries: list[str]) -> multiprocessing.context.BaseContext:
    """How to start processes: on Linux forked from one that has imported the libraries, else each anew.

    That one listens on a socket among the temporary files. Where there is no place for it, as where the name
    of their folder is too long, processes start anew, too.
    """
    # Elsewhere a process with such libraries cannot be relied on to fork.
    if sys.platform == "linux":
        from multiprocessing import forkserver

        forkserver.set_forkserver_preload(libraries)
        with suppress(OSError):
            forkserver.ensure_running()
            return multiprocessing.get_context("forkserver")
    return multiprocessing.get_context("spawn")


def _visible_devices(count: int) -> list[str]:
    """Names of ``count`` GPUs for CUDA_VISIBLE_DEVICES: those that this process may use, where it is told.

    They are numbers or UUIDs; a scheduler such as Slurm gives a job some of a node's.
    """
    given = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    return list(islice(cycle(given), count)) if given else [str(number) for number in range(count)]


def _begin(variables: Mapping[str, str], devices: Any) -> None:
    """Start a worker process, with a GPU of its own where there are any.

    The process that it was forked from may have begun in another environment than ``variables``.
    """
    follow_parent()
    os.environ.clear()
    os.environ.update(variables)
    if devices is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = devices.get()


def follow_parent() -> None:
    """Let this worker process leave Ctrl-C to its parent, and exit when that does, however it dies.

    Ctrl-C reaches the whole group, and a worker ends what it has begun. The workers of a killed run must not
    go on: they would write into the scratch folder of the next run.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with, args=(parent.sentinel,), daemon=True).start()


def _exit_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def _on_ray(jobs: Sequence[tuple[Any, ...]], gpus: int) -> Iterator[None]:
    """One Ray task a job. Every node must have the project's folder under the same path."""
    if not jobs:
        return
    try:
        import ray
    except ImportError as error:
        raise SynsemError(f"SYNSEM_ENGINE: ray is not installed; {to_install('ray')}") from error
    if not ray.is_initialized():
        library = str(Path(__file__).parents[__name__.count(".")])
        variables = dict.fromkeys(_THREAD_VARIABLES, "1") | {"PYTHONPATH": library}
        try:
            ray.init(address="auto", log_to_driver=False, runtime_env={"env_vars": variables})
        except ConnectionError as error:
            raise SynsemError(
                "SYNSEM_ENGINE: no Ray cluster found; start one with 'ray start --head' or set RAY_ADDRESS"
            ) from error
    task = ray.remote(num_cpus=1, num_gpus=1 if gpus else 0)(_run_on_node)
    pending = [task.remote(str(Path.cwd()), *job) for job in jobs]
    while pending:
        done, pending = ray.wait(pending)
        try:
            ray.get(done)
        except ray.exceptions.RayError as error:
            for reference in pending:
                ray.cancel(reference)
            # The next run may have the scratch folder only once none writes there.
            if pending:
                ray.wait(pending, num_returns=len(pending))
            if isinstance(error, ray.exceptions.RayTaskError):
                raise error.cause from error
            # Ray has tried again, three times, on the nodes that were left or came meanwhile.
            raise SynsemError(
                f"SYNSEM_ENGINE: Ray gave a task up ({type(error).__name__}: its processes or nodes died, out"
                " of memory?); give them more memory and run again: finished shards are kept"
            ) from error
        yield


def _run_on_node(folder: str, work: Work[Task], task: Task, path: Path, counts: Path) -> None:
    try:
        os.chdir(folder)  # paths in the job are relative to the project's folder
    except OSError as error:
        raise SynsemError(
            f"{folder}: not on this Ray node; share the project's folder among the nodes"
        ) from error
    # Ray gives a task to another node where one falls silent, which may then come back and end it, too.
    own = path.parent / _ATTEMPTS / uuid.uuid4().hex
    try:
        _run(work, task, own / path.name, own / counts.name)
        (own / path.name).replace(path)
        (own / counts.name).replace(counts)
    finally:
        shutil.rmtree(own, ignore_errors=True)


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Within, environment variables have these values, which processes started there inherit."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
