"""Work for the tests of worker processes, which must be able to import it, and maps of it."""

import os
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from pipeline.core.errors import SynsemError
from pipeline.core.parallel import join, map_shards
from pipeline.core.store import sha256

Made = tuple[pa.Table, Counter[str]]
TASKS = list(range(7))
RUN = """
import sys
from pathlib import Path
from tests.counting import Square, mapped
if __name__ == "__main__":
    marks, out, hold = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[4])
    mapped(Square(marks, float(sys.argv[3]), hold=hold), out, workers=2)
"""


@dataclass(frozen=True)
class Square:
    """Make a number and its square; leave a file in ``marks`` a call, wait, fail at ``fails_at``.

    It goes on waiting while there is a file ``hold``.
    """

    marks: Path
    seconds: float = 0.0
    fails_at: int = -1
    hold: Path | None = None

    def __call__(self, task: int) -> Made:
        (self.marks / f"{task}-{os.getpid()}-{time.monotonic_ns()}").touch()
        if task == self.fails_at:
            raise SynsemError(f"task {task}: cannot be squared")
        time.sleep(self.seconds)
        while self.hold is not None and self.hold.exists():
            time.sleep(0.05)
        return pa.table({"number": [task], "square": [task * task]}), Counter({"rows": 1, "sum": task})


def crash(task: int) -> Made:
    """End the process without a word, as one that is killed for its memory."""
    os._exit(1)


def device(task: int) -> Made:
    """Make a row with the name of the GPU that the process was given."""
    time.sleep(0.5)
    return pa.table({"device": [os.environ["CUDA_VISIBLE_DEVICES"]]}), Counter()


def mapped(work, out: Path, key: str = "k", tasks=TASKS, **settings) -> Counter[str]:
    """Run the work on the tasks, and join what it gives in a folder."""
    with map_shards(work, tasks, key=key, label="test", **settings) as made:
        return join(made, out)


def run(marks: Path, out: Path, seconds: float = 0.0, hold: Path = Path("none")) -> list[str]:
    """The command that squares the tasks in a process of its own."""
    script = out.with_name("run.py")
    script.write_text(RUN)
    return [sys.executable, *map(str, (script, marks, out, seconds, hold))]


def marked(marks: Path) -> Counter[int]:
    """How often ``Square`` was called for each task."""
    return Counter(int(path.name.split("-")[0]) for path in marks.iterdir())


def digests(folder: Path) -> list[tuple[str, str]]:
    """Name and sha256 of each file."""
    return [(path.name, sha256(path)) for path in sorted(folder.iterdir())]
