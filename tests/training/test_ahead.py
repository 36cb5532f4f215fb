"""Reading ahead of the step changes nothing but the time."""

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import Batch, System
from pipeline.training.ahead import made_ahead, made_by_processes, read_batch
from pipeline.training.checkpoint import Checkpoints
from pipeline.training.examples import Examples
from pipeline.training.loop import forward_backward, train

Build = Callable[..., System]
WORKER = "read-ahead"
# By system: what has its reading depend on the step, or meet more of the code.
CHANGES: dict[str, dict[str, Any]] = {"synsem": {"links_first": 0.25, "steps": 1.0}, "sscp": {"late": 0.3}}
READERS = ["synsem", "sscp", "simcse", "upos"]


@pytest.fixture
def build(params: Path, triplets: Path) -> Build:
    def make(name: str, **changed: Any) -> System:
        sections = load(params, "encoder", "train", name)
        own = getattr(sections, name).model_copy(update=CHANGES.get(name, {}))
        torch.manual_seed(3)
        settings = sections.train.model_copy(update=changed)
        system = registry.create(name, sections.encoder, settings, own)
        system.prepare(Examples(triplets, "train").anchors())
        return system

    return make


class Watched(Examples):
    """Notes which threads read."""

    threads: set[str]

    def batch(self, numbers: Any) -> Batch:
        self.threads.add(threading.current_thread().name.split("_")[0])
        return super().batch(numbers)


def weights(
    system: System,
    triplets: Path,
    checkpoints: Checkpoints = Checkpoints(Path("none"), math.inf),  # noqa: B008 - nothing is kept in it
    log: Callable[[int, dict[str, float]], None] = lambda step, values: None,
) -> tuple[dict[str, torch.Tensor], set[str]]:
    """The weights after training, and the threads that read training examples."""
    examples = Watched(triplets, "train")
    examples.threads = set()
    train(system, examples, Examples(triplets, "dev"), 13, checkpoints, log)
    return system.state_dict(), examples.threads


