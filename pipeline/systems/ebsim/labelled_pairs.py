"""The labelled pairs of a benchmark, in training, development and test splits."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError, first_few
from pipeline.core.linked import linked
from pipeline.core.schemas import EXAMPLE
from pipeline.core.seeding import stable_hash
from pipeline.core.store import read, require_rows

_PARTS = 10  # of the training rows; a missing dev split takes one part, a missing test split two
_SEED = 13  # of parts and shares, which are the same rows whatever the seed of a training run


@dataclass(frozen=True)
class Pairs:
    """n pairs of texts, each with a target for how well it matches."""

    a: list[str]
    b: list[str]
    target: NDArray[np.float32]  # [n], 0 to 1

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Iterable[int]) -> "Pairs":
        """The pairs of ``rows``, in that order."""
        chosen = list(rows)
        return Pairs([self.a[row] for row in chosen], [self.b[row] for row in chosen], self.target[chosen])

    def share(self, percent: int) -> "Pairs":
        """About that percentage, drawn by content; each share includes the smaller ones."""
        return self.take(
            row
            for row, (a, b) in enumerate(zip(self.a, self.b, strict=True))
            if stable_hash(_SEED, "share", a, b) % 1000 < 10 * percent
        )


@dataclass(frozen=True)
class Task:
    """A benchmark of pairs. ``graded`` targets are scores divided by the largest score; others are 0 or 1.

    ``unlabelled`` pairs, whose label is neither 0 nor 1 or that have a score alone among pairs with labels,
    are in none of the splits.
    """

    name: str
    graded: bool
    train: Pairs
    dev: Pairs
    test: Pairs
    unlabelled: int = 0

    def tested_on(self, count: int | None) -> "Task":
        """The same task with only the first ``count`` test pairs; with all of them for None."""
        return replace(self, test=self.test.take(range(len(self.test))[:count]))

    def demand_judgeable(self) -> None:
        """Raise SynsemError where the dev or the test pairs are too alike to judge a matcher by."""
        wanted = "of different scores" if self.graded else "that match and pairs that do not"
        for split, pairs in (("dev", self.dev), ("test", self.test)):
            if len(np.unique(pairs.target)) < 2:
                raise SynsemError(
                    f"{self.name!r}: the {len(pairs)} pairs of its {split} split judge no matcher; "
                    f"give it pairs {wanted}"
                )


def read_task(folder: Path, name: str) -> Task:
    """The pairs of one task in a folder of ``schemas.EXAMPLE``; SynsemError where none can be trained on.

    Without a train split it trains on the dev split. A missing dev split is a tenth of the training rows, a
    missing test split a fifth. They are drawn by the first text; of the test split, no text is in training.
    """
    require_rows(folder, EXAMPLE)
    table = read(folder)
    known = table["task"].unique().to_pylist()
    table = table.filter(pc.equal(table["task"].cast(pa.string()), name))
    found = [row for row in table.to_pylist() if row["b"] is not None]
    rows = [row for row in found if _target(row) is not None]
    if not rows:
        if labels := sorted({repr(row["label"]) for row in found if row["label"] is not None}):
            raise SynsemError(
                f"{folder}: the pairs of {name!r} have the labels {first_few(labels, 6)}; "
                "write 1 for the same meaning and 0 for another"
            )
        remedy = "take a benchmark of pairs" if name in known else "name it in download.benchmarks"
        raise SynsemError(f"{folder}: no labelled pairs of {name!r}; {remedy}")
    graded = all(row["label"] is None for row in rows)
    if not graded:  # a score beside them may be of any size
        rows = [row for row in rows if row["label"] is not None]
    splits: dict[str, list[Mapping[str, Any]]] = {"train": [], "dev": [], "test": []}
    for row in rows:
        splits[row["split"]].append(row)
    if not splits["train"]:
        splits["train"], splits["dev"] = splits["dev"], []
    if not splits["dev"]:
        _draw(splits, "dev", [row["a"] for row in splits["train"]], (0,))
    if not splits["test"]:
        _draw(splits, "test", linked([(row["a"], row["b"]) for row in splits["train"]]), (1, 2))
    if not splits["train"]:
        raise SynsemError(
            f"{folder}: {name!r} has no pairs outside its test split, so nothing to train on; "
            "take another benchmark, or give a file of your own a column `split` of train, dev and test"
        )
    scores = [_target(row) or 0.0 for row in rows] if graded else [1.0]
    largest = max(scores)
    if min(scores) < 0 or largest == 0:
        raise SynsemError(
            f"{folder}: the scores of {name!r} are from {min(scores):g} to {largest:g}; "
            "give scores that start at 0 and rise above it"
        )
    train, dev, test = (_pairs(splits[split], largest) for split in ("train", "dev", "test"))
    return Task(name, graded, train, dev, test, unlabelled=len(found) - len(rows))


def _draw(
    splits: dict[str, list[Mapping[str, Any]]], split: str, names: Sequence[str], parts: Container[int]
) -> None:
    """Move the training rows whose name falls into one of the parts to another split."""
    drawn = [stable_hash(_SEED, "part", name) % _PARTS in parts for name in names]
    rows = list(zip(splits["train"], drawn, strict=True))
    splits[split] = [row for row, chosen in rows if chosen]
    splits["train"] = [row for row, chosen in rows if not chosen]


def _target(row: Mapping[str, Any]) -> float | None:
    if row["label"] is not None:
        return float(row["label"]) if row["label"] in ("0", "1") else None
    return None if row["score"] is None else float(row["score"])


def _pairs(rows: list[Mapping[str, Any]], largest: float) -> Pairs:
    targets = np.array([_target(row) for row in rows], dtype=np.float32) / np.float32(largest)
    return Pairs([row["a"] for row in rows], [row["b"] for row in rows], targets)
