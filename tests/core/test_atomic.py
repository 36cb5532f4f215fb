"""What is written appears whole or not at all, and one run at a time works on a folder."""

from pathlib import Path

import pytest

from pipeline.core.atomic import atomic_folder, atomic_path, atomic_stream, exclusive_lock
from pipeline.core.errors import SynsemError


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "home" / "out.npy"
    for text in ("first", "second"):
        with atomic_path(path) as place:
            assert place.suffix == ".npy"
            place.write_text(text)
        assert path.read_text() == text
    with pytest.raises(OSError), atomic_path(path) as place:
        place.write_text("half")
        raise OSError(28, "No space left on device")
    assert path.read_text() == "second"
    assert files(path.parent) == ["out.npy"]


def test_two_writers_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with atomic_path(path) as late:
        with atomic_path(path) as early:
            early.write_text("early")
        late.write_text("late")
    assert path.read_text() == "late"


def test_a_stream_follows_a_link_or_goes_to_a_device(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for path in (tmp_path / "link", Path("/dev/null")):
        with atomic_stream(path) as sink:
            sink.write(b"text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"
    assert Path("/dev/null").is_char_device()


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    for text in ("first", "second"):
        with atomic_folder(path, "*.txt") as new:
            assert not files(new)
            (new / f"{text}.txt").write_text(text)
        assert files(path) == [f"{text}.txt"]
    with pytest.raises(OSError), atomic_folder(path, "*.txt") as new:
        (new / "third.txt").write_text("half")
        raise OSError(28, "No space left on device")
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial" / "left.txt").write_text("by a run that was killed")
    assert files(path) == ["second.txt"]
    with atomic_folder(path, "*.txt"):
        pass
    assert files(tmp_path) == ["out"]
    assert files(path) == []


def test_a_link_to_a_folder_stays(tmp_path: Path) -> None:
    """As where data lie on another disk."""
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with atomic_folder(tmp_path / "link") as new:
        (new / "file").touch()
    assert (tmp_path / "link").is_symlink()
    assert files(tmp_path / "elsewhere") == ["file"]


def test_somebody_elses_files_stay(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(SynsemError, match="would be deleted"), atomic_folder(place, "part-*.arrow"):
            raise AssertionError("it must be refused before any work")
    assert (tmp_path / "file").exists()


def test_weights_are_as_readable_as_other_files(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "model") as folder:
        for name in ("model.safetensors", "config.json"):
            (folder / name).touch(0o600 if name == "model.safetensors" else 0o666)
    modes = {(tmp_path / "model" / name).stat().st_mode for name in files(tmp_path / "model")}
    assert len(modes) == 1


def test_one_run_at_a_time(tmp_path: Path) -> None:
    wait = pytest.raises(SynsemError, match="another run is at work on it")
    with atomic_folder(tmp_path / "out"), wait, atomic_folder(tmp_path / "out"):
        pass
    with exclusive_lock(tmp_path), wait, exclusive_lock(tmp_path):
        pass
