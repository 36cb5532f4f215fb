"""``benchmarks/cssl.py``: parsers beside spaCy on a treebank, where there is one."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from pipeline.core.schemas import SENTENCE
from pipeline.core.store import shard_path, write_rows

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def test_a_run_without_a_treebank_is_told_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after the default run, whose treebank is empty."""
    write_rows(shard_path(tmp_path / "corpus", 0), [], SENTENCE)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setattr(sys, "argv", ["cssl.py", str(tmp_path), "models/cssl/13"])
    import cssl

    with pytest.raises(SystemExit):
        cssl.main()
    assert "has no test split; name a treebank in cssl.treebank" in capsys.readouterr().err


def test_the_program_runs_the_code_that_it_lies_beside() -> None:
    """And not that of another clone, which may be the one that is installed."""
    program = [sys.executable, "-S", str(BENCHMARKS / "cssl.py"), "--help"]  # -S: no clone is on the path
    libraries = {"PYTHONPATH": sysconfig.get_path("purelib")}
    done = subprocess.run(program, capture_output=True, text=True, env=libraries)
    assert (done.returncode, done.stderr) == (0, "")
