"""Run a function over shards of rows, in processes on this machine or on a Ray cluster beyond it.

No row travels between processes: a task names the rows it reads (``store.Slice``), and the process that works
on it writes what the function returns to an Arrow file of its own. These shards lie in a scratch folder until
the stage is complete, so a run after a kill makes only those that are missing. Neither the number of workers
nor the engine changes a byte.

A scratch folder is named by a digest of all that decides its content: the input files, the parameters and the
library's code. A run after a kill gets the same folder, and no other run ever does.
"""

from __future__ import annotations

import functools
import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.core import store
from pipeline.core.errors import SynsemError

if TYPE_CHECKING:
    import pyarrow as pa
    from pydantic import BaseModel

Item = TypeVar("Item")
Task = TypeVar("Task")
# Returns the rows made of a task, and counts (kept, dropped by reason).
Work = Callable[[Task], "tuple[pa.Table, Counter[str]]"]
_Job = tuple[Work[Any], Any, Path]

ROOT = Path(os.environ.get("SYNSEM_SCRATCH") or ".scratch")
_KEY_DIGITS = 24
_ABANDONED_AFTER = 7 * 24 * 3600.0  # seconds
FILE_BYTES = 128 * 2**20  # ``join`` ends a file with the shard that reaches them
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

shown_progress = True  # false: ``synsem --quiet``
_SECONDS_IN_LOG = 10.0  # before the first line of progress in a log, and between two of them


def track(
    items: Iterable[Item],
    label: str,
    total: int | None = None,
    note: Callable[[], object] | None = None,
    unit: str = "items",
) -> Iterator[Item]:
    """Yield the items and show how far the work is and, if the total is known, when it ends.

    ``total`` is the number of items, needed only if ``items`` has no length; ``unit`` is what they are, such
    as ``documents``. What ``note`` returns at that moment is shown with it.
    """
    from tqdm import tqdm

    wait = 0.0 if sys.stderr.isatty() else _SECONDS_IN_LOG
    pace = {"mininterval": wait or 0.1, "delay": wait}
    bar = tqdm(items, label, total, leave=False, unit=f" {unit}", disable=not shown_progress, **pace)
    for item in bar:
        yield item
        if note is not None:
            bar.set_postfix_str(str(note()), refresh=False)


@functools.cache
def code_digest(library: Path = Path(__file__).parents[1]) -> str:
    """Return a sha256 over the library's code and the lists that it reads, by relative path and content."""
    digest = hashlib.sha256()
    for path in sorted(library.rglob("*")):
        if path.suffix in (".py", ".tsv", ".yaml"):
            digest.update(str(path.relative_to(library)).encode() + path.read_bytes())
    return digest.hexdigest()


def scratch_key(inputs: Iterable[Path], *params: BaseModel | str | int) -> str:
    """Return a digest of input files, parameters and code: 24 hex characters."""
    values = [json.dumps(each) if isinstance(each, str | int) else each.model_dump_json() for each in params]
    facts = [code_digest(), *map(store.sha256, inputs), *values]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:_KEY_DIGITS]


def scratch_folder(stage: str, key: str) -> Path:
    """Return the scratch folder of a stage and key, created if absent; a week after its last use it goes."""
    home = ROOT / stage / key
    home.mkdir(parents=True, exist_ok=True)
    home.touch()
    for other in home.parent.glob("?" * _KEY_DIGITS):
        with suppress(FileNotFoundError):  # another process removes it as well
            if time.time() - other.stat().st_mtime > _ABANDONED_AFTER:
                shutil.rmtree(other)
    return home


def default_workers() -> int:
    """Return SYNSEM_WORKERS, or the number of cores that this process may use."""
    # macOS and Windows have no affinity.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(os.environ.get("SYNSEM_WORKERS") or cores)


@contextmanager
def map_shards(
    work: Work[Task],
    tasks: Sequence[Task],
    *,
    key: str,
    label: str,
    workers: int | None = None,
    gpus: int = 0,
) -> Iterator[list[Path]]:
    """Yield the shards of ``work(task)`` for each task, in order; they go when the block ends without error.

    ``work`` must be picklable. ``key`` is a digest of all that decides the shards (``scratch_key``); one run
    at a time may use it. ``workers`` is a number of processes, by default ``default_workers()``; with
    ``gpus`` there are at most so many, each with a GPU of its own. With ``SYNSEM_ENGINE=ray`` the tasks go to
    a cluster. Raises what ``work`` raises; the shards finished until then stay for the next run.
    """
    workers = default_workers() if workers is None else workers
    if workers < 1:
        raise SynsemError(f"workers must be at least 1 (got {workers})")
    engine = os.environ.get("SYNSEM_ENGINE") or "local"
    if engine not in ("local", "ray"):
        raise SynsemError(f"SYNSEM_ENGINE must be local or ray (got {engine!r})")
    home = scratch_folder(label, key)
    with store.exclusive_lock(home):
        paths = [store.shard_path(home, number) for number in range(len(tasks))]
        jobs = [(work, task, path) for task, path in zip(tasks, paths, strict=True) if not _is_whole(path)]
        # A model that fills a GPU gains nothing from a second process on it.
        count = min(workers, len(jobs), gpus or workers)
        done: Iterator[None] = map(_run, jobs)
        if jobs and engine == "ray":
            done = _on_ray(jobs, gpus)
        elif count > 1:
            done = _in_processes(jobs, count, gpus, work.__module__)
        for _ in track(done, label, total=len(jobs), unit="shards"):
            pass
        yield paths
        store.remove(home)


