"""A whole run: its curves, its model, what it refuses; and killed, that it ends with the same bytes."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.params import load
from pipeline.export.sentence_transformers import export
from pipeline.nn import compute as amp
from pipeline.systems.base import registry
from pipeline.training.batches import Examples
from pipeline.training.checkpoint import Checkpoints, Cost, Progress
from pipeline.training.loop import adamw, forward_backward
from pipeline.training.run import curves, pretrain
from tests.training.conftest import Build, nothing, settings_of

pytestmark = pytest.mark.slow
CPU = torch.device("cpu")
GOLDEN_DEV = [3.13725, 2.69720, 2.35721, 2.21413]
GOLDEN_TRAIN = [3.71576, 3.51813, 2.85201]


@pytest.fixture(scope="module")
def complete(triplets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small examples, each with a hard negative."""
    folder, rows = tmp_path_factory.mktemp("complete"), list(store.rows(triplets))
    with store.ShardWriter(folder, schemas.TRIPLET) as writer:
        for number, row in enumerate(rows):
            other = rows[(number + 7) % len(rows)]["positive"]
            writer.add(row | {"negatives": [other], "negative_kinds": ["later"]})
    return folder


class Killed(KeyboardInterrupt):
    """What stops a run in the middle of a step."""


@pytest.mark.parametrize("system", ["cssl", "parabart", "sscp", "upos"])
def test_a_killed_run_ends_with_the_same_bytes(
    system: str, complete: Path, params: Path, tmp_path: Path, scratch: Path
) -> None:
    """Killed twice; and the loss falls."""
    parse = load(params, "parse").parse

    def run(name: str, stop: int) -> None:
        def log(step: int, values: dict[str, float]) -> None:
            logged(step, values)
            if step == stop:
                raise Killed

        with curves(tmp_path / f"{name}-curves") as logged:
            pretrain(
                system, 13, complete, tmp_path / name, log, settings_of(params, system), 0,
                partial(export, parse=parse),
            )  # fmt: skip

    def files(name: str) -> dict[str, bytes]:
        folders = tmp_path / name, tmp_path / f"{name}-curves"
        paths = [(path, folder) for folder in folders for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path, folder in paths}

    run("whole", -1)
    for stop in (3, 8):
        with pytest.raises(Killed):
            run("killed", stop)
        assert not (tmp_path / "killed").exists()
    run("killed", -1)
    assert files("killed") == files("whole")
    assert not list(scratch.rglob("*.safetensors"))
    history = files("whole")["plots/metrics/dev/loss.tsv"].decode().splitlines()[1:]
    losses = [float(line.split("\t")[1]) for line in history]
    assert len(losses) == 4
    assert min(losses) < losses[0]
    assert registry.load(tmp_path / "whole").name == system


