"""The ``synsem`` program: its options, groups, completion, lists and Ctrl-C."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

import synsem
from stages.cli import COMMANDS, GROUPS, call, run, several, several_numbers, several_seeds
from tests.in_process import python_m
from tests.small_project import write_project

ROOT = Path(__file__).parent.parent


def program(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return python_m("synsem", *arguments, cwd=cwd, **{"COLUMNS": "100"} | environment)


def test_the_version_is_that_of_the_package() -> None:
    command = [sys.executable, "-m", "synsem", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"synsem {synsem.__version__}\n", "")
    assert program("--version").stdout == done.stdout


def test_help_groups_the_commands() -> None:
    said = program("--help").stdout
    places = [said.index(f"─ {group} ─") for group in GROUPS]
    assert places == sorted(places)
    for (group, commands), place in zip(GROUPS.items(), places, strict=True):
        box = said[place : said.index("╰", place)]
        # A command with commands of its own, such as triplets, comes last in its group.
        assert sorted(re.findall(r"^│ (\w+)", box, flags=re.MULTILINE)) == sorted(commands), group
    assert sum(map(len, GROUPS.values())) == len(COMMANDS)


def test_a_shell_completes_commands_and_systems() -> None:
    def completed(line: str) -> list[str]:
        done = program(_SYNSEM_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(line.count(" ")))
        return done.stdout.split()

    assert completed("synsem pret") == ["pretrained", "pretrain"]
    assert completed("synsem mine para") == ["parabart"]


@pytest.mark.parametrize(
    ("command", "choices"),
    [
        ("evaluate", "mean|cls|max"), ("encode", "parquet|jsonl|npy"), ("encode", "fast|bf16|exact"),
        ("parse", "arrow|conllu"), ("pretrain", "cssl, ebsim, parabart, simcse, sscp, synsem, upos"),
    ],
)  # fmt: skip
def test_help_names_the_choices(command: str, choices: str) -> None:
    said = program(command, "--help", COLUMNS="200").stdout
    assert choices in said


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_is_whole_in_eighty_columns(command: str) -> None:
    """A word that is too long for its column ends in dots, such as a folder's name."""
    said = program(command, "--help", COLUMNS="80").stdout
    assert "Usage: synsem" in said
    assert "…" not in said
    assert max(map(len, said.splitlines())) <= 80


def test_a_list_is_repeated_or_separated_by_commas() -> None:
    assert several(["a,b", " c "]) == several(["a", "b", "c"]) == ["a", "b", "c"]
    assert several_numbers(["13,14"], "") == several_numbers(["13", "14"], "") == [13, 14]
    assert several_seeds(["13,4294967295"], "--seeds") == [13, 2**32 - 1]
    with pytest.raises(typer.BadParameter, match="--seeds: '-1' is no whole number"):
        several_seeds(["13,-1"], "--seeds")
    with pytest.raises(typer.BadParameter, match="--seeds: 4294967296 is too large"):
        several_seeds(["13", "4294967296"], "--seeds")


def test_quiet_hides_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from pipeline.core import progress

    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    assert list(progress.track([1, 2], "work")) == [1, 2]
    assert "work: 1 of 2" in capsys.readouterr().err
    monkeypatch.setattr(progress, "shown", False)
    assert list(progress.track([1, 2], "work")) == [1, 2]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("option", "shown"), [("-q", False), ("--quiet", False), ("--verbose", True)])
def test_the_option_quiet_hides_the_progress_of_a_command(
    option: str, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.core import progress

    found: list[bool] = []
    monkeypatch.setattr("stages.tools.sources.main", lambda: found.append(progress.shown))
    assert program(option, "sources").returncode == 0
    assert found == [shown]


@pytest.mark.parametrize(("arguments", "code"), [(["download"], 0), (["download", "--params", "none"], 1)])
def test_with_standard_error_closed_nothing_is_told_there_and_no_stage_stops(
    arguments: list[str], code: int, tiny_backbone: Path, tmp_path: Path
) -> None:
    """As by ``2>&-`` or in a program without a console."""
    project = write_project(tmp_path / "project", tiny_backbone)
    command = [sys.executable, "-m", "synsem", *arguments]
    done = subprocess.run(
        command, cwd=project, env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True,
        stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2),
    )  # fmt: skip
    assert done.returncode == code
    assert done.stdout.startswith("download: ") if code == 0 else done.stdout == ""


