import json
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from safetensors.torch import load_file

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import TRIPLET
from pipeline.core.store import read_object, rows, write_rows
from pipeline.export.sentence_transformers import export
from pipeline.params import load
from pipeline.report.inputs import read_curves
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.base import Settings, System
from pipeline.training.checkpoint import Checkpoints
from pipeline.training.curves import Curves
from pipeline.training.examples import Examples
from pipeline.training.loop import train
from pipeline.training.run import pretrain
from pipeline.training.schedule import schedule

ROOT = Path(__file__).parent.parent.parent
SENTENCES = [
    Side(
        "The cat sees the dog.",
        ["The", "cat", "sees", "the", "dog", "."],
        [2, 3, 0, 5, 3, 3],
        ["det", "nsubj", "root", "det", "obj", "punct"],
        ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"],
        ["DT", "NN", "VBZ", "DT", "NN", "."],
    ),
    Side("Rain!", ["Rain", "!"], [0, 1], ["root", "punct"], ["NOUN", "PUNCT"], ["NN", "."]),
]


def run(name: str, params: Path, triplets: Path, out: Path, log: object = None) -> dict[str, torch.Tensor]:
    sections = load(params, "encoder", "train", "parse", name)
    pretrain(
        name, 13, triplets, out, log or (lambda step, values: None),  # type: ignore[arg-type]
        Settings(sections.encoder, sections.train, getattr(sections, name)),
        export=partial(export, parse=sections.parse),
    )  # fmt: skip
    return load_file(out / "model.safetensors")


def change(params: Path, section: str, **values: object) -> None:
    content = yaml.safe_load(params.read_text())
    content[section] |= values
    params.write_text(yaml.safe_dump(content))


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def without_cost(curve: list[tuple[int, dict[str, float]]]) -> list[tuple[int, dict[str, float]]]:
    return [(step, values) for step, values in curve if not any(name.startswith("cost/") for name in values)]