@pytest.mark.parametrize(("batch", "steps"), [(8, 15), (64, 2)])  # of 60 examples
def test_epochs_count_passes_over_the_examples(
    batch: int, steps: int, params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    settings = settings_of(params, "simcse", {"epochs": 2}, batch_size=batch)
    pretrain("simcse", 13, triplets, tmp_path / "out", lambda *_: None, settings)
    assert json.loads((tmp_path / "out" / "training.json").read_text())["steps"] == steps


def test_the_loss_curve_is_the_golden_one(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    found: dict[int, dict[str, float]] = {}
    pretrain(
        "sscp", 13, triplets, tmp_path / "out",
        lambda step, values: found.setdefault(step, {}).update(values), settings_of(params, "sscp"),
    )  # fmt: skip
    assert [found[step]["dev/loss"] for step in (0, 4, 8, 12)] == pytest.approx(GOLDEN_DEV, rel=1e-3)
    assert [found[step]["train/loss"] for step in (1, 5, 9)] == pytest.approx(GOLDEN_TRAIN, rel=1e-3)
    facts = json.loads((tmp_path / "out" / "training.json").read_text())
    assert facts["best_dev_loss"] == min(values.get("dev/loss", 9.9) for values in found.values())
    assert (facts["steps"], facts["examples"]) == (12, {"train": 60, "dev": 12})


def test_another_parameter_or_example_is_another_run(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    def run(data: Path, **changed: float) -> int:
        """The first step that is logged anew, before the run is killed."""
        steps: list[int] = []

        def log(step: int, values: dict[str, float]) -> None:
            steps.append(step)
            if len(steps) == 6:
                raise Killed

        with pytest.raises(Killed):
            pretrain("simcse", 13, data, tmp_path / "out", log, settings_of(params, "simcse", changed), 0)
        return len(list(scratch.rglob("checkpoint.safetensors")))

    other = shutil.copytree(triplets, tmp_path / "other")
    sorted(other.glob("*.arrow"))[-1].unlink()
    assert run(triplets) == run(triplets) == 1
    assert run(triplets, tau=0.06) == 2
    assert run(other) == 3


def test_a_checkpoint_keeps_the_loss_scale_and_the_cost(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amp, "effective_precision", lambda device, kind: kind)
    system = build()
    scaler, other = (amp.grad_scaler(CPU, "fp16") for _ in range(2))
    scaler.scale(torch.zeros(1))
    scaler.update(2.0**9)
    progress = Progress(step=5, cost=Cost(seconds=3.0, tokens=5))
    Checkpoints(tmp_path, 0).save_if_due(progress, system, adamw(system), scaler)
    assert Checkpoints(tmp_path).restore(system, adamw(system), other) == progress
    assert other.state_dict() == scaler.state_dict()


def test_early_stopping_keeps_the_best_weights(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    # A rate that only destroys.
    settings = settings_of(params, "simcse", {"evaluate_every": 1, "patience": 2}, learning_rate=3.0)
    pretrain("simcse", 13, triplets, tmp_path / "out", nothing, settings)
    facts = json.loads((tmp_path / "out/training.json").read_text())
    assert (facts["best_step"], facts["steps"]) == (0, 2)
    untrained = registry.create("simcse", settings.encoder, settings.train, settings.system).state_dict()
    saved = load_file(tmp_path / "out" / "model.safetensors")
    assert all(torch.equal(saved[name], value) for name, value in untrained.items())


def test_a_loss_that_is_not_finite_is_an_error_and_nothing_is_written(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    settings = settings_of(params, "simcse", {"patience": 99}, learning_rate=1e30)
    with pytest.raises(SynsemError, match="finite"):
        pretrain("simcse", 13, triplets, tmp_path / "out", nothing, settings)
    assert not (tmp_path / "out").exists()


def test_a_system_of_whole_batches_is_refused_before_it_replaces_the_curves(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    folder = tmp_path / "curves"
    with curves(folder) as log:
        log(0, {"dev/loss": 2.0})
    before = (folder / "metrics.json").read_bytes()
    with pytest.raises(SynsemError, match="cssl"), curves(folder) as log:
        pretrain("cssl", 13, triplets, tmp_path / "out", log, settings_of(params, "cssl", {"chunk": 4}))
    assert (folder / "metrics.json").read_bytes() == before


def test_curves_are_a_table_a_value_and_the_last_values(tmp_path: Path) -> None:
    folder = tmp_path / "curves"
    (folder / "plots").mkdir(parents=True)
    (folder / "plots" / "old.tsv").write_text("of an earlier run")
    with curves(folder) as log:
        log(0, {"dev/loss": 2.0})
        log(1, {"train/loss": 1.5, "train/rate": 1e-05})
        log(2, {"train/loss": 1.25})
    home = folder / "plots" / "metrics"
    files = {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*.tsv")}
    assert files == {
        "dev/loss.tsv": b"step\tloss\n0\t2.0\n",
        "train/loss.tsv": b"step\tloss\n1\t1.5\n2\t1.25\n",
        "train/rate.tsv": b"step\trate\n1\t1e-05\n",
    }
    assert not (folder / "plots" / "old.tsv").exists()
    expected = {"dev": {"loss": 2.0}, "train": {"loss": 1.25, "rate": 1e-05}, "step": 2}
    assert json.loads((folder / "metrics.json").read_text()) == expected


def test_cost_counts_tokens_padding_and_time(build: Build, triplets: Path) -> None:
    system, batch = build(), Examples(triplets, "train").batch(range(16))
    sentences = [*batch.anchors, *batch.positives, *batch.negatives]
    lengths = [len(each.ids) for each in system.tokenizer.encode(sentences, trees=False)]
    cost = Cost()
    system.tokenizer.pad(system.tokenizer.encode(sentences))  # outside of a step: not counted
    with cost.step(system.tokenizer, batch):
        forward_backward(system, batch)
    table = cost.table(CPU)
    assert (table["tokens"], table["examples"]) == (sum(lengths), 16)
    assert table["padding"] == pytest.approx(1 - cost.tokens / cost.padded_tokens)
    assert table["tokens_per_second"] == pytest.approx(cost.tokens / cost.seconds)
    assert table["peak_memory_mb"] > 100
    assert Cost().table(CPU)["tokens_per_second"] == 0
