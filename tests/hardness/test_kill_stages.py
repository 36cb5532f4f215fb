"""A handful of kills at random moments; ``benchmarks/kill.py --kills 100`` is the long version."""

import random
import time
from pathlib import Path

import pytest

from benchmarks.kill import contents, differences, kill_repeatedly
from stages.evaluate import main as evaluate
from tests.hardness.forked import finish, kill, start
from tests.hardness.small_project import BY_NAME


@pytest.mark.parametrize("name", ["download", "mine sscp", "evaluate sscp", "report"])
def test_a_killed_stage_ends_with_the_bytes_of_an_undisturbed_run(name: str, whole: Path) -> None:
    seed = time.time_ns()
    counts = kill_repeatedly(BY_NAME[name], whole, 1, 0.5, random.Random(seed), workers=1)
    assert counts["kills"] == 1, seed
    assert counts["wrong"] == counts["failed"] == 0, seed


def test_an_evaluation_that_was_stopped_embeds_no_text_twice(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], scratch: Path
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    before = contents(project)
    BY_NAME["evaluate sscp"].clear(project)
    monkeypatch.chdir(project)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("pipeline.evaluation.run.write", stop)
        evaluate("sscp", 13)
    evaluate("sscp", 13)
    assert "evaluate sscp-13: 0 texts embedded" in capsys.readouterr().out
    assert contents(project) == before
    assert not list((scratch / "evaluate").iterdir())


def test_two_runs_at_once_end_with_the_bytes_of_one(project: Path) -> None:
    """Each does its work or says that the other is running; neither damages the other's files."""
    before = contents(project)
    stage = BY_NAME["parse"]
    stage.clear(project)
    one, two = start(project, *stage.command), start(project, *stage.command)
    one.join()
    two.join()
    said = (project / "log").read_text()
    assert "Traceback" not in said
    assert sorted((one.exitcode, two.exitcode)) in ([0, 0], [0, 1])
    if 1 in (one.exitcode, two.exitcode):
        assert "another run is at work on it" in said
    assert contents(project) == before


def test_left_over_missing_and_different_files_are_reported(project: Path) -> None:
    before = contents(project)
    (project / "data" / "corpus" / "part-00000.arrow.partial").write_bytes(b"x")
    (project / "reports" / "results.md").write_text("x")
    (project / "reports" / "headline.json").unlink()
    assert differences(project, before) == [
        "differs reports/results.md",
        "left over data/corpus/part-00000.arrow.partial",
        "missing reports/headline.json",
    ]
    process = start(project, "--help")
    process.join()
    assert not kill(process)  # one that has ended is no kill
    assert finish(project, "tree")[0] == 2