def join(paths: Sequence[Path], folder: Path) -> Counter[str]:
    """Write shards into ``part-*.arrow`` files of about ``FILE_BYTES``; return the sum of their counts.

    Each shard stays a record batch of its file, so that ``store.slices`` does not depend on their size.
    """
    counts: Counter[str] = Counter()
    some: list[pa.Table] = []
    size = number = 0
    for path in paths:
        table = store.read_file(path)
        counts.update(json.loads(table.schema.metadata[b"counts"]))
        some.append(table.replace_schema_metadata(None))
        size += path.stat().st_size
        if size >= FILE_BYTES or path is paths[-1]:
            store.write_table(store.shard_path(folder, number), store.combined(some))
            some, size, number = [], 0, number + 1
    return counts


def _run(job: _Job) -> None:
    work, task, path = job
    table, counts = work(task)
    labelled = table.replace_schema_metadata({"counts": json.dumps(counts)})
    store.write_table(path, labelled.combine_chunks())


def _is_whole(path: Path) -> bool:
    """Whether a shard is there and can be read; after a power cut it may be cut short."""
    with suppress(SynsemError):
        return store.read_file(path) is not None
    return False


def _in_processes(jobs: Sequence[_Job], count: int, gpus: int, module: str) -> Iterator[None]:
    """Run the jobs in worker processes; yields after each."""
    # Except on Linux, a process with such libraries cannot be relied on to fork.
    context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
    context.set_forkserver_preload([module])
    devices = context.SimpleQueue()
    names = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    for number in range(count):  # a GPU of those that this process may use
        devices.put("" if not gpus else names[number % len(names)] if names else str(number))
    outside = dict(os.environ)
    # Numeric libraries read these variables when they are loaded: in the fork server, or in the process.
    os.environ.update(ONE_THREAD)
    pool = ProcessPoolExecutor(count, context, initializer=_begin, initargs=(dict(os.environ), devices))
    try:
        for future in as_completed([pool.submit(_run, job) for job in jobs]):
            future.result()
            yield
    except BrokenProcessPool as error:
        raise SynsemError(
            "a worker process was killed (out of memory?); run again with fewer --workers:"
            " finished shards are kept"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)
        os.environ.clear()
        os.environ.update(outside)


def _begin(variables: Mapping[str, str], devices: Any) -> None:
    """Set up a worker process, which leaves Ctrl-C to its parent and exits when that does, however it dies.

    The workers of a killed run must not go on: they would write into the scratch folder of the next run.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent: Any = multiprocessing.parent_process()

    def exit_with_parent() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=exit_with_parent, daemon=True).start()
    os.environ.update(variables)
    if device := devices.get():
        os.environ["CUDA_VISIBLE_DEVICES"] = device


def _on_ray(jobs: Sequence[_Job], gpus: int) -> Iterator[None]:
    """Run the jobs on a Ray cluster, whose nodes share the project's folder under the same path."""
    import ray

    if not ray.is_initialized():
        variables = ONE_THREAD | {"PYTHONPATH": str(Path(__file__).parents[__name__.count(".")])}
        try:
            ray.init(address="auto", log_to_driver=False, runtime_env={"env_vars": variables})
        except ConnectionError as error:
            raise SynsemError(
                "SYNSEM_ENGINE: no Ray cluster found; start one with 'ray start --head' or set RAY_ADDRESS"
            ) from error
    folder = Path.cwd()

    @ray.remote(num_cpus=1, num_gpus=1 if gpus else 0)
    def run_there(job: _Job) -> None:
        os.chdir(folder)  # paths in the job are relative to the project's folder
        _run(job)

    pending = [run_there.remote(job) for job in jobs]
    try:
        while pending:
            done, pending = ray.wait(pending)
            ray.get(done)
            yield
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    finally:
        for reference in pending:
            ray.cancel(reference)
        if pending:  # the next run may have the scratch folder only once none of them writes there
            ray.wait(pending, num_returns=len(pending))
