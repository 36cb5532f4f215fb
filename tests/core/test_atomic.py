"""What is written appears whole or not at all, and one run at a time works on a folder."""

import errno
import fcntl
import shutil
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.core.atomic import atomic_folder, atomic_path, atomic_stream, demand_own, exclusive_lock
from pipeline.core.errors import SynsemError


def write(place: Path, text: str, folder: bool) -> None:
    if folder:
        place.mkdir(exist_ok=True)
        place /= "file"
    place.write_text(text)


def text_of(place: Path) -> str:
    return (place / "file" if place.is_dir() else place).read_text()


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("left", [None, "file", "folder"])
def test_a_path_is_replaced_by_what_was_written(tmp_path: Path, folder: bool, left: str | None) -> None:
    path = tmp_path / "home" / "out"
    for text in ("first", "second"):
        if left is not None and text == "second":  # by a run that was killed
            home = path.with_name("out.abcd1234.partial")
            home.mkdir()
            write(home / "out", "half", left == "folder")
        with atomic_path(path) as place:
            assert not place.exists()
            write(place, text, folder)
        assert text_of(path) == text
        assert list(path.parent.iterdir()) == [path]


def test_of_two_runs_at_once_the_later_ones_file_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with atomic_path(path) as late, late.open("w") as stream:
        stream.write("late")
        stream.flush()
        with atomic_path(path) as early:
            early.write_text("early")
        assert text_of(path) == "early"
        stream.write(" and whole")
    assert text_of(path) == "late and whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_has_the_mode_that_open_gives(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    with atomic_stream(tmp_path / "out") as sink:
        sink.write(b"x")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("there", [False, True])
def test_a_stream_to_a_link_writes_the_file_that_it_names(tmp_path: Path, there: bool) -> None:
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "target"
    target.parent.mkdir()
    if there:
        target.write_text("before")
    link.symlink_to(target)
    with atomic_stream(link) as sink:
        sink.write(b"after")
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("there", [False, True])
def test_a_link_to_a_folder_stays_and_its_target_is_replaced(tmp_path: Path, there: bool) -> None:
    """As where data lie on another disk."""
    link, target = tmp_path / "home" / "link", tmp_path / "elsewhere" / "target"
    link.parent.mkdir()
    target.parent.mkdir()
    if there:
        write(target, "before", folder=True)
    link.symlink_to(target)
    with atomic_folder(link, "file") as place:
        write(place, "after", folder=True)
    assert link.is_symlink()
    assert text_of(target) == text_of(link) == "after"
    assert list(target.parent.iterdir()) == [target]
    assert list(link.parent.iterdir()) == [link]


@pytest.mark.parametrize("failure", [RuntimeError("no"), OSError(28, "No space left on device")])
@pytest.mark.parametrize("folder", [False, True])
def test_a_failure_leaves_what_was_there(tmp_path: Path, failure: Exception, folder: bool) -> None:
    path = tmp_path / "out"
    write(path, "before", folder)
    expected = type(failure) if isinstance(failure, RuntimeError) else SynsemError
    with pytest.raises(expected), atomic_path(path) as place:
        write(place, "half", folder)
        raise failure
    assert text_of(path) == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    message = "out: could not be written (No space left on device); buy a disk"
    with pytest.raises(SynsemError, match=message.replace("(", r"\(").replace(")", r"\)")):  # noqa: SIM117
        with atomic_path(tmp_path / "out", remedy="buy a disk"):
            raise OSError(28, "No space left on device")


@pytest.mark.parametrize("place", ["file", "device"])
def test_what_is_not_about_the_path_is_told_as_what_it_is(tmp_path: Path, place: str) -> None:
    """An input that is missing or forbidden, or what a library calls an OSError, is no error of writing."""
    path = tmp_path / "out" if place == "file" else Path("/dev/null")
    failures = [FileNotFoundError(2, "No such file or directory", "input.txt")]
    failures += [PermissionError(13, "Permission denied", str(tmp_path / "input.txt"))]
    failures += [PermissionError(13, "Permission denied"), OSError("no tokenizer of that name")]
    for failure in failures:
        with pytest.raises(OSError) as caught, atomic_stream(path):
            raise failure
        assert caught.value is failure
    assert not list(tmp_path.iterdir())