def test_with_standard_error_closed_what_cannot_be_encoded_stops_nothing() -> None:
    """As part of a file's name that is not UTF-8."""
    told = r"import stages.cli, sys; print('\udcff', file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: os.close(2),
    )  # fmt: skip
    assert done.returncode == 0


def test_verbose_shows_where_an_error_comes_from(tmp_path: Path) -> None:
    brief, long = (program(*option, "card", "nothing", cwd=tmp_path) for option in ([], ["-v"]))
    assert (brief.returncode, long.returncode) == (1, 1)
    assert brief.stderr.count("\n") == 1
    assert "Traceback" in long.stderr
    assert long.stderr.endswith(brief.stderr)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_with_one_line(workers: str, tiny_backbone: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", tiny_backbone)
    assert program("download", cwd=project).returncode == 0
    command = [sys.executable, "-m", "synsem", "parse", "--workers", workers]
    process = subprocess.Popen(
        command, cwd=project, env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        # A shell starts what runs in the background with Ctrl-C ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    # With workers, once one of them has finished a shard: they have begun, and there is more to do.
    sign = ".scratch/parse*/*/part-*" if workers == "2" else ".scratch/parse*/*"
    began = time.monotonic()
    while not list(project.glob(sign)) and time.monotonic() - began < 60:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    assert said.strip().splitlines()[-1] == "synsem: stopped; run the same command again"
    assert "Traceback" not in said


def test_ctrl_c_within_a_command_that_another_calls_stops_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the next stage of a pipeline would go on with what the stopped one left of before."""

    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stages.check.main", stopped)
    with pytest.raises(KeyboardInterrupt):
        call("check")


@pytest.mark.parametrize(
    "error", [TypeError("TextInputSequence must be str"), UnicodeEncodeError("a", "b", 0, 1, "c")]
)
def test_a_text_that_is_not_utf_8_is_one_sentence_and_any_other_error_a_bug(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def reads() -> None:
        raise error

    monkeypatch.setattr(sys, "argv", ["match"])
    with pytest.raises(type(error)):
        run(reads)
    monkeypatch.setattr("typer.Typer.__call__", lambda *_, **__: reads())
    monkeypatch.setattr(sys, "argv", ["match", "\udcff dog"])
    with pytest.raises(SystemExit) as end:
        run(reads)
    assert end.value.code == 1
    assert capsys.readouterr().err.startswith("synsem: a text on the command line is not UTF-8")


@pytest.mark.parametrize(
    ("encoding", "written"),
    [("ascii", b"\\xe9 \\u2591"), ("latin-1", b"\xe9 \\u2591"), ("utf-8", "é ░".encode())],
)
def test_a_character_that_the_output_cannot_have_is_escaped(encoding: str, written: bytes) -> None:
    """By ``print``, and by rich, which draws the trees."""
    script = """
from rich.console import Console
from stages.cli import run
def says() -> None:
    print("é ░")
    Console().print("é ░")
run(says)
"""
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, env=environment)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, [written, written], b"")


def test_ctrl_c_within_an_exec_has_the_same_exit_code(tmp_path: Path) -> None:
    """Libraries call exec as they are imported (dataclasses); Python remembers Ctrl-C within one."""
    (tmp_path / "interrupted.py").write_text(
        "from stages.cli import run\n\ndef main():\n    exec('raise KeyboardInterrupt')\n\nrun(main)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "interrupted"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (130, 1)
