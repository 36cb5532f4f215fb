"""Ablations: what each change of the parameters costs, from a table that ``dvc exp show --csv`` wrote."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.errors import SynsemError
from pipeline.report.metrics import DVC_NAMES
from pipeline.report.runs import summary

_ABOUT = ("Experiment", "rev", "typ", "Created", "parent", "State", "Executor", "seeds")  # no changes
_HASH = re.compile(r"[0-9a-f]{32}(\.dir)?")  # of a dependency, which has a column as well


@dataclass(frozen=True)
class Ablation:
    """The experiments of one change, and mean and sd over seeds of each metric."""

    name: str
    changes: Sequence[str]  # "sscp.bias: none"
    runs: int
    effects: Sequence[tuple[float, float | None] | None]  # None if not measured


def ablations(path: Path) -> tuple[list[str], list[Ablation]]:
    """Return the metrics, such as ``contrast.sscp``, and the ablations, the baseline first.

    The baseline is the row of the commit. Experiments that differ only in ``seeds`` are one ablation. Raises
    SynsemError if the table has no baseline or no metric of ``headline.json``.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row.get("rev") != "workspace"]
    rows.sort(key=lambda row: row.get("typ") != "baseline")
    names = [name for name in rows[0] if _short(name).partition(".")[0] in DVC_NAMES] if rows else []
    if not names or rows[0]["typ"] != "baseline":
        raise SynsemError(
            f"{path}: has no baseline with a metric of headline.json; write it with `dvc exp show --csv`"
        )
    found: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in rows:
        changes = (
            f"{name}: {value}"
            for name, value in row.items()
            if name not in (*_ABOUT, *names) and value != rows[0][name] and not _HASH.fullmatch(value)
        )
        found.setdefault(tuple(changes), []).append(row)
    return [*map(_short, names)], [
        Ablation(
            min((row["Experiment"] for row in own), key=len) if changes else "baseline",
            changes,
            len(own),
            [
                summary(numbers) if (numbers := [float(row[name]) for row in own if row[name]]) else None
                for name in names
            ],
        )
        for changes, own in found.items()
    ]


def _short(name: str) -> str:
    """A metric without the file that DVC names before it if two files have it."""
    return name.rpartition(":")[2]
