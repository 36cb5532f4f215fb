"""A parse that is killed goes on where it was; one without room on the disk leaves what was there."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.core.schemas import DOCUMENT
from pipeline.core.store import ShardWriter, sha256
from tests.parsing.conftest import document

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
# The stage in a process of its own, with few documents a shard and a limit on the size of files.
SCRIPT = """
import resource, sys
from pathlib import Path
from pipeline.core.params import load
from pipeline.parsing import base, run
from tests.parsing.chain_parser import Chain

if __name__ == "__main__":
    home, out, limit = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    base.BACKENDS["chain"] = Chain
    run.DOCUMENTS_PER_SHARD = 3
    params = load(Path("params.yaml"), "parse").parse.model_copy(update={"models": {"en": "chain:x"}})
    run.parse_folders(home / "corpus", home / "benchmarks", out, params, 2)
"""


@pytest.fixture
def project(data: Path) -> Path:
    (data / "run.py").write_text(SCRIPT)
    with ShardWriter(data / "corpus", DOCUMENT) as corpus:
        for number in range(30):
            corpus.add(document(number, f"The {number} boys ran home.\nThe dog saw {number} cats."))
    return data


def command(home: Path, out: str, limit: int = 0) -> list[str]:
    return [sys.executable, *map(str, (home / "run.py", home, home / out, limit))]


def environment(home: Path, seconds: float = 0.0, scratch: str = "scratch") -> dict[str, str]:
    own = {"PYTHONPATH": str(ROOT), "SYNSEM_SCRATCH": str(home / scratch), "SECONDS_A_PASSAGE": str(seconds)}
    return os.environ | own


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): sha256(path) for path in folder.rglob("*") if path.is_file()}


def test_a_killed_parse_goes_on(project: Path) -> None:
    process = subprocess.Popen(command(project, "out"), env=environment(project, 0.2), cwd=ROOT)
    finished = project / "scratch" / "parse"
    deadline = time.monotonic() + 120
    while len(list(finished.glob("*/part-*.arrow"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.5)
    kept = {path: path.stat().st_mtime_ns for path in finished.glob("*/part-*.arrow")}
    assert 3 <= len(kept) < 11
    assert not (project / "out").exists()
    # Stopped at its last step, the second run keeps all shards: those of the first are not made again.
    (project / "out").mkdir()
    (project / "out" / "notes.txt").touch()
    subprocess.run(command(project, "out"), env=environment(project), cwd=ROOT, stderr=subprocess.PIPE)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    (project / "out" / "notes.txt").unlink()
    subprocess.run(command(project, "out"), env=environment(project), cwd=ROOT, check=True)
    assert not list(finished.glob("*/*"))
    subprocess.run(command(project, "whole"), env=environment(project, scratch="other"), cwd=ROOT, check=True)
    assert contents(project / "out") == contents(project / "whole")


def test_a_full_disk_leaves_what_was_there(project: Path) -> None:
    subprocess.run(command(project, "out"), env=environment(project), cwd=ROOT, check=True)
    before = contents(project / "out")
    largest = max(path.stat().st_size for path in (project / "out").rglob("*.arrow"))
    full = command(project, "out", limit=largest - 1)
    done = subprocess.run(full, env=environment(project), cwd=ROOT, capture_output=True, text=True)
    assert "File too large" in done.stderr
    assert contents(project / "out") == before
    assert {path.name for path in project.iterdir()} >= {"out", "scratch"}
    assert not list(project.glob("*.partial"))
