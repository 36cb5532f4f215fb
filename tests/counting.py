"""Tasks for the tests of worker processes, which must be able to import them, and maps of them."""

import os
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from pipeline.core.errors import SynsemError
from pipeline.core.store import sha256, write_rows
from pipeline.core.workers import map_shards

SCHEMA = pa.schema([("number", pa.int64()), ("square", pa.int64())])
TASKS = list(range(7))
RUN = """
import sys
from pathlib import Path
from pipeline.core.workers import map_shards
from tests.counting import Square
if __name__ == "__main__":
    marks, out, hold = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[4])
    work = Square(marks, float(sys.argv[3]), hold=hold)
    map_shards(work, list(range(7)), out, key="k", workers=2, label="squares")
"""
_DEVICE = pa.schema([("number", pa.int64()), ("device", pa.string())])


@dataclass(frozen=True)
class Square:
    """Writes a number and its square; leaves a file in ``marks`` a call, waits, fails at ``fails_at``.

    It goes on waiting while there is a file ``hold``.
    """

    marks: Path
    seconds: float = 0.0
    fails_at: int = -1
    hold: Path | None = None

    def __call__(self, task: int, path: Path) -> Counter[str]:
        (self.marks / f"{task}-{os.getpid()}-{time.monotonic_ns()}").touch()
        if task == self.fails_at:
            raise SynsemError(f"task {task}: cannot be squared")
        time.sleep(self.seconds)
        while self.hold is not None and self.hold.exists():
            time.sleep(0.05)
        write_rows(path, [{"number": task, "square": task * task}], SCHEMA)
        return Counter({"kept.rows": 1, "kept.sum": task})


@dataclass(frozen=True)
class Crash:
    """Ends its process without a word, as one that is killed for its memory."""

    def __call__(self, task: int, path: Path) -> Counter[str]:
        os._exit(1)


@dataclass(frozen=True)
class Device:
    """Writes the name of the GPU that the process was given."""

    def __call__(self, task: int, path: Path) -> Counter[str]:
        time.sleep(0.5)
        write_rows(path, [{"number": task, "device": os.environ["CUDA_VISIBLE_DEVICES"]}], _DEVICE)
        return Counter({"kept.rows": 1})


@dataclass(frozen=True)
class Imported:
    """Counts the modules of these names that its process has imported, and what it finds in ``SEEN``."""

    names: tuple[str, ...]

    def __call__(self, task: int, path: Path) -> Counter[str]:
        found = Counter({f"kept.{name}": int(name in sys.modules) for name in self.names})
        write_rows(path, [{"number": task, "square": 0}], SCHEMA)
        return found + Counter({f"kept.{os.environ.get('SEEN')}": 1})


def squares(marks: Path, out: Path, workers: int = 1, **changes: object) -> Counter[str]:
    """Map ``TASKS`` to their squares."""
    return map_shards(Square(marks), TASKS, out, key="k", workers=workers, label="squares", **changes)


def run(marks: Path, out: Path, seconds: float = 0.0, hold: Path = Path("none")) -> list[str]:
    """The command that maps the tasks in a process of its own."""
    script = out.with_name("run.py")
    script.write_text(RUN)
    return [sys.executable, *map(str, (script, marks, out, seconds, hold))]


def marked(marks: Path) -> Counter[int]:
    """How often ``Square`` was called for each task."""
    return Counter(int(path.name.split("-")[0]) for path in marks.iterdir())


def digests(folder: Path) -> list[tuple[str, str]]:
    """Name and sha256 of each file."""
    return [(path.name, sha256(path)) for path in sorted(folder.iterdir())]
