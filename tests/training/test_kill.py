"""A real process, killed without warning again and again, against one that ran through."""

import os
import shutil
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from pipeline.core import scratch
from pipeline.core.schemas import TRIPLET
from pipeline.core.store import rows, sha256, write_rows
from tests.training.conftest import side
from tests.training.forked import context

SYSTEMS = {
    "sscp": {"chunk": 3, "accumulate": 2, "select": "triplet_accuracy"},
    "simcse": {},
    "parabart": {"steps": 10, "evaluate_every": 3},  # it takes twice as many
    "synsem": {},
}


def work(home: Path, system: str, name: str, errors: Path) -> None:
    """In the process to be killed: the stage, as the command line starts it."""
    descriptor = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(descriptor, 2)
    os.chdir(home)
    scratch.ROOT = home / "scratch"
    scratch.code_digest = lambda: "one"  # for all attempts, even where the code is edited meanwhile
    from stages.pretrain import main

    main(
        system, 13, home / "triplets", home / name, home / f"{name}-curves", home / "params.yaml",
        checkpoint_seconds=0.02,
    )  # fmt: skip


def start(home: Path, system: str, name: str) -> BaseProcess:
    process = context().Process(target=work, args=(home, system, name, home / f"{name}.log"))
    process.start()
    return process


def steps(home: Path, name: str) -> int:
    """How far the run is, by its curve."""
    curve = home / f"{name}-curves" / "plots" / "metrics" / "train" / "loss.tsv"
    try:
        return len(curve.read_text().splitlines()) - 1
    except FileNotFoundError:  # not yet, or the run that goes on is at it
        return 0


def kill_at(home: Path, process: BaseProcess, name: str, step: int) -> None:
    while steps(home, name) < step:
        assert process.is_alive(), (home / f"{name}.log").read_text()
        time.sleep(0.001)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


@pytest.fixture
def home(params: Path, triplets: Path, tmp_path: Path) -> Path:
    """A folder with params.yaml and triplets to run in."""
    shutil.copytree(triplets, tmp_path / "triplets")
    return tmp_path


def change(home: Path, **values: Any) -> None:
    content = yaml.safe_load((home / "params.yaml").read_text())
    content["train"] |= values
    (home / "params.yaml").write_text(yaml.safe_dump(content))


@pytest.mark.parametrize("system", SYSTEMS)
def test_killed_at_random_steps_a_run_ends_with_the_same_bytes(system: str, home: Path) -> None:
    change(home, **{"steps": 20, "evaluate_every": 5} | SYSTEMS[system])
    whole = start(home, system, "whole")
    whole.join()
    assert whole.exitcode == 0, (home / "whole.log").read_text()

    for step in sorted(np.random.default_rng().integers(2, 18, 3).tolist()):
        kill_at(home, start(home, system, "killed"), "killed", step)
        assert not (home / "killed").exists()
    last = start(home, system, "killed")
    last.join()
    log = (home / "killed.log").read_text()
    assert last.exitcode == 0, log
    assert "continues at step" in log

    for file in ("model.safetensors", "training.json", "sentence-transformer/model.safetensors"):
        assert sha256(home / "whole" / file) == sha256(home / "killed" / file)
    curves = sorted(path for path in (home / "whole-curves").rglob("*.*"))
    assert len(curves) >= 3
    for curve in curves:
        assert curve.read_bytes() == Path(str(curve).replace("whole-curves", "killed-curves")).read_bytes()
    assert not list((home / "scratch").rglob("*.safetensors"))


def test_changed_data_or_parameters_never_resume_an_old_checkpoint(home: Path) -> None:
    change(home, steps=40)

    def finish(name: str) -> str:
        process = start(home, "simcse", name)
        process.join()
        assert process.exitcode == 0, (home / f"{name}.log").read_text()
        return (home / f"{name}.log").read_text()

    kill_at(home, start(home, "simcse", "first"), "first", 10)
    assert len(list((home / "scratch").glob("*/*/checkpoint.safetensors"))) == 1
    change(home, tau=0.06)
    assert "continues" not in finish("other-parameter")
    change(home, tau=0.05)
    shard = sorted((home / "triplets").glob("*.arrow"))[-1]
    before = shard.read_bytes()
    content = list(rows(home / "triplets"))[-4:]
    content[-1] |= {"anchor": side("poet", "draws", "ship", "")}
    write_rows(shard, content, TRIPLET)
    assert shard.read_bytes() != before
    assert "continues" not in finish("other-data")
    shard.write_bytes(before)
    assert "continues" in finish("first")  # and all as it was, it is still there
