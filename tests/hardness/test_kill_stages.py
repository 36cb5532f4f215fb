"""A handful of kills at random moments; ``benchmarks/kill.py --kills 100`` is the long version."""

import random
import time
from pathlib import Path

import pytest

from benchmarks.kill import contents, torment
from tests.hardness.forked import finish, kill, start
from tests.hardness.small_project import BY_NAME


@pytest.mark.parametrize("name", ["download", "mine sscp", "report"])
def test_a_killed_stage_ends_with_the_bytes_of_a_calm_run(name: str, whole: Path) -> None:
    seed = time.time_ns()
    happened = torment(BY_NAME[name], whole, 1, 0.5, random.Random(seed), workers=1)
    assert happened["kills"] == 1, seed
    assert happened["wrong"] == happened["failed"] == 0, seed


def test_two_runs_at_once_end_with_the_bytes_of_one(project: Path) -> None:
    """Each does its work or is told that the other is at it; never do they spoil each other's."""
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


def test_the_runner_sees_what_is_left_over_missing_or_different(project: Path) -> None:
    from benchmarks.kill import differences

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
