"""A function over shards: the same bytes with any number of workers, and after a kill."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.core import parallel, store
from pipeline.core.errors import SynsemError
from tests.counting import TASKS, Square, crash, device, digests, mapped, marked, run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


def numbers(folder: Path) -> list[int]:
    return [row["number"] for row in store.rows(folder)]


def test_workers_change_no_byte(scratch: Path, marks: Path, tmp_path: Path) -> None:
    for workers in (1, 2):
        counts = mapped(Square(marks), tmp_path / str(workers), workers=workers)
        assert counts == {"rows": 7, "sum": 21}
    assert [row["square"] for row in store.rows(tmp_path / "1")] == [n * n for n in TASKS]
    assert digests(tmp_path / "1") == digests(tmp_path / "2")
    assert not list(scratch.rglob("*.arrow"))


@pytest.mark.parametrize("workers", [1, 2])
def test_finished_shards_outlive_a_failure(scratch: Path, marks: Path, tmp_path: Path, workers: int) -> None:
    with pytest.raises(SynsemError, match="task 3: cannot be squared"):
        mapped(Square(marks, fails_at=3), tmp_path / "out", workers=workers)
    assert not (tmp_path / "out").exists()
    mapped(Square(marks), tmp_path / "other", key="other", workers=1)
    mapped(Square(marks), tmp_path / "out", workers=1)
    assert marked(marks)[0] == 2  # once for each key
    assert numbers(tmp_path / "out") == TASKS


def test_an_error_of_the_block_keeps_the_shards(scratch: Path, marks: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError), parallel.map_shards(Square(marks), TASKS, key="k", label="test", workers=1):
        raise OSError("the disk is full")
    [broken, *_] = sorted(scratch.rglob("*.arrow"))
    broken.write_bytes(broken.read_bytes()[:100])  # as a power cut may leave it
    mapped(Square(marks), tmp_path / "out", workers=1)
    assert marked(marks) == dict.fromkeys(TASKS, 1) | {0: 2}
    assert numbers(tmp_path / "out") == TASKS


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, marks: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "SYNSEM_SCRATCH": str(tmp_path / "scratch")}
    process = subprocess.Popen(run(marks, tmp_path / "out", 0.4), env=environment)
    home = tmp_path / "scratch" / "test" / "k"
    deadline = time.monotonic() + 60
    while len(list(home.glob("part-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.3)  # the workers see that their parent is gone, and exit
    kept = {int(path.stem.removeprefix("part-")) for path in home.glob("part-*")}
    assert 2 <= len(kept) < len(TASKS)
    before = marked(marks)
    time.sleep(1.0)
    assert marked(marks) == before  # no worker goes on
    subprocess.run(run(marks, tmp_path / "out"), env=environment, check=True)
    assert all(marked(marks)[number] == 1 for number in kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.core.parallel.ROOT", tmp_path / "scratch2")
        mapped(Square(marks), tmp_path / "whole", workers=1)
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def test_files_end_at_a_size(scratch: Path, marks: Path, tmp_path: Path, monkeypatch) -> None:
    mapped(Square(marks), tmp_path / "one", workers=1)
    monkeypatch.setattr(parallel, "FILE_BYTES", 1)
    mapped(Square(marks), tmp_path / "many", workers=1)
    assert len(store.shards(tmp_path / "one")) == 1
    assert len(store.shards(tmp_path / "many")) == len(TASKS)
    assert store.read(tmp_path / "one").equals(store.read(tmp_path / "many"))
    ranges = [[part.read() for part in store.slices(tmp_path / name, 10)] for name in ("one", "many")]
    assert ranges[0] == ranges[1]


def test_a_dead_worker_is_one_sentence(scratch: Path, tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match="fewer --workers"):
        mapped(crash, tmp_path / "out", workers=2)


@pytest.mark.parametrize(("visible", "own"), [("", {"0", "1"}), ("GPU-8a1f,5,6", {"GPU-8a1f", "5"})])
def test_each_process_has_a_gpu(
    visible: str, own: set[str], scratch: Path, tmp_path: Path, monkeypatch
) -> None:
    """One of those that this process may use: a scheduler such as Slurm gives a job some of a node's."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    mapped(device, tmp_path / "out", workers=5, gpus=2)
    assert {row["device"] for row in store.rows(tmp_path / "out")} == own
    assert os.environ["CUDA_VISIBLE_DEVICES"] == visible


@pytest.mark.parametrize(("variable", "value"), [("SYNSEM_ENGINE", "spark"), ("SYNSEM_WORKERS", "0")])
def test_impossible_settings(variable: str, value: str, marks: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SynsemError):
        mapped(Square(marks), tmp_path / "out")
    assert not list(marks.iterdir())


def test_a_column_of_few_shards_is_null_elsewhere(scratch: Path, tmp_path: Path) -> None:
    def work(task: int):
        columns = {"number": [task]} | ({"tree": ["(S)"]} if task == 1 else {})
        return pa.table(columns), {}

    mapped(work, tmp_path, tasks=[0, 1], workers=1)
    assert store.read(tmp_path).to_pylist() == [{"number": 0, "tree": None}, {"number": 1, "tree": "(S)"}]


def test_the_key_follows_inputs_parameters_and_code(tmp_path: Path, monkeypatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("text")
    two.write_text("text")
    key = parallel.scratch_key
    same = key([one], "model 1", 3)
    assert same == key([two], "model 1", 3)  # by content, not by place
    others = {key([one, two], "model 1", 3), key([one], "model 2", 3), key([one], "model 1", 4), key([one])}
    two.write_text("text!")
    others.add(key([two], "model 1", 3))
    monkeypatch.setattr(parallel, "code_digest", lambda: "other code")
    others.add(key([one], "model 1", 3))
    assert len(others) == 6
    assert same not in others


def test_an_old_folder_of_another_run_goes(scratch: Path) -> None:
    """Never the run's own, nor what a user keeps in the folder that SYNSEM_SCRATCH names."""
    first, notes = parallel.scratch_folder("parse", "a" * 24), scratch / "parse" / "notes"
    notes.mkdir()
    month_ago = time.time() - 30 * 24 * 3600
    os.utime(notes, (month_ago, month_ago))
    for stage, key in (("augment", "b"), ("parse", "a"), ("augment", "b")):
        os.utime(first, (month_ago, month_ago))
        parallel.scratch_folder(stage, key * 24)
        assert first.exists()
    second = parallel.scratch_folder("parse", "b" * 24)
    assert sorted(scratch.glob("parse/*")) == [second, notes]
