"""Scratch folders: the same work finds its folder again, and other work never does."""

import os
import time
from pathlib import Path

import pytest

from pipeline.core import scratch as scratch_module
from pipeline.core.scratch import folder, key

A, B = "a" * 24, "b" * 24  # keys


def test_the_key_follows_inputs_parameters_and_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("text")
    two.write_text("text")
    same = key([one], "model 1", 3)
    assert same == key([two], "model 1", 3)  # by content, not by place
    others = {key([one, two], "model 1", 3), key([one], "model 2", 3), key([one], "model 1", 4), key([one])}
    others |= {key([one], "model 1", "3"), key([one], 3, "model 1")}
    two.write_text("text!")
    others.add(key([two], "model 1", 3))
    monkeypatch.setattr(scratch_module, "code_digest", lambda: "other code")
    others.add(key([one], "model 1", 3))
    assert len(others) == 8
    assert same not in others


def test_an_old_folder_of_another_run_goes(scratch: Path) -> None:
    """Never the run's own, nor what a user keeps in the folder that SYNSEM_SCRATCH names."""
    first, notes = folder("parse", A), scratch / "parse" / "notes"
    notes.mkdir()
    for path in (first, notes):
        os.utime(path, (time.time() - 30 * 24 * 3600,) * 2)
    folder("augment", B)
    assert folder("parse", A) == first
    second = folder("parse", B)
    assert sorted(scratch.glob("parse/*")) == [second, notes]
