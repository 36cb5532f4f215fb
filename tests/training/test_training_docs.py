"""Every setting that docs/training.md shows is one that DVC and params.yaml accept."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from pipeline.params import load_all

ROOT = Path(__file__).parent.parent.parent
COMMANDS = [
    line.strip()
    for line in (ROOT / "docs" / "training.md").read_text().splitlines()
    if re.match(r"    (dvc|torchrun|python) ", line)
]
EXPERIMENTS = [line for line in COMMANDS if line.startswith("dvc exp run") and "--queue" not in line]


@pytest.mark.parametrize("command", EXPERIMENTS)
def test_an_experiment_changes_params_and_leaves_them_valid(command: str, tmp_path: Path) -> None:
    from dvc.utils.hydra import apply_overrides

    path = tmp_path / "params.yaml"
    shutil.copy(ROOT / "params.yaml", path)
    words = shlex.split(command)
    overrides = [words[place + 1] for place, word in enumerate(words) if word == "-S"]
    before = load_all(path)
    apply_overrides(path, overrides)
    assert overrides
    assert load_all(path) != before


def test_a_queue_is_one_experiment_a_value(tmp_path: Path) -> None:
    from dvc.utils.hydra import get_hydra_sweeps

    [command] = [line for line in COMMANDS if "--queue" in line]
    words = shlex.split(command)
    sweeps = get_hydra_sweeps({"params.yaml": [words[words.index("-S") + 1]]})
    assert [sweep["params.yaml"] for sweep in sweeps] == [[f"train.chunk={n}"] for n in ("null", 16, 32)]


def test_what_is_no_setting_is_run_elsewhere_or_says_so() -> None:
    others = [line for line in COMMANDS if not line.startswith("dvc exp run")]
    assert len(others) == 5
    for line in others:
        tested = (
            "torchrun --nproc_per_node=2 -m stages.pretrain sscp 13"  # tests/training/test_distributed.py
        )
        assert line == tested or "# not run by a test" in line
