"""The ordered map: the same bytes with any number of workers, any engine, and after any crash."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.core.workers import Processes, _run_on_node, default_workers, map_shards
from tests.counting import SCHEMA, TASKS, Device, Square, digests, marked, run, squares

ROOT = Path(__file__).parents[2]
LIBRARIES = """
import os, sys
from pathlib import Path
from pipeline.core.workers import Processes, map_shards
from tests.counting import Imported

def counted(name, processes):
    os.environ["SEEN"] = name
    out = Path(sys.argv[1]) / name
    work = Imported(("colorsys", "chunk"))
    return map_shards(work, [0, 1], out, key=name, workers=processes, label="modules")

if __name__ == "__main__":
    with Processes(2, libraries=["colorsys"]) as processes:
        kept = counted("first", processes)
    print(", ".join(f"{name}: {kept[f'kept.{name}']}" for name in ("colorsys", "chunk", "first")))
    print("second:", counted("second", 2)["kept.second"])
"""


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


def test_shards_are_in_order_and_counts_are_summed(scratch: Path, marks: Path, tmp_path: Path) -> None:
    counts = squares(marks, tmp_path / "out")
    assert [row["square"] for row in store.rows(tmp_path / "out")] == [n * n for n in TASKS]
    assert counts == {"kept.rows": 7, "kept.sum": 21}
    assert not list(scratch.rglob("*.arrow"))


def test_processes_write_the_same_bytes(scratch: Path, marks: Path, tmp_path: Path) -> None:
    squares(marks, tmp_path / "one")
    squares(marks, tmp_path / "two", workers=2)
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert len(digests(tmp_path / "one")) == 1  # small shards are one file


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_is_raised_nothing_is_published_and_finished_shards_are_kept(
    scratch: Path, marks: Path, tmp_path: Path, workers: int
) -> None:
    with pytest.raises(SynsemError, match="task 3: cannot be squared"):
        map_shards(
            Square(marks, fails_at=3), TASKS, tmp_path / "out", key="k", workers=workers, label="squares"
        )
    assert not (tmp_path / "out").exists()
    before = marked(marks)
    squares(marks, tmp_path / "out")
    assert marked(marks)[0] == before[0] == 1
    assert [row["number"] for row in store.rows(tmp_path / "out")] == TASKS


@pytest.mark.parametrize("option", [0, -1, None])
def test_no_process_does_no_work(
    scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: int | None
) -> None:
    if option is None:
        monkeypatch.setenv("SYNSEM_WORKERS", "0")
    with pytest.raises(SynsemError, match="processes do no work; give 1 or more, or leave it out"):
        map_shards(Square(marks), TASKS, tmp_path / "out", key="k", workers=option, label="squares")
    assert not (tmp_path / "out").exists()


def test_shards_of_another_key_are_never_taken(scratch: Path, marks: Path, tmp_path: Path) -> None:
    with pytest.raises(SynsemError):
        map_shards(Square(marks, fails_at=3), TASKS, tmp_path / "out", key="old", workers=1, label="squares")
    squares(marks, tmp_path / "out")
    assert marked(marks)[0] == 2


def test_shards_of_a_longer_run_before_are_removed(scratch: Path, marks: Path, tmp_path: Path) -> None:
    squares(marks, tmp_path / "out")
    map_shards(Square(marks), [5], tmp_path / "out", key="k", workers=1, label="squares")
    assert [row["number"] for row in store.rows(tmp_path / "out")] == [5]


def test_a_worker_that_is_killed_before_all_jobs_are_handed_out_is_one_clear_line(
    scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr(ProcessPoolExecutor, "submit", broken)
    with pytest.raises(SynsemError, match="a worker process was killed"):
        squares(marks, tmp_path / "out", workers=2)


def test_killed_in_the_middle_it_resumes_with_the_rest_and_the_same_bytes(
    tmp_path: Path, marks: Path
) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "SYNSEM_SCRATCH": str(tmp_path / "scratch")}
    process = subprocess.Popen(run(marks, tmp_path / "out", 0.4), env=environment)
    finished = tmp_path / "scratch" / "squares" / "k"
    deadline = time.monotonic() + 60
    while len(list(finished.glob("*.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.3)  # the workers see that their parent is gone, and exit
    kept = {int(path.stem) for path in finished.glob("*.json")}
    assert 2 <= len(kept) < len(TASKS)
    assert not (tmp_path / "out").exists()
    before = marked(marks)
    time.sleep(1.0)
    assert marked(marks) == before  # no worker goes on
    subprocess.run(run(marks, tmp_path / "out"), env=environment, check=True)
    assert all(marked(marks)[number] == 1 for number in kept)
    subprocess.run(
        run(marks, tmp_path / "whole"),
        env=environment | {"SYNSEM_SCRATCH": str(tmp_path / "scratch2")},
        check=True,
    )
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def test_maps_share_processes_until_they_are_ended(scratch: Path, marks: Path, tmp_path: Path) -> None:
    def processes(name: str) -> set[str]:
        found = {path.name.split("-")[1] for path in marks.iterdir() if path.name.startswith(name)}
        return found - {str(os.getpid())}

    with Processes(2) as shared:
        first = map_shards(
            Square(marks, 0.2), [0, 1, 2], tmp_path / "a", key="a", workers=shared, label="squares"
        )
        with pytest.raises(SynsemError, match="task 4: cannot be squared"):
            map_shards(
                Square(marks, fails_at=4), [4, 5], tmp_path / "b", key="b", workers=shared, label="squares"
            )
        last = map_shards(Square(marks), [6], tmp_path / "c", key="c", workers=shared, label="squares")
    assert first == {"kept.rows": 3, "kept.sum": 3}
    assert last == {"kept.rows": 1, "kept.sum": 6}
    own = processes("0") | processes("1") | processes("2")
    assert len(own) == 2
    assert processes("4") | processes("5") | processes("6") <= own
    assert processes("6")
    assert not [process for process in multiprocessing.active_children() if str(process.pid) in own]


@pytest.mark.parametrize("place", ["short", "long" * 25])
def test_processes_are_forked_from_one_that_has_imported_what_they_need(place: str, tmp_path: Path) -> None:
    """In a process of its own: here tests have their own list of imports.

    The path of a socket has at most 107 bytes, so where temporary files have a long one, none is forked.
    """
    script, temporary = tmp_path / "libraries.py", tmp_path / place
    script.write_text(LIBRARIES)
    temporary.mkdir()
    changes = {"PYTHONPATH": str(ROOT), "SYNSEM_SCRATCH": str(tmp_path / "scratch")}
    if place != "short":
        changes["TMPDIR"] = str(temporary)
    done = subprocess.run(
        [sys.executable, script, tmp_path],
        env=os.environ | changes,
        capture_output=True,
        text=True,
        check=True,
    )
    imported, later = done.stdout.splitlines()
    forked = sys.platform == "linux" and place == "short"
    assert imported == f"colorsys: {2 * forked}, chunk: 0, first: 2"
    assert later == "second: 2"  # the environment is the caller's of now


def test_every_process_gets_a_gpu_of_its_own(
    scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with Processes(5, gpus=2) as devices:
        map_shards(Device(), TASKS, tmp_path / "out", key="k", workers=devices, label="devices")
    assert {row["device"] for row in store.rows(tmp_path / "out")} == {"0", "1"}


def test_gpus_are_those_that_this_process_may_use(
    scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under Slurm, which gives a job some of a node's: the others belong to somebody else."""
    visible = "GPU-8a1f, 5,6"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with Processes(5, gpus=2) as devices:
        map_shards(Device(), TASKS, tmp_path / "out", key="k", workers=devices, label="devices")
    assert {row["device"] for row in store.rows(tmp_path / "out")} == {"GPU-8a1f", "5"}
    assert os.environ["CUDA_VISIBLE_DEVICES"] == visible


