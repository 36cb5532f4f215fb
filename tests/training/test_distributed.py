"""Two processes against one with the joint batch."""

import multiprocessing
import os
import socket
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file, save_file

from pipeline.core.errors import SynsemError
from pipeline.nn.compute import one_thread
from pipeline.systems.base import registry
from pipeline.training import distributed
from pipeline.training.batches import Examples
from pipeline.training.distributed import process_group
from pipeline.training.loop import forward_backward, read
from stages import pretrain
from tests.training.conftest import settings_of

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent.parent
CASES: dict[str, tuple[str, int | None, int, dict[str, Any]]] = {  # system, chunk, examples, changes
    "sscp": ("sscp", None, 21, {"hard_negatives": True}),
    "sscp-chunks": ("sscp", 4, 21, {}),
    "simcse": ("simcse", None, 21, {}),
    "synsem": ("synsem", 4, 21, {}),
    "parabart": ("parabart", None, 21, {}),
    "parabart-adversary": ("parabart", 4, 21, {}),
    # One example, of which the first process has no part.
    "simcse-one": ("simcse", None, 1, {}),
    "parabart-one": ("parabart", None, 1, {}),
    "ebsim-one": ("ebsim", None, 1, {}),
    "upos-one": ("upos", None, 1, {}),
    "synsem-one": ("synsem", None, 1, {}),  # before the contrast
}


def write_gradients(params: Path, triplets: Path, out: Path) -> None:
    """Write this process's losses and gradients of one batch in each case."""
    with process_group():
        for case, (name, chunk, count, changed) in CASES.items():
            settings = settings_of(params, name, {"chunk": chunk}, **changed)
            torch.manual_seed(0)
            system = registry.create(name, settings.encoder, settings.train, settings.system).eval()
            if distributed.rank() > 0:  # the first process's weights are to win
                for parameter in system.parameters():
                    torch.nn.init.normal_(parameter)
            distributed.broadcast_weights(system)
            system.begin_training()
            step = 0 if case == "synsem-one" else 10**6
            system.begin_step(step)
            learner = system.adversary if case.endswith("adversary") else None
            batch = read(system, Examples(triplets, "train").batch(range(count)), step)
            losses = forward_backward(system, batch, learner=learner)
            distributed.average_gradients(list(system.parameters()))
            found = {f"loss.{name}": loss.detach().clone() for name, loss in losses.items()}
            found |= {name: p.grad for name, p in system.named_parameters() if p.grad is not None}
            save_file(found, out / f"{case}-{distributed.rank()}.safetensors")


def work(rank: str, port: str, params: Path, triplets: Path, out: Path) -> None:
    """Be one of two processes, with the variables of torchrun."""
    os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": port, "WORLD_SIZE": "2", "RANK": rank}
    torch.set_num_threads(1)
    write_gradients(params, triplets, out)


def test_two_processes_give_the_loss_and_the_gradients_of_one(
    params: Path, triplets: Path, tmp_path: Path
) -> None:
    (tmp_path / "two").mkdir()
    (tmp_path / "one").mkdir()
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = str(free.getsockname()[1])
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pipeline.training.loop", "transformers.models.bert.modeling_bert"])
    given = (port, params, triplets, tmp_path / "two")
    two = [context.Process(target=work, args=(rank, *given)) for rank in ("0", "1")]
    for process in two:
        process.start()
    with one_thread():  # as in the two, for sums in the same order
        write_gradients(params, triplets, tmp_path / "one")
    for process in two:
        process.join()
        assert process.exitcode == 0
    for case in CASES:
        expected = load_file(tmp_path / "one" / f"{case}-0.safetensors")
        assert any(value.any() for name, value in expected.items() if not name.startswith("loss"))
        for rank in (0, 1):
            found = load_file(tmp_path / "two" / f"{case}-{rank}.safetensors")
            assert found.keys() == expected.keys()
            for name in expected:
                torch.testing.assert_close(
                    found[name], expected[name], atol=1e-5, rtol=1e-5,
                    msg=lambda m, where=f"{case} {name}": f"{where}: {m}",
                )  # fmt: skip


def test_torchrun_is_given_what_the_stage_was(
    params: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = yaml.safe_load(params.read_text())
    values["train"]["processes"] = 2
    params.write_text(yaml.safe_dump(values))
    started: list[list[str]] = []
    monkeypatch.setattr("torch.distributed.run.main", started.append)
    pretrain.main("simcse", 13, tmp_path, params=params, checkpoint_seconds=5.0)
    [options] = started
    assert "--nproc-per-node=2" in options
    given = options[options.index("stages.pretrain") + 1 :]
    assert given == [
        "simcse",
        "13",
        f"--triplets={tmp_path}",
        f"--params={params}",
        "--checkpoint-seconds=5.0",
    ]
    monkeypatch.setenv("RANK", "1")  # one of those that it starts starts no others
    with pytest.raises(SynsemError, match=str(tmp_path)):
        pretrain.main("simcse", 13, tmp_path, params=params)
    assert len(started) == 1
