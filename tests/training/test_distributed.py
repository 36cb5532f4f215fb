"""Two processes against one with the joint batch: forked, and started by torchrun, as a user would."""

import os
import subprocess
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from pipeline.core.errors import SynsemError
from pipeline.training.distributed import average_gradients, gather_rows, process_group
from stages.pretrain import main as pretrain
from tests.training.forked import pair
from tests.training.two_processes import CASES, main

ROOT = Path(__file__).parent.parent.parent


def torchrun(*arguments: str, scratch: Path) -> subprocess.Popen[str]:
    environment = os.environ | {
        "PYTHONPATH": str(ROOT), "SYNSEM_SCRATCH": str(scratch), "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    return subprocess.Popen(
        [*command, *arguments], env=environment, cwd=scratch.parent, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_two_processes_give_the_loss_and_the_gradients_of_one(
    params: Path, triplets: Path, tmp_path: Path
) -> None:
    (tmp_path / "two").mkdir()
    (tmp_path / "one").mkdir()
    log = tmp_path / "log"
    processes = pair(main, params, triplets, tmp_path / "two", scratch=tmp_path / "scratch", log=log)
    main(params, triplets, tmp_path / "one")
    finish(processes, log)
    for case in CASES:
        expected = load_file(tmp_path / "one" / f"{case}-0.safetensors")
        assert any(name.startswith("gradient.") and value.any() for name, value in expected.items())
        for rank in (0, 1):
            found = load_file(tmp_path / "two" / f"{case}-{rank}.safetensors")
            assert found.keys() == expected.keys()
            for name in expected:
                torch.testing.assert_close(
                    found[name], expected[name], atol=1e-5, rtol=1e-5,
                    msg=lambda m, where=f"{case} {name}": f"{where}: {m}",
                )  # fmt: skip
    for rank in (0, 1):
        rows = load_file(tmp_path / "two" / f"rows-{rank}.safetensors")
        assert rows["uneven"].tolist() == [[0.0, 0.0]] * 3  # none from the second process
        assert rows["keys"].tolist() == [0, 1]
        assert rows["sums"].tolist() == [3.1 + 4.1, 1.0]
        assert rows["told"].tolist() == [1 / 3, 2.0**40 + 1]  # to the last bit


def test_what_processes_decide_by_is_not_read_from_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the device ``meta``, whose tensors have no values to read."""
    alone = {
        "is_initialized": lambda: True, "get_world_size": lambda: 1, "get_rank": lambda: 0,
        "all_gather": lambda found, own: found[0].copy_(own), "all_reduce": lambda *_: None,
    }  # fmt: skip
    for name, function in alone.items():
        monkeypatch.setattr(torch.distributed, name, function)
    there = torch.zeros(3, 2, device="meta", requires_grad=True)
    gathered = gather_rows({"rows": there})["rows"]
    gathered.sum().backward()
    assert gathered.shape == there.grad.shape == (3, 2)
    parameters = [torch.nn.Parameter(torch.zeros(2, device="meta")) for _ in range(2)]
    parameters[0].grad = torch.zeros(2, device="meta")
    average_gradients(parameters)
    assert parameters[0].grad.device.type == "meta"
    assert parameters[1].grad is None


def test_gpus_talk_by_nccl_and_cpus_by_gloo(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    monkeypatch.setattr(torch.distributed, "is_torchelastic_launched", lambda: True)
    monkeypatch.setattr(torch.distributed, "init_process_group", begun.append)
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: None)
    with process_group() as device:
        assert device == torch.device("cuda", 0)
    assert begun == ["cpu:gloo,cuda:nccl"]


def test_each_process_has_a_gpu_of_its_own_or_is_told_how_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen, ended = list[torch.device](), list[bool]()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(torch.distributed, "init_process_group", lambda _: None)
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: ended.append(True))
    monkeypatch.setenv("WORLD_SIZE", "3")
    for local in (0, 1):
        monkeypatch.setenv("LOCAL_RANK", str(local))
        with pytest.raises(ZeroDivisionError), process_group() as device:
            assert device == torch.device("cuda", local) == chosen[-1]
            raise ZeroDivisionError
        assert len(ended) == local + 1  # the group ends, even after an error
    monkeypatch.setenv("LOCAL_RANK", "2")
    with (
        pytest.raises(SynsemError, match="process 3 has no GPU of its own; start at most 2 with --nproc_per"),
        process_group(),
    ):
        pass
    assert len(chosen) == 2


def finish(processes: list[BaseProcess], log: Path) -> None:
    for process in processes:
        process.join()
        assert process.exitcode == 0, log.read_text()


@pytest.mark.slow
def test_killed_in_two_processes_a_run_ends_bit_equal_under_torchrun(
    params: Path, triplets: Path, tmp_path: Path
) -> None:
    """The run of torchrun goes on from the checkpoint of the forked ones that were killed."""
    options = ["sscp", 13, triplets, tmp_path / "whole", tmp_path / "whole-curves", params, 0.0]
    log, home = tmp_path / "log", tmp_path / "scratch"
    finish(pair(pretrain, *options, scratch=home, log=log), log)
    options[3:5] = [tmp_path / "killed", tmp_path / "killed-curves"]
    killed = pair(pretrain, *options, scratch=home, log=log)
    # In its place, and not in the folder where it is written: a kill at that moment leaves no checkpoint.
    while not list(home.glob("*/*/checkpoint.safetensors")):
        assert all(each.is_alive() for each in killed), log.read_text()
        time.sleep(0.01)
    for each in killed:
        each.kill()
    for each in killed:
        each.join()
    assert not (tmp_path / "killed").exists()
    again = torchrun(
        "-m", "stages.pretrain", "sscp", "13", "--triplets", str(triplets), "--params", str(params),
        "--out", str(tmp_path / "killed"), "--curves", str(tmp_path / "killed-curves"),
        "--checkpoint-seconds", "0", scratch=home,
    )  # fmt: skip
    errors = again.communicate(timeout=300)[1]
    assert again.returncode == 0, errors
    assert errors.count("continues at step") == 1  # said once, not by each process
    for file in ("model.safetensors", "training.json"):
        assert (tmp_path / "whole" / file).read_bytes() == (tmp_path / "killed" / file).read_bytes()
