"""What the programs of this folder that time SynSem beside a peer have in common."""

import multiprocessing
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple, TypeVar

from pipeline.core.errors import SynsemError
from pipeline.core.store import write_json

FOLDER = Path(__file__).parent.parent / "reports" / "speed"
Step = TypeVar("Step")
Sentence = Callable[[], Iterator[Step]]


class Seconds(NamedTuple):
    """What some work took."""

    seconds: float  # by the clock
    cpu_seconds: float  # of all threads of this process


class Stopwatch:
    """Time since it was made."""

    def __init__(self) -> None:
        self._began = Seconds(time.perf_counter(), time.process_time())

    def read(self) -> Seconds:
        """Seconds so far."""
        return Seconds(
            time.perf_counter() - self._began.seconds, time.process_time() - self._began.cpu_seconds
        )


def in_rounds(contenders: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[Seconds]]:
    """What each takes in each round; they take turns, so that other load on the machine slows all alike."""
    taken: dict[str, list[Seconds]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            began = Stopwatch()
            work()
            taken[name].append(began.read())
    return taken


def medians(taken: Iterable[Seconds]) -> dict[str, float]:
    """The median of several rounds, by the clock and by the processor: a side of ``record``."""
    return Seconds(*map(median, zip(*taken, strict=True)))._asdict()


def means(taken: Iterable[Seconds]) -> dict[str, float]:
    """As ``medians``, of rounds whose work differs."""
    return Seconds(*map(fmean, zip(*taken, strict=True)))._asdict()


def in_turns(sides: Mapping[str, Sentence[Step]], rounds: int, threads: int) -> dict[str, list[Step]]:
    """The first ``rounds`` items of each side; the sides take turns, each in a process of its own.

    A library keeps what it has made for a shape of matrices (oneDNN a kernel for each, in 16 bits). In one
    process the first side would make that for all. ``threads`` are torch's; a side can be pickled.
    """
    spawn = multiprocessing.get_context("spawn")  # a fork of a process whose torch has threads may hang
    with ExitStack() as running:
        pipes: dict[str, Connection] = {}
        for name, side in sides.items():
            pipes[name], theirs = spawn.Pipe()
            process = spawn.Process(target=_serve, args=(side, theirs, threads), daemon=True)
            process.start()
            running.callback(process.join)
            running.callback(pipes[name].close)
            theirs.close()
        found: dict[str, list[Step]] = {name: [] for name in sides}
        for _ in range(rounds):
            for name, pipe in pipes.items():
                try:
                    pipe.send(None)
                    found[name].append(pipe.recv())
                except (EOFError, BrokenPipeError):
                    raise SystemExit(f"{name}: its process has ended; its own message is above") from None
        return found


def _serve(side: Sentence[Step], asked: Connection, threads: int) -> None:
    import torch

    torch.set_num_threads(threads)
    steps = side()
    try:
        while True:
            asked.recv()
            asked.send(next(steps))
    except EOFError:  # all have been asked for
        pass
    except SynsemError as error:
        raise SystemExit(f"error: {error}") from None


def record(name: str, sides: Mapping[str, Mapping[str, float]], work: Mapping[str, Any], out: Path) -> None:
    """Write the measurements of one program: ``sides`` have ``seconds``, and what else the program knows.

    ``out`` is a folder; ``work`` says what was done, so that a reader can do it again.
    """
    machine = {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
    }
    rounded = {
        side: {key: float(f"{value:.4g}") for key, value in values.items()} for side, values in sides.items()
    }
    write_json(out / f"{name}.json", {"machine": machine, "work": dict(work), "sides": rounded})
    print(f"kept in {out / name}.json")


def _processor() -> str:
    """The model of the processor, or its kind of instructions."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
