"""Tasks for the tests of worker processes, which must be able to import them."""

import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from pipeline.core.errors import SynsemError
from pipeline.core.store import write_rows

SCHEMA = pa.schema([("number", pa.int64()), ("square", pa.int64())])
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
