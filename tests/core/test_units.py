"""Units of work become a few large files: the same rows, bounded disk, no loss by a kill or a full disk."""

import errno
import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import LABELS
from pipeline.core.units import FILE_BYTES, Units
from pipeline.core.workers import map_shards

SCHEMA = pa.schema([("number", pa.int64()), ("labels", LABELS), ("text", pa.string())])
COUNT = 12
SENTENCES, VARIANT_BYTES = 10**7, 1_429  # of docs/scale.md; variants take the most of all stages


@dataclass(frozen=True)
class Rows:
    """Writes as many rows as its number says, each unit with labels in another order; marks each call."""

    marks: Path

    def __call__(self, task: int, path: Path) -> Counter[str]:
        (self.marks / f"{task}").open("a").write("x")
        rows = [
            {"number": task, "labels": [f"l{task + row}", f"l{row}"], "text": "x" * 100}
            for row in range(task)
        ]
        store.write_rows(path, rows, SCHEMA)
        return Counter({"kept.rows": task, f"kept.of {task % 3}": 1})


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


def run(marks: Path, out: Path, workers: int = 1, count: int = COUNT) -> Counter[str]:
    return map_shards(Rows(marks), range(count), out, key="k", workers=workers, label="rows")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def calls(marks: Path) -> dict[int, int]:
    return {int(path.name): path.stat().st_size for path in marks.iterdir()}


def limited(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("pipeline.core.units.FILE_BYTES", size)


def test_ten_million_sentences_are_at_most_200_files() -> None:
    assert SENTENCES * VARIANT_BYTES / FILE_BYTES <= 200


@pytest.mark.parametrize("size", [5_000, 2**30])
def test_files_are_cut_by_bytes_and_rows_stay(
    size: int, scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, 1)
    counts = run(marks, tmp_path / "small")
    assert len(store.shards(tmp_path / "small")) == COUNT  # a file a unit
    limited(monkeypatch, size)
    for workers in (1, 2):
        assert run(marks, tmp_path / f"large{workers}", workers) == counts
    assert contents(tmp_path / "large1") == contents(tmp_path / "large2")
    files = store.shards(tmp_path / "large1")
    assert len(files) == (1 if size == 2**30 else 4)
    assert list(store.rows(tmp_path / "large1")) == list(store.rows(tmp_path / "small"))
    # Each unit is a record batch, so that ranges of rows do not depend on the number of files.
    lengths = [len(batch) for path in files for batch in store.read_file(path).to_batches()]
    assert lengths == list(range(1, COUNT))
    few, many = (
        [part.stop - part.start for part in store.slices(tmp_path / name, 4)] for name in ("large1", "small")
    )
    assert few == many
    assert not list(scratch.rglob("*.arrow"))


def test_the_disk_holds_the_units_of_one_file_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marks: Path
) -> None:
    limited(monkeypatch, 5_000)
    home = tmp_path / "home"
    home.mkdir()
    units = Units(home, tmp_path / "out", COUNT)
    waiting = []
    for number in units.missing:
        rows, counts = units.paths(number)
        store.write_json(counts, Rows(marks)(number, rows))
        units.join()
        waiting.append(sum(path.stat().st_size for path in home.glob("part-*.arrow")))
    assert max(waiting) < 5_000
    assert waiting[-1] == 0
    assert not list(home.glob("*.json"))


