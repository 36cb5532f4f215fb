"""What the programs of this folder that time SynSem beside a peer have in common."""

import os
import platform
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from pipeline.core.store import write_json

FOLDER = Path(__file__).parent.parent / "reports" / "speed"


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


def medians(taken: Iterable[Seconds]) -> dict[str, float]:
    """The median of several rounds, by the clock and by the processor: a side of ``record``."""
    return Seconds(*map(median, zip(*taken, strict=True)))._asdict()


def means(taken: Iterable[Seconds]) -> dict[str, float]:
    """As ``medians``, of rounds whose work differs."""
    return Seconds(*map(fmean, zip(*taken, strict=True)))._asdict()


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
