"""Work for the worker tests: importable by the processes that they start."""

import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from pipeline.errors import SynsemError
from pipeline.store import write_rows

SCHEMA = pa.schema([("number", pa.int64()), ("square", pa.int64())])


@dataclass(frozen=True)
class Square:
    """Writes a number and its square; leaves a mark of each call in ``marks``, waits, fails where told to."""

    marks: Path
    seconds: float = 0.0
    fails_at: int = -1

    def __call__(self, task: int, path: Path) -> Counter[str]:
        (self.marks / f"{task}-{os.getpid()}-{time.monotonic_ns()}").touch()
        if task == self.fails_at:
            raise SynsemError(f"task {task}: cannot be squared")
        time.sleep(self.seconds)
        write_rows(path, [{"number": task, "square": task * task}], SCHEMA)
        return Counter({"kept.rows": 1, "kept.sum": task})


@dataclass(frozen=True)
class Device:
    """Writes which GPU the process was given."""

    def __call__(self, task: int, path: Path) -> Counter[str]:
        time.sleep(0.5)
        write_rows(path, [{"number": task, "square": int(os.environ["CUDA_VISIBLE_DEVICES"])}], SCHEMA)
        return Counter({"kept.rows": 1})
