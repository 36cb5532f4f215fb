"""Read measured figures from the committed files under reports/, as the tables of the pages show them."""

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import scipy.stats
from page_tables import disagreement, rows_below
from shell_lines import ROOT

CONTROLS = "reports/controls"
MIRROR = "reports/mirror/metrics"
# The same profile by the code of commit e341ed6, which earlier forms stand beside.
MIRROR_BEFORE = "reports/controls/mirror-before"
SEEDS = range(13, 18)
JOINT = "joint, 0.16"  # of the default weight, 0.4

Values = list[float] | None
# The beginning of a row's first cell and what its other cells show: values, None for an empty cell, ... for
# a cell that no file holds.
Row = tuple[str, list[Any]]


# A page, the first cells of a table's head, the rows expected there, and the files that the page must name.
Table = tuple[str, tuple[str, ...], Callable[[], Iterable[Row]], *tuple[str, ...]]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def complaints(
    name: str, head: tuple[str, ...], expected: Callable[[], Iterable[Row]], *files: str
) -> list[str]:
    """Wrong cells of a table, and files that its page does not name."""
    text = page(name)
    return wrong_cells(text, head, expected()) + [
        f"{name} does not name {file}" for file in files if file not in text
    ]


def wrong_cells(text: str, head: tuple[str, ...], expected: Iterable[Row]) -> list[str]:
    """Where the table of a text below this head differs from the rows expected, in their order."""
    found = rows_below(text, *head)
    wrong = []
    for cells, (label, values) in zip(found, expected, strict=True):
        if not cells[0].startswith(label):
            wrong.append(f"{cells[0]!r} where the row {label!r} is expected")
        elif len(cells) - 1 != len(values):
            wrong.append(f"{label}: {len(cells) - 1} cells, {len(values)} expected")
        wrong += [
            f"{label}: {complaint}"
            for cell, each in zip(cells[1:], values, strict=False)
            if each is not ... and (complaint := disagreement(cell, each))
        ]
    return wrong


@cache
def measured(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def at(values: Any, *keys: str) -> Values:
    for key in keys:
        if key not in values:
            return None
        values = values[key]
    return [values]


def over(found: Iterable[Values]) -> Values:
    """Mean and standard deviation over runs; of one run the value itself."""
    values = [value for each in found for value in each or []]
    spread = [statistics.stdev(values)] if len(values) > 1 else []
    return [statistics.mean(values), *spread] if values else None


def differences(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The mean over seeds of one less the other, and half of its 95 % interval by Student's t."""
    gains = [value - control for value, control in zip(one, other, strict=True)]
    half = scipy.stats.t.ppf(0.975, len(gains) - 1) / len(gains) ** 0.5
    return [statistics.mean(gains), half * statistics.stdev(gains)]


def of_years(values: Callable[[str], Values]) -> Values:
    """The mean of three years of STS."""
    years = [values(f"sts{year}") for year in (12, 14, 16)]
    return [statistics.mean(year[0] for year in years if year)] if all(years) else None


def of_views(path: str, run: str, view: str, columns: Iterable[str]) -> list[Values]:
    """A row of ``benchmarks/synsem_views.py``: of one run, or over the seeds of a name without one."""
    data = measured(path)
    runs = [run] if run in data else [name for seed in SEEDS if (name := f"{run}-{seed}") in data]
    assert runs, f"{path} has no run {run}"

    def value(column: str) -> Values:
        if column == "sts":
            return over(of_years(lambda year, of=name: at(data, of, view, f"{year}.test")) for name in runs)
        if run == "synsem" and "mean" in data:  # rounded there already
            return [
                number for kind in ("mean", "sd") for number in at(data, kind, view, column) or []
            ] or None
        return over(at(data, name, view, column) for name in runs)

    return [value(column) for column in columns]


def of_pipeline(path: str, view: str, columns: Iterable[str]) -> list[Values]:
    """A row of the metrics of ``synsem evaluate``; columns are dotted, without the ending ``_late``."""
    metrics, ending = measured(path).get(view, {}), "_late" if view == "late" else ""

    def value(column: str) -> Values:
        if column == "sts":
            return of_years(lambda year: at(metrics, year, "test", f"spearman_all{ending}"))
        if column == "probes":
            probes = metrics.get("probe")
            return [statistics.mean(probe["accuracy"] for probe in probes.values())] if probes else None
        return at(metrics, *f"{column}{ending}".split("."))

    return [value(column) for column in columns]
