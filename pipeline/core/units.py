"""Finished units of work, joined in their order into the files of a stage's output.

A unit is small, so that a kill loses little; a file is large, so that ten million sentences are some hundred
files. Units are joined while the stage runs and deleted once their file is complete: beside the output the
disk holds the units of about one file. Each unit stays one record batch of its file.
"""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict, cast

from pipeline.core import store
from pipeline.core.atomic import atomic_path, put_back
from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json, read_object, shard_path, write_json

FILE_BYTES = 128 * 2**20  # a file ends with the unit that reaches them; workers decide nothing of it


class _Record(TypedDict):
    """What a complete file holds: the units ``start .. stop - 1`` and the sum of their counts."""

    start: int
    stop: int
    sha256: str
    counts: dict[str, int]


class Units:
    """The units ``0 .. count - 1`` of a stage in its scratch folder ``home``, to become files of ``out``.

    What an earlier run that was killed had finished or joined is used again, and so are files of ``out`` that
    are still as it left them. ``missing`` are the numbers of the units still to be made, among them those
    whose files a power cut has broken. Raises SynsemError where the disk is full; nothing is lost by that.
    """

    def __init__(self, home: Path, out: Path, count: int) -> None:
        self.home, self.out, self.count = home, out, count
        if os.path.ismount(out.resolve()):
            raise SynsemError(
                f"{out}: a whole disk lies there, which cannot be replaced; name a folder in it"
            )
        put_back(out)  # what a kill left beside it
        self._joined = home / "joined"
        self._records: dict[int, _Record] = {}  # of complete files, by number
        # The file to be joined next: its number, its units ``start .. stop - 1`` so far, and their size.
        self._number = self._start = self._stop = self._bytes = 0
        joined = set[int]()
        for path in self._joined.glob("*.json"):
            try:
                record = cast(_Record, read_object(path, *_Record.__annotations__))
            except SynsemError:  # of a power cut; its units are made again
                continue
            if record["stop"] <= count and self._complete(int(path.stem), record["sha256"]):
                self._records[int(path.stem)] = record
                joined.update(range(record["start"], record["stop"]))
        for path in home.glob("part-*.arrow"):
            if int(path.stem.removeprefix("part-")) in joined:
                self._delete(int(path.stem.removeprefix("part-")))
        self.missing = [number for number in range(count) if number not in joined and not self._whole(number)]

    def paths(self, number: int) -> tuple[Path, Path]:
        """Where a unit's rows and its counts are to be written; the counts last."""
        return shard_path(self.home, number), self.home / f"{number:05d}.json"

    def join(self) -> None:
        """Join the units made so far, in order, into every file that they fill."""
        while self._start < self.count:
            if self._number in self._records:
                self._next_file(self._records[self._number]["stop"])
                continue
            while self._stop < self.count and self._bytes < FILE_BYTES:
                if not self._made(self._stop):
                    return
                self._bytes += self.paths(self._stop)[0].stat().st_size
                self._stop += 1
            self._records[self._number] = self._write(self._number, range(self._start, self._stop))

    def counts(self) -> Counter[str]:
        """The sum of the units' counts, once all are joined."""
        total: Counter[str] = Counter()
        for number in range(self._number):
            total.update(self._records[number]["counts"])
        return total

    def publish(self) -> Counter[str]:
        """Replace ``out`` by the files, once all units are joined; returns the sum of the units' counts."""
        with self.published():
            return self.counts()

    @contextmanager
    def published(self) -> Iterator[None]:
        """Bring the files beside ``out``, once all units are joined; on a clean exit they replace it.

        Until then ``out`` stays as it is. The records stay in ``home``, a few hundred bytes a file: by them
        the next run makes only what is missing of ``out`` or broken. Raises SynsemError where the disk is
        full.
        """
        with atomic_path(self.out, folder=True) as new:
            for number in range(self._number):
                _link(self._place(number), shard_path(new, number))
            yield
        for path in self._joined.glob("part-*.arrow"):
            path.unlink()
        for path in self._joined.glob("*.json"):
            if int(path.stem) >= self._number:  # of an earlier, longer run
                path.unlink()

    def _made(self, number: int) -> bool:
        return all(path.exists() for path in self.paths(number))

    def _whole(self, number: int) -> bool:
        """Whether a unit of an earlier run can be read; one that is broken is deleted."""
        rows, counts = self.paths(number)
        try:
            if self._made(number):
                store.read_file(rows)
                read_json(counts)
                return True
        except SynsemError:
            self._delete(number)
        return False

    def _delete(self, number: int) -> None:
        for path in self.paths(number):
            path.unlink(missing_ok=True)

    def _place(self, number: int) -> Path:
        """Where a complete file is: among the joined ones, or in ``out`` if this or an earlier run ended."""
        joined = shard_path(self._joined, number)
        return joined if joined.exists() else shard_path(self.out, number)

    def _complete(self, number: int, sha256: str) -> bool:
        place = self._place(number)
        return place.exists() and store.sha256(place) == sha256

    def _next_file(self, start: int) -> None:
        self._number += 1
        self._start = self._stop = start
        self._bytes = 0

    def _write(self, number: int, units: range) -> _Record:
        """Join some units into one file; returns its record."""
        tables = [store.read_file(self.paths(unit)[0]) for unit in units]
        target = shard_path(self._joined, number)
        # Few units have constituents; the column is null in the others.
        table = store.combined(tables, target)
        store.write_batches(target, table.schema, table.to_batches())
        counts: Counter[str] = Counter()
        for unit in units:
            counts.update(read_json(self.paths(unit)[1]))
        sha256 = store.sha256(target)
        record = _Record(start=units.start, stop=units.stop, sha256=sha256, counts=dict(counts))
        write_json(self._joined / f"{number:05d}.json", record)  # now the file is complete
        for unit in units:
            self._delete(unit)
        return record


def _link(source: Path, target: Path) -> None:
    try:
        if source.is_symlink():  # as DVC may leave it, to a file of its cache
            target.symlink_to(source.resolve())
        else:
            target.hardlink_to(source)
    except OSError:  # scratch lies on another disk, or this one has no links
        shutil.copyfile(source, target)
