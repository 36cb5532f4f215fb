"""A full disk, an unwritable folder, two runs at once: one line for the user, no half-written file."""

import contextlib
import fcntl
import os
from pathlib import Path

import pytest

from benchmarks.kill import contents
from tests.hardness.forked import finish
from tests.hardness.small_project import BY_NAME, Stage


def one_sentence(said: str) -> str:
    """The one line that starts with ``synsem:``; progress and remarks do not."""
    assert "Traceback" not in said, said
    (line,) = [line for line in said.splitlines() if line.startswith("synsem: ")]
    return line


def written(project: Path, stage: Stage) -> dict[str, bytes]:
    """The files in the stage's outputs."""
    return {name: body for name, body in contents(project).items() if name.startswith(stage.outs)}


@pytest.mark.parametrize(
    ("name", "room"),
    [
        ("download", "all but the largest file"),
        ("parse", "none"),
        ("parse", "all but the largest file"),  # the last thing that is written: shards joined
        ("augment", "none"),
        ("treebank", "all but the largest file"),
        ("mine sscp", "all but the largest file"),
        ("pretrain sscp", "none"),
        ("pretrain sscp", "all but the largest file"),
        ("evaluate sscp", "all but the largest file"),
        ("report", "none"),
    ],
)
def test_a_full_disk(name: str, room: str, project: Path) -> None:
    stage = BY_NAME[name]
    before = contents(project)
    sizes = {file: len(body) for file, body in written(project, stage).items()}
    stage.clear(project)
    limit = 0 if room == "none" else max(sizes.values()) - 1
    code, said = finish(project, *stage.command, largest_file=limit)
    assert code == 1, said
    line = one_sentence(said)
    assert (
        "File too large" in line
    )  # what the system says of RLIMIT_FSIZE; on a real disk: No space left on device
    assert "free space" in line
    assert "/" in line  # it names the file
    # Every file is as an undisturbed run writes it, and no other file has changed.
    after = contents(project)
    assert not [file for file in after if ".partial" in file]
    changed = {file for file, body in after.items() if before.get(file) != body}
    assert not [
        file for file in changed if not file.startswith(("reports/curves/", "reports/cost/"))
    ]  # a log keeps the steps so far


@pytest.mark.parametrize("name", ["download", "parse", "mine sscp", "report"])
def test_a_file_in_the_place_of_the_folder(name: str, project: Path) -> None:
    """A file where a folder belongs stands for a missing permission, which root never meets."""
    stage = BY_NAME[name]
    place = project / "taken"
    place.write_text("mine")
    option = {"download": "--corpus", "report": "--out"}.get(name, "--out")
    code, said = finish(project, *stage.command, option, "taken/below")
    assert code == 1, said
    line = one_sentence(said)
    assert "taken" in line
    assert "Not a directory" in line or "File exists" in line
    assert place.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to a read-only folder")
def test_a_read_only_folder(project: Path) -> None:
    BY_NAME["parse"].clear(project)
    (project / "data").chmod(0o555)
    try:
        code, said = finish(project, "parse")
    finally:
        (project / "data").chmod(0o755)
    assert code == 1
    assert "Permission denied" in one_sentence(said)


@pytest.mark.parametrize(
    ("name", "busy"),
    [
        ("download", "data/corpus.partial"),
        ("treebank", "data/treebank.partial"),
        ("mine sscp", "data/triplets/sscp.partial"),
    ],
)
def test_a_second_run_is_told_to_wait(name: str, busy: str, project: Path) -> None:
    before = contents(project)
    with held(project / busy):
        code, said = finish(project, *BY_NAME[name].command)
        assert code == 1
        assert f"synsem: {busy}: another run is at work on it; wait for that one to end" in said
    (project / busy).rmdir()
    assert contents(project) == before


@contextlib.contextmanager
def held(folder: Path):
    """The folder, locked as by another run."""
    folder.mkdir()
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)
