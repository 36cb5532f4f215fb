"""Fine-tuned matchers, a table a task: what each start reaches on each share, and gains on the backbone.

Read from ``reports/matching/TASK.json`` of ``synsem finetune``; curves and rows beside the papers' are
made of the same files (``matching.py``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import SynsemError
from pipeline.evaluation.shares import BACKBONE, summary
from pipeline.evaluation.significance import holm
from pipeline.report.matching import started_from
from pipeline.store import read_json

_LEVEL = 0.05


@dataclass(frozen=True)
class Cell:
    """A metric over seeds; ``gain`` on the backbone over common seeds, ``p`` corrected for all tests here."""

    mean: float
    sd: float | None
    gain: float | None
    p: float | None

    @property
    def sure(self) -> bool:
        """Whether the gain, either way, is more than another seed could turn round."""
        return self.p is not None and self.p < _LEVEL


@dataclass(frozen=True)
class Row:
    """A start on a share of the pairs, and its cells in the order of the metrics."""

    system: str
    share: int
    pairs: int
    seeds: int
    cells: tuple[Cell, ...]

    @property
    def baseline(self) -> bool:
        """Whether the others are compared with it."""
        return self.system == BACKBONE


@dataclass(frozen=True)
class Matchers:
    """All starts on one task. ``recipe`` is that of ``synsem finetune``."""

    task: str
    test_pairs: int
    recipe: Mapping[str, Any]
    metrics: tuple[str, ...]
    rows: tuple[Row, ...]


def matchers(folder: Path) -> list[Matchers]:
    """Every task's table, by name of the file; SynsemError for a file of another form."""
    found = []
    for path in sorted(folder.glob("*.json")):
        raw = read_json(path)
        try:
            found.append(_matchers(raw))
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            raise SynsemError(
                f"{path}: not the runs of a matcher ({type(error).__name__}: {error}); "
                "run `synsem finetune` again"
            ) from error
    return [one for one in found if one.rows]


def _matchers(raw: Mapping[str, Any]) -> Matchers:
    runs = list(raw["runs"].values())
    table = summary(runs)
    names = tuple(table[0]["metrics"]) if table else ()
    pairs = {run["share"]: int(run["pairs"]) for run in runs}
    adjusted = _corrected([row["metrics"][name]["p"] for row in table for name in names])
    rows = []
    for row in table:
        cells = [
            Cell(each["mean"], each["sd"], each["gain"], adjusted.pop(0))
            for each in (row["metrics"][name] for name in names)
        ]
        share = row["share"]
        rows.append(Row(started_from(row["start"]), share, pairs[share], row["seeds"], tuple(cells)))
    return Matchers(raw["task"], int(raw["test_pairs"]), raw["recipe"], names, tuple(rows))


def _corrected(p: Sequence[float | None]) -> list[float | None]:
    """Holm's adjustment; None stays None."""
    adjusted = holm([float("nan") if each is None else each for each in p])
    return [None if each is None else float(value) for each, value in zip(p, adjusted, strict=True)]