def test_an_unknown_engine_is_an_error(
    scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNSEM_ENGINE", "spark")
    with pytest.raises(SynsemError, match="choose local or ray"):
        squares(marks, tmp_path / "out")


def test_a_task_that_ray_gives_up_is_one_clear_sentence(
    scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a fourth node has died under it; with Ray's own classes, but no cluster."""
    ray = pytest.importorskip("ray", reason="ray is an optional extra and not installed")
    cancelled: list[str] = []
    running: list[str] = []

    def begin(*job: object) -> str:
        running.append(str(job[-1]))
        return running[-1]

    def wait(pending: list[str], num_returns: int = 1) -> tuple[list[str], list[str]]:
        for reference in pending[:num_returns]:
            running.remove(reference)
        return pending[:num_returns], pending[num_returns:]

    def get(references: list[str]) -> None:
        raise ray.exceptions.WorkerCrashedError

    monkeypatch.setenv("SYNSEM_ENGINE", "ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: True)
    monkeypatch.setattr(ray, "remote", lambda **_: lambda work: SimpleNamespace(remote=begin))
    monkeypatch.setattr(ray, "wait", wait)
    monkeypatch.setattr(ray, "get", get)
    monkeypatch.setattr(ray, "cancel", cancelled.append)
    with pytest.raises(
        SynsemError, match=r"Ray gave a task up \(WorkerCrashedError.*finished shards are kept"
    ):
        squares(tmp_path, tmp_path / "out")
    assert len(cancelled) == len(TASKS) - 1
    assert not running  # the next run may write where they did
    assert not (tmp_path / "out").exists()


def test_two_attempts_at_a_task_do_not_disturb_each_other(tmp_path: Path) -> None:
    """As where a node that Ray has given up for dead comes back while another works on its task."""
    rows, counts = tmp_path / "part-00000.arrow", tmp_path / "00000.json"
    batch = pa.RecordBatch.from_pylist([{"number": 1, "square": 1}], schema=SCHEMA)

    def work(again: bool, path: Path) -> Counter[str]:
        def batches() -> Iterator[pa.RecordBatch]:
            yield batch
            if again:
                _run_on_node(str(Path.cwd()), work, False, rows, counts)
            yield batch

        store.write_batches(path, SCHEMA, batches())
        return Counter({"kept.rows": 2})

    _run_on_node(str(Path.cwd()), work, True, rows, counts)
    assert store.read_file(rows).to_pylist() == [{"number": 1, "square": 1}] * 2
    assert store.read_json(counts) == {"kept.rows": 2}
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path not in (rows, counts)]


@pytest.mark.parametrize(("given", "variable"), [(0, None), (-2, None), (None, "0"), (None, "many")])
def test_no_worker_at_all_is_one_clear_sentence(
    marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: int | None, variable: str | None
) -> None:
    if variable is not None:
        monkeypatch.setenv("SYNSEM_WORKERS", variable)
    with pytest.raises(SynsemError, match=r"SYNSEM_WORKERS: .* 1 or more"):
        map_shards(Square(marks), TASKS, tmp_path / "out", key="none", workers=given, label="squares")
    assert not (tmp_path / "out").exists()
    assert not list(marks.iterdir())


def test_cores_are_counted_where_the_system_has_no_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS."""
    monkeypatch.delenv("SYNSEM_WORKERS", raising=False)
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    assert default_workers() == os.cpu_count()


@pytest.mark.parametrize(("workers", "jobs"), [(1, 3), (4, 1)])
def test_one_worker_or_one_job_starts_no_process(
    workers: int, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Processes, "_started", lambda self: pytest.fail("a process is started"))
    done: list[int] = []

    def work(task: int, path: Path) -> Counter[str]:
        done.append(task)
        return Counter()

    with Processes(workers) as processes:
        tasks = [(work, number, tmp_path / "rows", tmp_path / "counts.json") for number in range(jobs)]
        assert len(list(processes.run(tasks))) == jobs
    assert done == list(range(jobs))
