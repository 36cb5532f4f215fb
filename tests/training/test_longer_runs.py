"""A run that is made longer goes on from what a shorter one left, to the bytes of one long at once."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from safetensors.torch import save_file

from pipeline.core.errors import SynsemError
from pipeline.core.store import sha256
from pipeline.nn.amp import grad_scaler
from pipeline.params import load
from pipeline.params.stages import Train
from pipeline.systems import registry
from pipeline.systems.base import Settings, scaled_steps
from pipeline.training import checkpoint
from pipeline.training.checkpoint import Checkpoints, Progress, save
from pipeline.training.optimizer import adamw
from pipeline.training.run import pretrain
from pipeline.training.schedule import Plan, schedule, validation_interval

ROOT = Path(__file__).parents[2]

WSD = {"schedule": "wsd", "warmup_steps": 3, "decay": 0.2, "evaluate_every": 4, "patience": 99}


def given(params: Path, system: str = "simcse", own: dict[str, Any] | None = None, **changed: Any) -> Any:
    content = yaml.safe_load(params.read_text())
    content["train"] |= changed
    content[system] |= own or {}
    params.write_text(yaml.safe_dump(content))
    return load(params, "encoder", "train", system)


def run(
    params: Path, triplets: Path, out: Path, system: str = "simcse", stop: int | None = None,
    seconds: float = 1e9, **changed: Any,
) -> tuple[str, list[tuple[int, dict[str, float]]], list[int]]:  # fmt: skip
    """sha256 of the weights, the curves, and the steps that this process trained."""
    sections = given(params, system, **changed)
    curves: list[tuple[int, dict[str, float]]] = []
    trained: list[int] = []

    def log(step: int, values: dict[str, float]) -> None:
        if not any(name.startswith("cost/") for name in values):
            curves.append((step, values))
        if step == stop:
            raise KeyboardInterrupt

    from pipeline.training import loop

    real = loop.launch_step

    def counted(*arguments: Any) -> Any:
        trained.append(1)
        return real(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "launch_step", counted)
        pretrain(
            system, 13, triplets, out, log,
            Settings(sections.encoder, sections.train, getattr(sections, system)), seconds,
        )  # fmt: skip
    return sha256(out / "model.safetensors"), curves, trained


def test_a_run_of_20_steps_made_40_is_the_run_of_40_and_begins_where_the_rate_fell(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    short, _, trained = run(params, triplets, tmp_path / "short", steps=20, **WSD)
    assert len(trained) == 20
    long, curves, trained = run(params, triplets, tmp_path / "long", steps=40)
    assert len(trained) == 40 - 16
    # The same again, from a folder without checkpoints.
    for path in scratch.rglob("*.safetensors"):
        path.unlink()
    expected, curves_at_once, trained = run(params, triplets, tmp_path / "at-once", steps=40)
    assert len(trained) == 40
    assert long == expected != short
    assert curves == curves_at_once


def test_of_a_complete_run_only_the_states_that_a_longer_one_parts_from_are_kept(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    run(params, triplets, tmp_path / "short", seconds=0.0, steps=20, **WSD)
    kept = [path.name for path in scratch.rglob("*.safetensors")]
    assert [name.rpartition("-")[0] for name in kept] == ["step-16"]


def test_a_longer_synsem_begins_where_its_phases_part(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    own = {"batch": 1.0, "dimensions": 8, "pointer_size": 8}
    run(params, triplets, tmp_path / "a", "synsem", steps=10, own=own | {"steps": 1.0}, **WSD)
    # Links come first in half of the steps: 5 of 10, 10 of 20. The two do the same in the first 5.
    twice, _, trained = run(params, triplets, tmp_path / "b", "synsem", own={"steps": 2.0})
    assert len(trained) == 20 - 5
    for path in scratch.rglob("*.safetensors"):
        path.unlink()
    assert run(params, triplets, tmp_path / "c", "synsem")[0] == twice


def test_the_rate_of_a_linear_schedule_depends_on_the_length_so_nothing_is_kept(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    run(params, triplets, tmp_path / "short", steps=4)
    assert not list(scratch.rglob("*.safetensors"))
    _, _, trained = run(params, triplets, tmp_path / "long", steps=6)
    assert len(trained) == 6


def train_params(params: Path, **changed: Any) -> Train:
    train: Train = load(params, "train").train.model_copy(update=changed)
    return train


def test_wsd_warms_up_stays_and_falls_to_zero(params: Path) -> None:
    train = train_params(params, steps=20, **WSD)
    rates = [schedule(step, train) for step in range(21)]
    assert rates[:3] == pytest.approx([1 / 3, 2 / 3, 1])
    assert rates[3:17] == [1.0] * 14
    assert rates[16:] == pytest.approx([1, 0.75, 0.5, 0.25, 0])
    longer = train.model_copy(update={"steps": 40})
    assert Plan(train).digest(16) == Plan(longer).digest(16)
    assert Plan(train).digest(18) != Plan(longer).digest(18)
    assert (Plan(train).turns, Plan(longer).turns) == ({16}, {32})
    # With another interval the runs part at the first validation of one of them.
    often = longer.model_copy(update={"evaluate_every": 3})
    assert Plan(often).digest(2) == Plan(longer).digest(2)
    assert Plan(often).digest(3) != Plan(longer).digest(3)


def test_a_decay_that_begins_while_the_rate_still_rises_takes_over_without_a_jump(params: Path) -> None:
    train = train_params(params, steps=10, schedule="wsd", warmup_steps=8, decay=0.5)
    rates = [schedule(step, train) for step in range(11)]
    assert rates == pytest.approx([1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8, 6 / 8, 4 / 5, 3 / 5, 2 / 5, 1 / 5, 0])


@pytest.mark.parametrize("kind", ["linear", "wsd"])
def test_the_first_step_rises_and_the_last_falls_however_small_their_shares(kind: str, params: Path) -> None:
    train = train_params(params, steps=4, schedule=kind, warmup=0.01, warmup_steps=None, decay=0.01)
    rates = [schedule(step, train) for step in range(5)]
    assert rates == pytest.approx([1, 1, 2 / 3, 1 / 3, 0] if kind == "linear" else [1, 1, 1, 1, 0])


@pytest.mark.parametrize("kind", ["linear", "wsd"])
def test_a_run_too_short_for_its_warm_up_is_refused(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, kind: str
) -> None:
    with pytest.raises(SynsemError, match=r"train\.warmup_steps: 5 are more than the 4 steps of this run"):
        run(params, triplets, tmp_path / "short", steps=4, schedule=kind, warmup_steps=5)
    assert not (tmp_path / "short").exists()


def test_more_steps_alone_do_not_end_a_run_sooner() -> None:
    """With an interval in steps, 7,200 steps ended after the 4 validations that 60 steps have."""
    train = load(ROOT / "params.yaml", "train").train
    for steps in (train.steps, 120 * train.steps):
        longer = Plan(train.model_copy(update={"steps": steps}))
        validations = sum(longer.validates(step) for step in range(steps))
        assert validations == 4 > train.patience


def test_validation_may_be_a_share_of_the_steps(params: Path) -> None:
    share = train_params(params, steps=60, evaluate_every=0.25)
    assert validation_interval(share) == 15
    assert validation_interval(scaled_steps(share, 30.0)) == 450
    assert validation_interval(scaled_steps(train_params(params, steps=60, evaluate_every=15), 8.0)) == 120
    assert validation_interval(train_params(params, steps=3, evaluate_every=0.1)) == 1
    plan = Plan(share)
    assert [step for step in range(60) if plan.validates(step)] == [14, 29, 44, 59]
    for wrong in (0, 1.5, -1, "often"):
        with pytest.raises(SynsemError, match=r"train\.evaluate_every: must be a whole number of 1 or more"):
            given(params, evaluate_every=wrong)


def test_a_damaged_checkpoint_of_another_length_is_named(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path
) -> None:
    run(params, triplets, tmp_path / "short", steps=5, **WSD)
    [kept] = scratch.rglob("step-*.safetensors")
    kept.write_bytes(kept.read_bytes()[:100])
    with pytest.raises(SynsemError, match=r"step-4-.*not a readable checkpoint.*delete it"):
        run(params, triplets, tmp_path / "long", steps=8)


def test_a_longer_run_starts_from_the_furthest_state_that_is_its_own(
    params: Path, triplets: Path, tmp_path: Path
) -> None:
    sections = load(params, "encoder", "train", "simcse")
    settings = sections.train.model_copy(
        update={"schedule": "wsd", "warmup_steps": 2, "decay": 0.2, "steps": 20, "evaluate_every": 5}
    )
    system = registry.create("simcse", sections.encoder, settings, sections.simcse)
    rest = system, adamw(system, settings), grad_scaler(system.device, "fp32")
    plan = Plan(settings)
    for step in (4, 12, 8):
        save(tmp_path / f"step-{step}.safetensors", Progress(step=step, plan=plan.digest(step)), *rest)
    save(tmp_path / "step-16.safetensors", Progress(step=16, plan="of another run"), *rest)
    assert Checkpoints(tmp_path).restore(*rest, plan).step == 12
    save(tmp_path / "checkpoint.safetensors", Progress(step=20, plan=plan.digest(20)), *rest)
    assert Checkpoints(tmp_path).restore(*rest, plan).step == 20  # nothing is left to do


@pytest.mark.parametrize("facts", ["{}", "[]", "5", '{"step": "many", "plan": ""}', '{"step": 4}'])
def test_a_checkpoint_whose_header_lacks_its_step_or_plan_is_named(
    facts: str, params: Path, tmp_path: Path
) -> None:
    save_file({}, tmp_path / "step-4.safetensors", metadata={"progress": facts})
    plan = Plan(train_params(params, steps=20, **WSD))
    with pytest.raises(SynsemError, match=r"step-4\.safetensors: not a readable checkpoint.*delete it"):
        Checkpoints(tmp_path).restore(None, None, None, plan)  # type: ignore[arg-type]


def test_a_state_is_kept_once_by_the_first_process_and_where_the_run_turns_alone(
    params: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[str] = []

    def noted(path: Path, *_: object) -> None:
        saved.append(path.name)
        path.touch()

    monkeypatch.setattr(checkpoint, "save", noted)
    plan = Plan(train_params(params, steps=20, **WSD))
    checkpoints, rest = Checkpoints(tmp_path), (None, None, None)
    with monkeypatch.context() as second:
        second.setattr(checkpoint, "rank", lambda: 1)
        checkpoints.keep_if_turn(Progress(step=16, plan="p"), plan, *rest)  # type: ignore[arg-type]
    assert not saved
    for step in (15, 16, 17, 16):
        checkpoints.keep_if_turn(Progress(step=step, plan="p"), plan, *rest)  # type: ignore[arg-type]
    assert saved == ["step-16-p.safetensors"]


def test_a_warm_up_may_take_the_whole_run_and_a_phase_may_begin_with_the_second_step(params: Path) -> None:
    train = train_params(params, steps=4, schedule="wsd", warmup_steps=4, decay=0.25)
    assert Plan(train, phase=lambda step: min(step, 1)).turns == {1, 3}