def test_what_is_about_the_path_is_told_with_the_remedy(tmp_path: Path) -> None:
    out, taken = tmp_path / "out", tmp_path / "taken"
    taken.write_text("mine")
    told = pytest.raises(SynsemError, match="could not be written")
    for folder in (False, True):
        with told, atomic_path(out, folder=folder) as place:
            (place / "not there" / "file").write_text("x")
    with told, atomic_path(out) as place:
        raise OSError(28, "No space left on device", "input.txt", None, str(place))  # as copyfile tells it
    with told, atomic_path(out) as place:
        pa.OSFile(str(place / "not there"), "wb")
    with told, atomic_path(taken / "out"):
        pass
    with told, atomic_stream(Path("/dev/full")) as sink:
        sink.write(b"x")


def test_a_limit_on_the_size_of_files_or_a_folder_on_the_way_is_about_the_path(tmp_path: Path) -> None:
    failures = [OSError(number, "told without a name") for number in (errno.EFBIG, errno.EDQUOT, errno.EPIPE)]
    failures += [PermissionError(13, "denied", str(tmp_path))]
    for failure in failures:
        with pytest.raises(SynsemError, match="out: could not be written"), atomic_path(tmp_path / "out"):
            raise failure


def test_brackets_in_the_name_of_a_file_are_no_pattern(tmp_path: Path) -> None:
    left, other = tmp_path / "a[1].txt.abcd1234.partial", tmp_path / "a1.txt.abcd1234.partial"
    for folder in (left, other):
        folder.mkdir()
    with atomic_path(tmp_path / "a[1].txt") as place:
        place.write_text("x")
    assert other.exists()
    assert not left.exists()


def test_one_run_at_a_time_works_on_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with atomic_folder(path) as first:
        (first / "file").write_text("first")
        with pytest.raises(SynsemError, match="another run is at work on it"), atomic_folder(path):
            pass
    assert text_of(path) == "first"
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial" / "left").write_text("by a run that was killed")
    with atomic_folder(path, "file") as second:
        assert list(second.iterdir()) == []
        (second / "file").write_text("second")
    assert text_of(path) == "second"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("stopped", [False, True])
def test_a_run_that_begins_as_another_ends_keeps_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """The new folder is in its place, and the old one, which may be large, is being deleted."""
    path, delete = tmp_path / "out", shutil.rmtree
    path.mkdir()
    with ExitStack() as later:

        def deleted(folder: Path) -> None:
            monkeypatch.undo()
            assert folder == tmp_path / "out.replaced"
            (later.enter_context(atomic_folder(path, "file")) / "file").write_text("second")
            if stopped:  # by Ctrl-C
                raise KeyboardInterrupt
            delete(folder)

        monkeypatch.setattr(shutil, "rmtree", deleted)
        with suppress(KeyboardInterrupt), atomic_folder(path) as first:
            (first / "file").write_text("first")
        assert text_of(path) == "first"
    assert text_of(path) == "second"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("anew", [True, False])
