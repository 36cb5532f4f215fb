"""The command line: quick to answer, and one line where something is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from stages.cli import COMMANDS, first_model
from tests.in_process import python_m

ROOT = Path(__file__).parent.parent
HEAVY = ("torch", "transformers", "spacy", "pyarrow", "numpy", "sklearn", "pydantic")


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    script = f"""
import sys, stages.cli
sys.argv = ["synsem", "--help"]
try:
    stages.cli.main()
finally:
    print("heavy:", *(set({HEAVY!r}) & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    for command in COMMANDS:
        assert command in done.stdout
    assert done.stdout.rstrip().endswith("heavy:")


def test_the_stage_that_checks_parameters_loads_nothing_heavy() -> None:
    script = """
import sys
from pathlib import Path
from stages.check import main
main(Path("params.yaml"))
print("heavy:", *({"torch", "transformers", "spacy", "sklearn", "scipy", "datasketch"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.rstrip().endswith("heavy:"), done.stdout + done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = python_m(COMMANDS[command], "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize("stage", ["download", "parse", "augment"])
def test_an_unknown_parameter_is_one_line_and_exit_code_1(tmp_path: Path, stage: str) -> None:
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["train"]["tua"] = 0.1
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    done = python_m(f"stages.{stage}", "--params", str(tmp_path / "params.yaml"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "train.tua: unknown; did you mean train.tau?" in done.stderr


def test_a_missing_input_folder_is_one_line(tmp_path: Path) -> None:
    here = str(tmp_path)
    done = python_m("stages.mine", "sscp", "--parsed", here, "--augmented", here, "--out", here)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "run the stage that writes it" in done.stderr


@pytest.mark.parametrize(
    "command", [("mine", "sccp"), ("pretrain", "sccp", "13"), ("evaluate", "sccp", "13")]
)
def test_a_misspelt_system_is_told_the_nearest(command: tuple[str, ...]) -> None:
    name, *arguments = command
    done = python_m(f"stages.{name}", *arguments)
    assert done.returncode == 1
    assert done.stderr == "synsem: systems: 'sccp' is unknown; did you mean sscp?\n"


def test_tools_take_the_model_that_the_parameters_train(tmp_path: Path) -> None:
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    file = tmp_path / "params.yaml"
    for systems, expected in ((["sscp", "upos"], "sscp"), (["upos", "synsem"], "upos")):
        file.write_text(yaml.safe_dump(params | {"systems": systems, "seeds": [14, 13]}))
        assert first_model(file) == Path("models") / expected / "14"
        assert first_model(file, "upos") == Path("models/upos/14")
        assert first_model(file, "cssl") == Path("models") / expected / "14"