@pytest.mark.parametrize("name", ["sscp", "simcse"])
def test_the_export_gives_the_semantic_view_without_this_library(
    name: str, params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    out = tmp_path / "model"
    run(name, params, triplets, out)
    exported = SentenceTransformer(str(out / "sentence-transformer"), device="cpu")
    assert exported.max_seq_length == 32
    expected = registry.load(out).embed(SENTENCES)["semantic"]
    np.testing.assert_allclose(exported.encode([s.text for s in SENTENCES]), expected, atol=1e-5)
    facts = json.loads((out / "training.json").read_text())
    assert facts["examples"] == {"train": 60, "dev": 12}
    assert facts["steps"] == 12


def test_the_same_seed_gives_the_same_weights_and_a_falling_loss(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    seen: dict[str, list[float]] = {}

    def log(step: int, values: dict[str, float]) -> None:
        for key, value in values.items():
            seen.setdefault(key, []).append(value)

    first = run("sscp", params, triplets, tmp_path / "a", log)
    assert same(first, run("sscp", params, triplets, tmp_path / "b"))
    assert len(seen["train/loss"]) == 12
    assert len(seen["dev/loss"]) == 4
    assert min(seen["dev/loss"]) < 0.9 * seen["dev/loss"][0]
    assert json.loads((tmp_path / "a/training.json").read_text())["best_dev_loss"] == min(seen["dev/loss"])


@pytest.mark.parametrize("name", ["sscp", "simcse", "synsem"])
def test_killed_at_any_step_a_run_ends_bit_equal(
    name: str, params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    sections = load(params, "encoder", "train", name)
    examples, dev = Examples(triplets, "train"), Examples(triplets, "dev")

    def attempt(stop: int | None, folder: Path) -> tuple[dict[str, torch.Tensor], list]:
        torch.manual_seed(13)  # as ``pretrain``: new weights are drawn
        system = registry.create(name, sections.encoder, sections.train, getattr(sections, name))
        curve: list = []

        def log(step: int, values: dict[str, float]) -> None:
            curve.append((step, values))
            if step == stop and "train/loss" in values:
                raise KeyboardInterrupt

        train(system, examples, dev, 7, Checkpoints(folder, 0), log)
        return system.state_dict(), curve

    expected, curve = attempt(None, tmp_path / "whole")
    # One run that is stopped three times: each attempt goes on from where the one before it was stopped.
    folder = tmp_path / "stopped"
    for stop in (1, 5, 12):
        torch.manual_seed(99)  # what lies between two attempts does not matter
        with pytest.raises(KeyboardInterrupt):
            attempt(stop, folder)
    resumed, curve_again = attempt(None, folder)
    assert same(expected, resumed)
    assert without_cost(curve) == without_cost(curve_again)


@pytest.mark.parametrize(("size", "told"), [(60, False), (61, True)])
def test_fewer_examples_than_a_batch_are_told(
    size: int, told: bool, params: Path, triplets: Path, tmp_path: Path, scratch: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    change(params, "train", batch_size=size, steps=1)
    run("simcse", params, triplets, tmp_path / "out")
    sentence = "train simcse: 60 training examples are fewer than a batch of 61; batches are smaller"
    assert (sentence in capsys.readouterr().err.splitlines()) == told


def test_batches_by_words_have_no_number_of_examples_to_fall_short_of(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(params, "train", batch_size=61, batch_words=200, steps=1)
    run("simcse", params, triplets, tmp_path / "out")
    assert "fewer than a batch" not in capsys.readouterr().err


def test_a_run_without_development_examples_says_so_and_leaves_its_last_weights(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = [row for row in rows(triplets) if row["split"] == "train"]
    write_rows(tmp_path / "no-dev" / "part-00000.arrow", examples, TRIPLET)
    change(params, "train", steps=1)
    saved = run("simcse", params, tmp_path / "no-dev", tmp_path / "out")
    told = "train simcse: no two development examples; the last weights stay"
    assert told in capsys.readouterr().err.splitlines()
    sections = load(params, "encoder", "train", "simcse")
    untrained = registry.create("simcse", sections.encoder, sections.train, sections.simcse)
    assert not same(saved, untrained.state_dict())


def test_a_system_of_whole_batches_alone_is_refused_by_several_processes(
    params: Path, triplets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = load(params, "encoder", "train", "cssl")
    system = registry.create("cssl", sections.encoder, sections.train, sections.cssl)
    begun: list[bool] = []
    monkeypatch.setattr(system, "begin_training", lambda: begun.append(True))
    monkeypatch.setattr("pipeline.training.distributed.world_size", lambda: 2)
    splits = Examples(triplets, "train"), Examples(triplets, "dev")
    with pytest.raises(SynsemError, match="cssl cannot be trained in chunks or by several processes"):
        train(system, *splits, 1, Checkpoints(tmp_path), lambda step, values: None)
    assert not begun


def test_early_stopping_keeps_the_best_weights(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    change(params, "train", learning_rate=3.0, evaluate_every=1, patience=2)  # a rate that only destroys
    saved = run("simcse", params, triplets, tmp_path / "out")
    facts = json.loads((tmp_path / "out/training.json").read_text())
    assert (facts["best_step"], facts["steps"]) == (0, 2)
    sections = load(params, "encoder", "train", "simcse")
    untrained = registry.create("simcse", sections.encoder, sections.train, sections.simcse)
    assert same(saved, untrained.state_dict())


def test_a_loss_that_is_not_finite_is_an_error_and_nothing_is_written(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    change(params, "train", learning_rate=1e30, patience=99)
    with pytest.raises(SynsemError, match="no longer finite"):
        run("sscp", params, triplets, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_weights_that_are_not_finite_at_the_end_are_an_error_without_development_data_too(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loss of the last step is that before its update."""
    monkeypatch.setattr("pipeline.training.loop.in_order", lambda *_: [])
    steps = load(params, "train").train.steps
    real, taken = torch.optim.AdamW.step, [0]

    def spoilt(optimizer: torch.optim.Optimizer, *arguments: object) -> object:
        taken[0] += 1
        done = real(optimizer, *arguments)
        if taken[0] == steps:
            with torch.no_grad():
                optimizer.param_groups[0]["params"][0].fill_(float("nan"))
        return done

    monkeypatch.setattr(torch.optim.AdamW, "step", spoilt)
    with pytest.raises(SynsemError, match="no longer finite"):
        run("simcse", params, triplets, tmp_path / "out")
    assert taken == [steps]
    assert not (tmp_path / "out").exists()


def test_a_checkpoint_is_known_by_all_that_decides_the_weights_and_by_nothing_else(
    params: Path, triplets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StoppedError(Exception):
        """Carries the key."""

    def stopped(stage: str, key: str) -> Path:
        raise StoppedError(key)

    monkeypatch.setattr("pipeline.training.run.scratch.folder", stopped)
    start = tmp_path / "start"
    start.mkdir()
    (start / "model.safetensors").write_text("weights")

    def key(seed: int = 13, **changes: object) -> str:
        sections = load(params, "encoder", "train", "upos")
        with pytest.raises(StoppedError) as found:
            own = sections.upos.model_copy(update={"start": str(start)})
            pretrain(
                "upos", seed, triplets, tmp_path / "out", lambda step, values: None,
                Settings(sections.encoder, sections.train.model_copy(update=changes), own),
            )  # fmt: skip
        return str(found.value)

    first = key()
    assert key() == key(read_ahead=0) == key(readers=2) == first
    others = {key(14), key(tau=0.5), key(batch_size=3)}
    monkeypatch.setattr("pipeline.training.run.world_size", lambda: 2)
    others.add(key())
    monkeypatch.undo()
    monkeypatch.setattr("pipeline.training.run.scratch.folder", stopped)
    (start / "model.safetensors").write_text("others")
    others.add(key())
    monkeypatch.setattr(torch, "__version__", "0.1")
    others.add(key())
    monkeypatch.setattr("pipeline.training.run.process_group", lambda: nullcontext(torch.device("meta")))
    others.add(key())
    assert len(others | {first}) == 8


@pytest.mark.parametrize("system", ["simcse", "sscp", "synsem"])
def test_a_run_killed_after_its_last_step_ends_with_the_same_files(
    system: str, params: Path, triplets: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pretrained(out: Path) -> None:
        sections = load(params, "encoder", "train", "parse", system)
        pretrain(
            system, 13, triplets, out, lambda step, values: None,
            Settings(sections.encoder, sections.train, getattr(sections, system)), 0,
            partial(export, parse=sections.parse),
        )  # fmt: skip

    pretrained(tmp_path / "whole")
    real = registry.save
    monkeypatch.setattr(registry, "save", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        pretrained(tmp_path / "killed")
    monkeypatch.setattr(registry, "save", real)
    pretrained(tmp_path / "killed")
    files = {path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*.*")}
    assert files == {path.relative_to(tmp_path / "killed") for path in (tmp_path / "killed").rglob("*.*")}
    for file in sorted(files):
        if (tmp_path / "whole" / file).is_file():
            assert (tmp_path / "whole" / file).read_bytes() == (tmp_path / "killed" / file).read_bytes(), file


@pytest.mark.parametrize("place", ["other", "foreign", "unwritable"])
def test_what_cannot_be_replaced_is_told_before_the_training(
    place: str, params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    """A model of another system or library, and a place where nothing can be written."""
    out = tmp_path / place
    if place == "unwritable":
        out.touch()
        out /= "model"
    else:
        out.mkdir()
        (out / "config.json").write_text("{}")
        (out / "model.safetensors").write_text("weights")
    if place == "other":
        (out / "training.json").write_text('{"system": "sscp"}')
    steps: list[int] = []
    message = {"other": "holds a model of sscp", "foreign": "of another program", "unwritable": "be written"}
    with pytest.raises(SynsemError, match=message[place]):
        run("simcse", params, triplets, out, lambda step, values: steps.append(step))
    assert not steps
    if place != "unwritable":
        assert (out / "model.safetensors").read_text() == "weights"


@pytest.mark.parametrize("refused", ["chunks", "one example"])
def test_a_run_that_cannot_begin_is_refused_before_it_replaces_the_curves(
    refused: str, params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    """``cssl`` trains on whole batches alone; and one example is no batch."""
    from stages.pretrain import main

    system, message = "simcse", "fewer than two training examples"
    if refused == "chunks":
        system, message = "cssl", "cssl cannot be trained in chunks"
        change(params, "train", chunk=4)
    else:
        first, *others = (row for row in rows(triplets) if row["split"] == "train")
        dev = [row | {"split": "dev"} for row in others]
        triplets = tmp_path / "triplets"
        write_rows(triplets / "part-00000.arrow", [first, *dev], TRIPLET)
    curves = tmp_path / "curves"
    with Curves(curves) as log:
        log(0, {"dev/loss": 2.0})
    with pytest.raises(SynsemError, match=message):
        main(system, 13, triplets, tmp_path / "out", curves, params)
    assert json.loads((curves / "metrics.json").read_text()) == {"dev": {"loss": 2.0}, "step": 0}


def test_curves_are_a_table_a_value_and_the_last_values(tmp_path: Path) -> None:
    folder = tmp_path / "curves"
    (folder / "plots").mkdir(parents=True)
    (folder / "plots" / "old.tsv").write_text("of an earlier run")
    with Curves(folder) as log:
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
    assert read_curves(folder)["train/loss"] == [(1.0, 1.5), (2.0, 1.25)]
    assert not (folder / "plots" / "old.tsv").exists()
    expected = {"dev": {"loss": 2.0}, "train": {"loss": 1.25, "rate": 1e-05}, "step": 2}
    assert json.loads((folder / "metrics.json").read_text()) == expected


def test_the_rate_rises_and_falls_linearly(params: Path) -> None:
    change(params, "train", steps=10, warmup=0.2)
    section = load(params, "train").train
    assert [schedule(step, section) for step in range(10)] == pytest.approx(
        [0.5, 1, 1, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125]
    )


@pytest.mark.parametrize("tau", [None, 0.07])
def test_a_run_that_is_refused_leaves_the_curves_of_the_one_at_work(
    tau: float | None, params: Path, triplets: Path, tmp_path: Path, scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Also where other parameters give the second run a scratch folder of its own."""
    from stages.pretrain import main

    curves = tmp_path / "curves"
    refused = []

    def at_work(*given: object) -> object:
        *_, log, _ = given
        assert callable(log)
        log(0, {"train/loss": 1.0})
        before = {path: path.read_bytes() for path in curves.rglob("*.tsv")}
        if tau is not None:
            change(params, "train", tau=tau)
        with pytest.raises(SynsemError, match="another run is at work on it"):
            main("sscp", 13, triplets, tmp_path / "out", curves, params)
        if tau is None:  # with curves and a model of its own, but the same checkpoints
            with pytest.raises(SynsemError, match="another run is at work on it"):
                main("sscp", 13, triplets, tmp_path / "other", tmp_path / "other-curves", params)
        refused.append(True)
        assert before
        assert {path: path.read_bytes() for path in curves.rglob("*.tsv")} == before
        return train(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("pipeline.training.run.train", at_work)
    main("sscp", 13, triplets, tmp_path / "out", curves, params)
    assert refused == [True]
    assert json.loads((curves / "metrics.json").read_text())["step"] == 12


def test_each_seed_draws_first_weights_of_its_own(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StoppedError(Exception):
        """Carries a weight as it was drawn."""

    def stopped(system: System, *_: object) -> None:
        raise StoppedError(system.get_parameter("heads.binding.first").detach().clone())

    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(99)  # what was drawn before does not matter
        sections = load(params, "encoder", "train", "synsem")
        with pytest.raises(StoppedError) as found:
            pretrain(
                "synsem", seed, triplets, tmp_path / "out", lambda step, values: None,
                Settings(sections.encoder, sections.train, sections.synsem),
            )  # fmt: skip
        return found.value.args[0]

    monkeypatch.setattr("pipeline.training.run.train", stopped)
    assert torch.equal(drawn(13), drawn(13))
    assert not torch.equal(drawn(13), drawn(14))


def test_vocabularies_are_built_from_the_training_examples(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StoppedError(Exception):
        """Carries the texts."""

    def prepared(system: System, sentences: Any) -> None:
        raise StoppedError([sentence.text for sentence in sentences])

    monkeypatch.setattr(System, "prepare", prepared)
    sections = load(params, "encoder", "train", "simcse")
    with pytest.raises(StoppedError) as found:
        pretrain(
            "simcse", 13, triplets, tmp_path / "out", lambda step, values: None,
            Settings(sections.encoder, sections.train, sections.simcse),
        )  # fmt: skip
    texts = [row["anchor"]["text"] for row in rows(triplets) if row["split"] == "train"]
    assert found.value.args[0] == texts


def test_what_a_model_was_trained_in_is_told_and_not_what_was_asked_for(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CPU without bfloat16 of its own trains in fp32, whatever params.yaml says."""
    monkeypatch.setattr("pipeline.training.run.effective_precision", lambda device, kind: f"{kind} here")
    sections = load(params, "encoder", "train", "simcse")
    settings = sections.train.model_copy(update={"steps": 1})
    pretrain(
        "simcse", 13, triplets, tmp_path / "out", lambda step, values: None,
        Settings(sections.encoder, settings, sections.simcse),
    )  # fmt: skip
    facts = read_object(tmp_path / "out" / "training.json")
    assert facts["precision"] == "fp32 here"
    assert facts["examples"] == {"train": 60, "dev": 12}
    parameters = registry.load(tmp_path / "out").parameters()
    assert facts["parameters"] == sum(parameter.numel() for parameter in parameters)


def test_what_a_run_tells_of_its_best_weights_are_the_values_of_its_curves(
    params: Path,
    triplets: Path,
    tmp_path: Path,
    scratch: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(params, "train", steps=6, evaluate_every=2, select="mrr")
    scores, losses = iter([0.1, 0.7, 0.3, 0.6]), dict[int, float]()
    monkeypatch.setattr("pipeline.training.validation.development_metric", lambda *_: next(scores))

    def log(step: int, values: dict[str, float]) -> None:
        if "dev/loss" in values:
            losses[step] = values["dev/loss"]

    run("simcse", params, triplets, tmp_path / "out", log)
    assert list(losses) == [0, 2, 4, 6]
    facts = read_object(tmp_path / "out" / "training.json")
    assert (facts["steps"], facts["best_step"]) == (6, 2)
    assert (facts["best_dev_mrr"], facts["best_dev_loss"]) == (0.7, losses[2])
    told = f"development loss {losses[0]:.3f} -> {losses[2]:.3f} at step 2\n"
    assert capsys.readouterr().err.endswith(told)