def test_a_lock_of_a_folder_that_another_run_removed_meanwhile_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, anew: bool
) -> None:
    """Between opening and locking a run may discard its folder, and a third one make it anew."""
    place = tmp_path / "scratch"
    place.mkdir()
    lock = fcntl.flock

    def late(handle: int, how: int) -> None:
        monkeypatch.undo()
        place.rename(tmp_path / "gone")
        if anew:
            place.mkdir()
        lock(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(SynsemError, match="another run is at work on it"), exclusive_lock(place):
        pass


def test_a_device_is_written_to_as_it_is(tmp_path: Path) -> None:
    with atomic_stream(Path("/dev/null")) as sink:
        sink.write(b"gone")
    assert Path("/dev/null").is_char_device()
    with atomic_stream(tmp_path / "out") as sink:
        sink.write(b"kept")
    assert (tmp_path / "out").read_bytes() == b"kept"


def test_a_stream_that_breaks_off_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"before")
    with pytest.raises(RuntimeError), atomic_stream(tmp_path / "out") as sink:
        sink.write(b"half")
        sink.flush()
        assert (tmp_path / "out").read_bytes() == b"before"
        raise RuntimeError("broken off")
    assert (tmp_path / "out").read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_folders_files_are_as_readable_as_the_folder(tmp_path: Path) -> None:
    """Libraries that write to a temporary file first leave it to its owner alone."""
    with atomic_folder(tmp_path / "model") as folder:
        (folder / "inner").mkdir()
        for name in ("weights", "inner/weights", "program"):
            (folder / name).write_bytes(b"x")
            (folder / name).chmod(0o700 if name == "program" else 0o600)
    (tmp_path / "plain").write_bytes(b"x")
    usual = (tmp_path / "plain").stat().st_mode
    assert (tmp_path / "model/weights").stat().st_mode == usual
    assert (tmp_path / "model/inner/weights").stat().st_mode == usual
    assert (tmp_path / "model/program").stat().st_mode & 0o777 == 0o700


def test_a_folder_or_file_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    own, foreign, file = (tmp_path / name for name in ("own", "foreign", "file"))
    for folder, name in ((own, "part-00000.arrow"), (foreign, "my notes.txt")):
        folder.mkdir()
        (folder / name).touch()
    file.touch()
    for place, message in ((foreign, "foreign: holds other files"), (file, "file: is a file")):
        with pytest.raises(SynsemError, match=message), atomic_folder(place, "part-*.arrow"):
            raise AssertionError("it must be refused before any work")
    assert (foreign / "my notes.txt").exists()
    assert file.exists()
    (tmp_path / "empty").mkdir()
    for place in (own, tmp_path / "empty", tmp_path / "new"):
        demand_own(place, "part-*.arrow")
    for name in (
        "part-00001.arrow.partial",
        "report.json.partial",
        "report.json.abcd1234.partial",
        ".DS_Store",
    ):
        (own / name).touch()
    demand_own(own, "part-*.arrow", "report.json")
    (own / "my notes.txt").touch()
    with pytest.raises(SynsemError, match=r"own: holds other files, such as my notes\.txt, which would be"):
        demand_own(own, "part-*.arrow", "report.json")


# Replaces a folder, and is killed at the file-system call of the number that its second argument gives.
_KILLED = """
import os, shutil, sys
from pathlib import Path
from pipeline.core.atomic import atomic_path

left = int(sys.argv[2])
def counted(call):
    def counting(*arguments, **named):
        global left
        left -= 1
        if left < 0:
            os._exit(9)
        return call(*arguments, **named)
    return counting
Path.replace, shutil.rmtree, Path.unlink = map(counted, (Path.replace, shutil.rmtree, Path.unlink))
with atomic_path(Path(sys.argv[1]), folder=True) as place:
    (place / "file").write_text("new")
"""


def test_a_kill_at_any_moment_loses_no_folder(tmp_path: Path) -> None:
    seen = set()
    for step in range(20):
        path = tmp_path / str(step) / "out"
        write(path.parent, "", True)
        write(path, "old", True)
        code = subprocess.run([sys.executable, "-c", _KILLED, path, str(step)], check=False).returncode
        with pytest.raises(RuntimeError, match="no"), atomic_path(path, folder=True):
            raise RuntimeError("no")
        assert text_of(path) in ("old", "new")
        seen.add(text_of(path))
        with atomic_path(path, folder=True) as place:
            write(place, "newest", True)
        assert sorted(file.name for file in path.parent.iterdir()) == ["file", "out"]
        if code == 0:
            break
        assert code == 9
    assert step > 2
    assert seen == {"old", "new"}