def test_more_labels_in_a_file_than_it_can_number_are_refused(
    scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = store.write_rows

    def relabelled(path: Path, rows: list[dict], schema: pa.Schema) -> None:
        write(path, [{**rows[0], "labels": [f"{path.name} {n}" for n in range(20_000)]}], schema)

    monkeypatch.setattr(store, "write_rows", relabelled)
    with pytest.raises(
        SynsemError, match=r"part-00000\.arrow: more than 32,768 different values of 'labels'"
    ):
        map_shards(Rows(marks), [1, 2], tmp_path / "out", key="k", workers=1, label="rows")


@pytest.mark.parametrize("failing", ["part-00001.arrow", "00001.json"])
def test_a_full_disk_while_files_are_joined_loses_nothing(
    failing: str, scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, 5_000)
    run(marks, tmp_path / "whole")
    before = calls(marks)
    replace = Path.replace

    def full(source: Path, target: Path) -> Path:
        if target.parent.name == "joined" and target.name == failing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(SynsemError, match=f"{failing}: could not be written .No space left.*; free space"):
        run(marks, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    done = {number for number, times in calls(marks).items() if times > before[number]}
    assert len(done) > 3
    monkeypatch.setattr(Path, "replace", replace)
    run(marks, tmp_path / "out", workers=2)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert set(calls(marks).values()) == {2}  # no unit was made again


def stop_in_unit_9(marks: Path, folder: Path, error: Exception) -> str:
    """Write all units to ``folder/whole``, to ``folder/out`` until the one numbered 9 fails; what is said."""
    run(marks, folder / "whole")
    write = store.write_batches

    def stop(path: Path, *given: object) -> None:
        if path.name == "part-00009.arrow":
            with store.atomic_path(path):
                raise error
        write(path, *given)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SynsemError) as raised:
        patch.setattr(store, "write_batches", stop)
        run(marks, folder / "out")
    return str(raised.value)


def test_a_full_disk_in_a_unit_loses_no_other(
    scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, 5_000)
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    said = stop_in_unit_9(marks, tmp_path, error)
    assert re.search(r"part-00009\.arrow: could not be written .No space left", said)
    run(marks, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert {number for number, times in calls(marks).items() if times > 2} == {9}


@pytest.mark.parametrize(
    "broken", ["part-00008.arrow", "00008.json", "joined/part-00001.arrow", "joined/00001.json"]
)
def test_of_a_stopped_stage_what_is_broken_is_made_again_alone(
    broken: str, scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a power cut leaves files that had been renamed, but were not on the disk yet."""
    limited(monkeypatch, 5_000)
    assert stop_in_unit_9(marks, tmp_path, SynsemError("stopped")) == "stopped"
    path = scratch / "rows" / "k" / broken
    path.write_bytes(path.read_bytes()[:-100])
    run(marks, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    again = {number for number, times in calls(marks).items() if times > 2}
    files = [store.read_file(path)["number"].to_pylist() for path in store.shards(tmp_path / "out")]
    assert again == {9} | ({8} if "8" in broken else set(files[1]))


@pytest.mark.parametrize("harm", ["cut short", "deleted"])
def test_of_a_complete_stage_a_broken_file_is_made_again_alone(
    harm: str, scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, 5_000)
    counts = run(marks, tmp_path / "out")
    whole, before = contents(tmp_path / "out"), calls(marks)
    files = store.shards(tmp_path / "out")
    rows = [store.read_file(path)["number"].to_pylist() for path in files]
    if harm == "deleted":
        files[2].unlink()
    else:
        files[2].write_bytes(whole["part-00002.arrow"][:-100])
        with pytest.raises(
            SynsemError, match=r"part-00002\.arrow: not a readable Arrow file .*; delete it and"
        ):
            list(store.rows(tmp_path / "out"))
    assert run(marks, tmp_path / "out") == counts
    assert contents(tmp_path / "out") == whole
    assert {number for number, times in calls(marks).items() if times > before[number]} == set(rows[2])
    assert run(marks, tmp_path / "out", count=5)["kept.rows"] == sum(
        range(5)
    )  # of other tasks nothing is kept
    assert [row["number"] for row in store.rows(tmp_path / "out")] == [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]


def test_a_full_disk_while_files_are_brought_leaves_the_output_as_it_was(
    scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scratch lies on another disk here, so files are copied."""
    limited(monkeypatch, 5_000)
    out = tmp_path / "out"
    run(marks, out, count=5)
    store.write_json(out / "report.json", "of the old rows")
    before = contents(out)
    copyfile = shutil.copyfile

    def elsewhere(target: Path, source: Path) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(target))

    def full(source: Path, target: Path) -> None:
        if target.name == "part-00002.arrow":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        copyfile(source, target)

    monkeypatch.setattr(Path, "hardlink_to", elsewhere)
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(SynsemError, match=r"out: could not be written .No space left.*; free space"):
        run(marks, out)
    assert contents(out) == before
    made = calls(marks)
    monkeypatch.setattr(shutil, "copyfile", copyfile)
    run(marks, out)
    assert calls(marks) == made  # no unit was made again
    # No old report may speak of new rows.
    assert set(contents(out)) == {path.name for path in store.shards(out)}
    assert [row["number"] for row in store.rows(out)] == [n for n in range(COUNT) for _ in range(n)]


@pytest.mark.parametrize("taken_away", [False, True])
def test_killed_while_files_are_moved_it_goes_on(
    taken_away: bool, scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DVC removes the output before it starts a stage again: those files' units are made anew."""
    limited(monkeypatch, 5_000)
    run(marks, tmp_path / "whole")
    publish = Units.publish

    def killed(units: Units) -> Counter[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(Units, "publish", killed)
    with pytest.raises(KeyboardInterrupt):
        run(marks, tmp_path / "out")
    monkeypatch.setattr(Units, "publish", publish)
    joined = scratch / "rows" / "k" / "joined"
    (tmp_path / "out").mkdir()
    for number in (0, 2):
        store.shard_path(joined, number).rename(store.shard_path(tmp_path / "out", number))
    if taken_away:
        store.shard_path(tmp_path / "out", 2).write_bytes(b"another")
    counts = run(marks, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert counts["kept.rows"] == sum(range(COUNT))
    again = {number for number, times in calls(marks).items() if times > 2}
    assert (0 < len(again) < 5) if taken_away else not again


def test_a_folder_that_a_kill_left_beside_its_place_is_found(
    scratch: Path, marks: Path, tmp_path: Path
) -> None:
    """Between the two renames that exchange the folders: nothing is made again."""
    out = tmp_path / "out"
    run(marks, out)
    before, made = contents(out), calls(marks)
    out.rename(tmp_path / "out.replaced")
    run(marks, out)
    assert contents(out) == before
    assert calls(marks) == made


def test_the_root_of_a_disk_is_refused_before_any_work(
    scratch: Path, marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.path.ismount", lambda path: Path(path) == tmp_path / "out")
    with pytest.raises(SynsemError, match=r"out: a whole disk lies there.*name a folder in it"):
        run(marks, tmp_path / "out")
    assert not calls(marks)


def test_no_work_is_no_file(scratch: Path, marks: Path, tmp_path: Path) -> None:
    assert run(marks, tmp_path / "out", count=0) == {}
    assert contents(tmp_path / "out") == {}
