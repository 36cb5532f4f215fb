"""Scratch folders: the same work finds its folder again, and other work never does."""

import os
import runpy
import time
from pathlib import Path

import pytest

from pipeline.core import scratch as scratch_module
from pipeline.core.atomic import exclusive_lock
from pipeline.core.disk_cache import DiskCache
from pipeline.core.errors import SynsemError
from pipeline.core.scratch import code_digest, deciding, discard, folder, key

A, B, C = ("a" * 24, "b" * 24, "c" * 24)  # keys


def test_the_key_follows_inputs_parameters_and_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("text")
    two.write_text("text")
    same = key([one], "model 1", 3)
    assert same == key([two], "model 1", 3)  # by content, not by place
    assert len(same) == 24
    others = {key([one, two], "model 1", 3), key([one], "model 2", 3), key([one], "model 1", 4), key([one])}
    others |= {key([one], "model 1", "3"), key([one], 3, "model 1")}
    two.write_text("text!")
    others.add(key([two], "model 1", 3))
    monkeypatch.setattr(scratch_module, "code_digest", lambda: "other code")
    others.add(key([one], "model 1", 3))
    assert len(others) == 8
    assert same not in others


@pytest.mark.parametrize("name", ["rule.py", "lexicon.tsv", "deep/frames.yaml"])
def test_the_digest_of_the_code_follows_the_lists_that_it_reads(tmp_path: Path, name: str) -> None:
    """A run that was killed before an edit of a word list must not lend its shards to one after it."""
    digest = code_digest.__wrapped__
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("one")
    before = digest(tmp_path)
    (tmp_path / "page.html").write_text("of the report")
    assert digest(tmp_path) == before
    file.write_text("two")
    assert digest(tmp_path) != before


def test_the_digest_of_the_code_is_of_names_and_contents_wherever_the_library_lies(tmp_path: Path) -> None:
    digest = code_digest.__wrapped__
    for home in ("one", "other"):
        for name, text in (("a.py", "first"), ("deep/b.py", "second")):
            file = tmp_path / home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    assert digest(tmp_path / "one") == digest(tmp_path / "other")
    (tmp_path / "other" / "a.py").rename(tmp_path / "other" / "c.py")
    assert digest(tmp_path / "one") != digest(tmp_path / "other")


def test_lists_that_encoders_read_are_among_what_decides_a_vector() -> None:
    """The cache of vectors is named by these files: those of a control's trees are data, not code."""
    networks = Path(scratch_module.__file__).parents[1] / "nn"
    found = {path.name for path in deciding(networks)}
    assert found >= {"other_trees.tsv", "tree_controls.py"}


def test_a_folder_is_found_again_and_those_of_other_runs_stay_until_they_are_old(scratch: Path) -> None:
    first = folder("parse", A)
    (first / "part").write_text("done")
    second = folder("parse", B)
    assert (folder("parse", A) / "part").read_text() == "done"
    assert second.is_dir()
    long_ago = time.time() - 30 * 24 * 3600
    os.utime(first, (long_ago, long_ago))
    folder("augment", C)
    assert first.is_dir()
    folder("parse", C)
    assert not first.exists()
    assert second.is_dir()
    discard(second)
    assert not second.exists()
    discard(second)  # a second time does no harm


@pytest.mark.parametrize(("hours", "stays"), [(7 * 24 - 1, True), (7 * 24 + 1, False)])
def test_a_folder_of_another_run_is_old_after_a_week(scratch: Path, hours: int, stays: bool) -> None:
    other = folder("parse", A)
    long_ago = time.time() - hours * 3600
    os.utime(other, (long_ago, long_ago))
    folder("parse", B)
    assert other.exists() == stays


def test_old_folders_of_the_users_own_stay(scratch: Path) -> None:
    """SYNSEM_SCRATCH may name a folder that holds other things, too."""
    mine = [
        scratch / "parse" / name for name in ("thesis-results", "A" * 24, "a" * 23, "a" * 25, "notes.txt")
    ]
    for other in mine:
        other.mkdir(parents=True)
        os.utime(other, (0, 0))
    folder("parse", A)
    assert all(other.exists() for other in mine)


@pytest.mark.parametrize(
    ("named", "root"), [("elsewhere", "elsewhere"), ("", ".scratch"), (None, ".scratch")]
)
def test_an_empty_name_of_the_root_is_none(
    named: str | None, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The empty path is the project's folder, whose subfolders are no scratch."""
    monkeypatch.delenv("SYNSEM_SCRATCH", raising=False)
    if named is not None:
        monkeypatch.setenv("SYNSEM_SCRATCH", named)
    assert runpy.run_path(scratch_module.__file__)["ROOT"] == Path(root)


def test_a_folder_that_is_asked_for_is_never_too_old(scratch: Path) -> None:
    """Work that was stopped is resumed however long ago that was."""
    own = folder("parse", A)
    (own / "part").write_text("done")
    long_ago = time.time() - 30 * 24 * 3600
    os.utime(own, (long_ago, long_ago))
    assert (folder("parse", A) / "part").read_text() == "done"


def test_a_folder_that_another_process_removes_meanwhile_is_passed_over(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the processes of torchrun begin together and all find the same old folder."""
    gone = folder("parse", A)
    gone.rmdir()
    monkeypatch.setattr(Path, "iterdir", lambda _: iter([gone]))
    assert folder("parse", B).is_dir()


def test_a_folder_that_a_run_holds_stays_however_old_it_is(scratch: Path) -> None:
    """A stopped process, or a clock that was set, makes a folder old under a run that lives."""
    held = folder("parse", A)
    (held / "part").write_text("done")
    with exclusive_lock(held):
        long_ago = time.time() - 30 * 24 * 3600
        os.utime(held, (long_ago, long_ago))
        folder("parse", B)
        folder("parse", A)  # a second run of the same work, before it asks for the lock
        assert (held / "part").read_text() == "done"
    folder("parse", B)
    assert not held.exists()


def test_a_folder_that_cannot_be_made_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(scratch_module, "ROOT", tmp_path / "file")
    with pytest.raises(
        SynsemError, match=r"file/evaluate/k: cannot be made .*; set SYNSEM_SCRATCH to a folder"
    ):
        folder("evaluate", "k")
    with pytest.raises(SynsemError, match=r"file/cache: cannot be made .*; name another folder by --cache"):
        DiskCache(tmp_path / "file" / "cache")
