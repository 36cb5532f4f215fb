"""Reading ahead of the step changes nothing but the time."""

import threading
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
from pipeline.training.ahead import made_ahead, read_batch
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
    checkpoints: Checkpoints | None = None,
    log: Callable[[int, dict[str, float]], None] = lambda step, values: None,
) -> tuple[dict[str, torch.Tensor], set[str]]:
    """The weights after training, and the threads that read training examples."""
    examples = Watched(triplets, "train")
    examples.threads = set()
    train(system, examples, Examples(triplets, "dev"), 13, checkpoints or Checkpoints(None), log)
    return system.state_dict(), examples.threads


def assert_same(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert found.keys() == expected.keys()
    assert [name for name in expected if not torch.equal(found[name], expected[name])] == []


def workers() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith(WORKER)]


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


@pytest.mark.parametrize("name", ["synsem", "simcse"])
def test_a_run_that_was_stopped_by_ctrl_c_continues_to_the_same_bytes(
    name: str, build: Build, triplets: Path, tmp_path: Path
) -> None:
    def interrupt(step: int, values: dict[str, float]) -> None:
        if step == 7 and "train/loss" in values:
            assert workers()
            raise KeyboardInterrupt

    expected, _ = weights(build(name, read_ahead=0), triplets)
    with pytest.raises(KeyboardInterrupt):
        weights(build(name, read_ahead=2), triplets, Checkpoints(tmp_path, 0), interrupt)
    assert workers() == []
    resumed: list[int] = []
    found, _ = weights(
        build(name, read_ahead=1), triplets, Checkpoints(tmp_path, 1e9), lambda step, _: resumed.append(step)
    )
    assert resumed[0] == 0  # the curves so far are logged again
    assert_same(found, expected)


def test_an_error_of_the_reader_keeps_its_sentence_and_ends_the_thread(
    build: Build, triplets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, real = build("simcse", read_ahead=2), build("simcse").read

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
