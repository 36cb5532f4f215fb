"""The labelled pairs of a benchmark: to train on, to choose by, and to be tested on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.seeding import rank
from pipeline.store import read

_PARTS = 10  # a missing dev split is one part of the training rows, a missing test split two more
SEED = 13  # of these parts and of shares: the same rows whatever the seed of a training run


@dataclass(frozen=True)
class Pairs:
    """n pairs of texts and how far each is a match."""

    a: list[str]
    b: list[str]
    target: NDArray[np.float32]  # [n], 0 to 1

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Iterable[int]) -> "Pairs":
        """Some of them, in the order given."""
        chosen = list(rows)
        return Pairs([self.a[row] for row in chosen], [self.b[row] for row in chosen], self.target[chosen])

    def share(self, percent: int) -> "Pairs":
        """About that share, drawn by content; each share holds the smaller ones."""
        return self.take(
            row
            for row, (a, b) in enumerate(zip(self.a, self.b, strict=True))
            if rank(SEED, "share", a, b) % 1000 < 10 * percent
        )


@dataclass(frozen=True)
class Task:
    """A benchmark of pairs. Where ``graded``, targets are scores over the largest score; else 0 or 1."""

    name: str
    graded: bool
    train: Pairs
    dev: Pairs
    test: Pairs

    def tested_on(self, count: int | None) -> "Task":
        """The same with the first ``count`` test pairs alone; all of them for None."""
        return replace(self, test=self.test.take(range(min(count or len(self.test), len(self.test)))))


def read_task(folder: Path, name: str) -> Task:
    """The pairs of one task in a folder of ``store.EXAMPLE``; SynsemError where it has none to train on.

    Without a train split dev is trained on, and a tenth of it, drawn by the first text, is what chooses.
    Without a test split a fifth of the training rows is tested.
    """
    table = read(folder)
    table = table.filter(pc.equal(table["task"].cast(pa.string()), name))
    rows = [row for row in table.to_pylist() if row["b"] is not None and _target(row) is not None]
    if not rows:
        raise SynsemError(f"{folder}: no labelled pairs of {name!r}; name it in download.benchmarks")
    graded = rows[0]["label"] is None
    splits: dict[str, list[Mapping[str, Any]]] = {"train": [], "dev": [], "test": []}
    for row in rows:
        splits[row["split"]].append(row)
    if not splits["train"]:
        splits["train"], splits["dev"] = splits["dev"], []
    for split, parts in (("dev", (0,)), ("test", (1, 2))):
        if not splits[split]:
            splits[split] = [row for row in splits["train"] if _part(row) in parts]
            splits["train"] = [row for row in splits["train"] if _part(row) not in parts]
    if not splits["train"]:
        raise SynsemError(f"{folder}: {name!r} has no pairs outside its test split, so nothing to train on")
    largest = max(_target(row) or 0.0 for row in rows) if graded else 1.0
    return Task(name, graded, *(_pairs(splits[split], largest) for split in ("train", "dev", "test")))


def _part(row: Mapping[str, Any]) -> int:
    return rank(SEED, "part", row["a"]) % _PARTS


def _target(row: Mapping[str, Any]) -> float | None:
    if row["label"] is not None:
        return float(row["label"]) if row["label"] in ("0", "1") else None
    return None if row["score"] is None else float(row["score"])


def _pairs(rows: list[Mapping[str, Any]], largest: float) -> Pairs:
    targets = np.array([_target(row) for row in rows], dtype=np.float32) / np.float32(largest)
    return Pairs([row["a"] for row in rows], [row["b"] for row in rows], targets)