def assert_same(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert found.keys() == expected.keys()
    assert [name for name in expected if not torch.equal(found[name], expected[name])] == []


def workers() -> list[Any]:
    """Threads and processes that read ahead."""
    threads = [each for each in threading.enumerate() if each.name.startswith(WORKER)]
    return [*threads, *multiprocessing.active_children()]


@pytest.mark.parametrize(
    ("name", "changed"),
    [("synsem", {}), ("synsem", {"chunk": 3, "accumulate": 2}), ("sscp", {"chunk": 3}), ("simcse", {})],
)
def test_a_model_has_the_same_bytes_however_far_ahead_it_was_read(
    name: str, changed: dict[str, Any], build: Build, triplets: Path
) -> None:
    expected, threads = weights(build(name, read_ahead=0, **changed), triplets)
    assert threads == {"MainThread"}
    for depth in (1, 3):
        found, threads = weights(build(name, read_ahead=depth, **changed), triplets)
        assert threads == {WORKER}
        assert_same(found, expected)
    assert workers() == []


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("synsem", {"chunk": 3, "accumulate": 2}),
        ("sscp", {"read_ahead": 0}),
        ("upos", {}),
        ("cssl", {"read_ahead": 3}),
    ],
)
def test_a_model_has_the_same_bytes_whatever_processes_read_it(
    name: str, changed: dict[str, Any], build: Build, triplets: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    expected, _ = weights(build(name, **changed | {"read_ahead": 0}), triplets)
    for readers in (1, 2):
        found, threads = weights(build(name, readers=readers, **changed), triplets)
        assert threads == set()  # of this process, none read an example
        assert_same(found, expected)
    assert workers() == []
    assert "fork" not in capfd.readouterr().err  # of which tokenizers warns where it has threads
    assert "TOKENIZERS_PARALLELISM" not in os.environ


@pytest.mark.parametrize(("name", "readers"), [("synsem", 0), ("simcse", 0), ("synsem", 2)])
def test_a_run_that_was_stopped_by_ctrl_c_continues_to_the_same_bytes(
    name: str, readers: int, build: Build, triplets: Path, tmp_path: Path
) -> None:
    def interrupt(step: int, values: dict[str, float]) -> None:
        if step == 7 and "train/loss" in values:
            assert workers()
            raise KeyboardInterrupt

    expected, _ = weights(build(name, read_ahead=0), triplets)
    with pytest.raises(KeyboardInterrupt):
        weights(build(name, read_ahead=2, readers=readers), triplets, Checkpoints(tmp_path, 0), interrupt)
    assert workers() == []
    resumed: list[int] = []
    found, _ = weights(
        build(name, read_ahead=1), triplets, Checkpoints(tmp_path, 1e9), lambda step, _: resumed.append(step)
    )
    assert resumed[0] == 0  # the curves so far are logged again
    assert_same(found, expected)


@pytest.mark.parametrize("readers", [0, 2])
def test_an_error_of_the_reader_keeps_its_sentence_and_ends_the_readers(
    readers: int, build: Build, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, real = build("simcse", read_ahead=2, readers=readers), build("simcse").read

    def read(batch: Batch, step: int | None) -> Any:
        if step == 5:
            raise SynsemError("x: text and words disagree; mine them again")
        return real(batch, step)

    monkeypatch.setattr(system, "read", read)
    losses: list[int] = []

    def log(step: int, values: dict[str, float]) -> None:
        if "train/loss" in values:
            losses.append(step)

    with pytest.raises(SynsemError, match=r"^x: text and words disagree; mine them again$"):
        weights(system, triplets, log=log)
    assert losses == [1, 2, 3, 4]  # the fifth was launched, and not yet read
    assert workers() == []


def test_no_more_is_made_than_asked_for_and_nothing_after_leaving() -> None:
    made: list[int] = []
    begun, go_on = threading.Semaphore(0), threading.Semaphore(0)

    def numbers() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            begun.release()
            assert go_on.acquire(timeout=20)
            yield number

    with made_ahead(numbers(), 2) as items:
        assert begun.acquire(timeout=20)
        assert made == [0]  # before anything was asked for
        go_on.release(3)
        assert [next(items), next(items)] == [0, 1]
        for _ in range(3):
            assert begun.acquire(timeout=20)
        assert made == [0, 1, 2, 3]
        go_on.release()  # the item in the making is waited for; the one after it is not begun
    assert len(made) <= 5
    assert workers() == []
    with made_ahead(iter(range(5)), 3) as items:
        assert list(items) == [0, 1, 2, 3, 4]
    with made_ahead(iter("ab"), 0) as items:
        assert list(items) == ["a", "b"]


def square(number: int) -> int:
    """Slow for small numbers, so that later ones are done first."""
    time.sleep(0.2 / (1 + number))
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_processes_are_a_job_each_and_a_depth_ahead_and_keep_the_order() -> None:
    asked: list[int] = []

    def jobs(end: int) -> Iterator[int]:
        for number in range(end):
            asked.append(number)
            yield number

    with made_by_processes(square, jobs(6), 2, 1) as items:
        assert asked == [0, 1, 2]
        assert next(items) == 0
        assert asked == [0, 1, 2, 3]
        assert list(items) == [1, 4, 9, 16, 25]
    assert workers() == []
    with made_by_processes(square, iter(range(2)), 3, 5) as items:
        assert list(items) == [0, 1]


def test_a_reader_that_is_killed_is_named_with_a_remedy() -> None:
    with (
        pytest.raises(SynsemError, match=r"^train: a process .* run again with fewer train\.readers$"),
        made_by_processes(square, iter(range(9)), 2, 1) as items,
    ):
        list(items)
    assert workers() == []


def test_readers_that_are_killed_between_two_steps_are_named_with_a_remedy() -> None:
    with (
        pytest.raises(SynsemError, match=r"^train: a process .* run again with fewer train\.readers$"),
        made_by_processes(square, iter(range(6)), 1, 2) as items,
    ):
        next(items)
        time.sleep(0.5)  # the next two are done
        (reader,) = multiprocessing.active_children()
        reader.kill()
        time.sleep(0.5)
        next(items)  # is there, but none can follow


def test_where_processes_cannot_be_forked_the_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    with pytest.raises(SynsemError, match=r"train\.readers"), made_by_processes(square, iter(()), 1, 1):
        pass


def test_readers_end_when_a_run_is_killed(tmp_path: Path) -> None:
    code = """
import os, time
from pathlib import Path
from pipeline.training.ahead import made_by_processes

def work(number):
    Path(f"{number}.pid").write_text(str(os.getpid()))
    time.sleep(60 if number else 0)

with made_by_processes(work, iter(range(3)), 2, 1) as items:
    next(items)
    print("begun", flush=True)
    next(items)
"""
    run = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    assert run.stdout.readline() == "begun\n"
    wait_until(lambda: len(list(tmp_path.glob("*.pid"))) == 3)
    readers = {int(path.read_text()) for path in tmp_path.glob("*.pid")}
    assert len(readers) == 2
    run.kill()
    run.wait()
    wait_until(lambda: not any(alive(each) for each in readers))


def test_ctrl_c_reaches_readers_too_and_is_left_to_their_parent(tmp_path: Path) -> None:
    code = """
import signal, time
from pipeline.training.ahead import made_by_processes

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs in the background

def work(number):
    time.sleep(0.3 if number < 2 else 2)

with made_by_processes(work, iter(range(3)), 2, 1) as items:
    next(items)
    next(items)  # both have worked, and one is idle
    print("begun", flush=True)
    next(items)
"""
    run = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert run.stdout is not None
    assert run.stdout.readline() == "begun\n"
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=30)
    assert said.count("Traceback") == 1
    assert said.rstrip().endswith("KeyboardInterrupt")


def test_a_reader_has_one_thread() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with made_by_processes(lambda _: torch.get_num_threads(), iter(range(2)), 1, 1) as items:
            assert list(items) == [1, 1]
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def alive(process: int) -> bool:
    """Whether a process still runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(true: Callable[[], bool]) -> None:
    for _ in range(300):
        if true():
            return
        time.sleep(0.1)
    pytest.fail("in vain for 30 seconds")


@pytest.mark.parametrize("chunk", [None, 5])
@pytest.mark.parametrize("name", [*READERS, "parabart"])
def test_what_was_read_ahead_is_what_encode_reads(
    name: str, chunk: int | None, build: Build, triplets: Path
) -> None:
    step = 5
    system, batch = build(name, chunk=chunk), Examples(triplets, "train").batch(range(12))
    state = torch.get_rng_state()
    ready = read_batch(system.eval(), batch, step)
    assert torch.equal(torch.get_rng_state(), state)
    assert [len(part.anchors) for part in ready.parts] == ([12] if chunk is None else [5, 5, 2])
    assert all((part.reading is not None) == (name in READERS) for part in ready.parts)
    system.begin_training()
    system.begin_step(step)
    found = []
    for each in (batch, ready, replace(ready, anchors=())):  # the parts are read, not the batch again
        torch.manual_seed(1)
        found.append(forward_backward(system.train(), each)["loss"])
    assert found[0] == found[1] == found[2]
