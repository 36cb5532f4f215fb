"""The command line: quick to answer, and one line if something is wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pipeline.core.command import print_dropped, run
from pipeline.core.store import write_json
from stages.cli import STAGES, TOOLS
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
    assert all(command in done.stdout for command in [*TOOLS, *STAGES])
    assert done.stdout.rstrip().endswith("heavy:")


@pytest.mark.parametrize("command", [*TOOLS, *STAGES])
def test_every_command_has_help(command: str) -> None:
    assert "Usage" in python_m("stages.cli", command, "--help").stdout


def test_the_version_is_that_of_the_package() -> None:
    import synsem

    assert python_m("stages.cli", "--version").stdout == f"synsem {synsem.__version__}\n"


@pytest.mark.parametrize("stage", ["download", "parse", "augment"])
def test_unknown_parameter_is_one_line(tmp_path: Path, stage: str) -> None:
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["train"]["tua"] = 0.1
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    done = python_m(f"stages.{stage}", "--params", str(tmp_path / "params.yaml"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "train.tua: unknown; did you mean train.tau?" in done.stderr


@pytest.mark.parametrize(
    "command", [("mine", "sccp"), ("pretrain", "sccp", "13"), ("evaluate", "sccp", "13")]
)
def test_misspelt_system_has_a_suggestion(command: tuple[str, ...]) -> None:
    name, *arguments = command
    done = python_m(f"stages.{name}", *arguments)
    assert done.returncode == 1
    assert done.stderr == "synsem: systems: 'sccp' is unknown; did you mean sscp?\n"


@pytest.mark.parametrize(
    "command",
    [
        ("tree", "Rain fell.", "--lang", "la"),
        ("tree", " "),
        ("encode", "nothing", "x.txt"),
        ("compare", "nothing.tsv"),
        ("search", "Rain fell.", "nothing.txt"),
        ("export", "pretrained"),
        ("export", "pretrained", "--onnx", str(ROOT / "pipeline" / "pretrained" / "x.onnx")),
        ("encode", "pretrained", "x.txt", "--device", "nonsense", "--out", "x.npy"),
    ],
)
def test_wrong_argument_is_one_line(command: tuple[str, ...], tmp_path: Path) -> None:
    done = python_m("stages.cli", *command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith("synsem: ")
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device", "x.arrow"), "x.arrow: No space left on device"),
        (ModuleNotFoundError("", name="conllu"), "conllu is not installed"),
    ],
)
def test_full_disk_and_missing_library_are_one_line(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(sys, "argv", ["fail"])
    with pytest.raises(SystemExit) as end:
        run(fail)
    assert end.value.code == 1
    assert capsys.readouterr().err.startswith(f"synsem: {said}; ")


def test_reader_that_has_seen_enough_gets_no_traceback() -> None:
    script = "from pipeline.core.command import run; run(lambda: print('x' * 10**6))"
    piped = f'{sys.executable} -c "{script}" | true'
    done = subprocess.run(["bash", "-c", piped], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""


def test_remedies_name_parameters_that_exist() -> None:
    known = yaml.safe_load((ROOT / "params.yaml").read_text())
    named = re.findall(r"\b(\w+)\.(\w+)", (ROOT / "pipeline" / "core" / "remedies.yaml").read_text())
    named = [(section, key) for section, key in named if section != "report"]  # a file
    assert len(named) > 15
    assert [(section, key) for section, key in named if key not in known[section]] == []


def test_largest_counts_are_printed_with_a_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dropped = {"b": 2, "a": 2, "too_short": 1_395, "none": 0} | {f"reason {n}": 1 for n in range(5)}
    write_json(tmp_path / "report.json", {"dropped": dropped})
    print_dropped(tmp_path, "download")
    first, second, third, *_, last = capsys.readouterr().out.splitlines()
    assert first == "  dropped 1,395  too_short: lower download.min_characters"
    assert (second, third) == ("  dropped 2  a", "  dropped 2  b")
    assert last == f"  and for 2 other reasons: {tmp_path / 'report.json'}"
