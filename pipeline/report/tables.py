"""Runs -> the result tables: one row a system and view, one column a metric, mean and sd over seeds."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.report import glossary
from pipeline.report.inputs import BACKBONE, Run, view_rank


@dataclass(frozen=True)
class Cell:
    """A metric of one system and view over its seeds, rounded to the decimals that are shown."""

    mean: float
    sd: float | None  # sample standard deviation; None with fewer than two seeds
    seeds: int
    digits: int
    best: bool = False
    gain: float | None = None  # mean minus the backbone's
    better: bool | None = None  # whether the gain is an improvement; None where it is zero or unknown


@dataclass(frozen=True)
class Row:
    """A system's view and its cells, None where the metric was not measured."""

    system: str
    view: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class ResultTable:
    """Results under one protocol: zero-shot and trained numbers never share a table."""

    protocol: str
    metrics: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """The protocol in words."""
        return glossary.PROTOCOLS[self.protocol]

    @property
    def meanings(self) -> list[tuple[list[str], str]]:
        """Each sentence with the metrics that it explains."""
        found: dict[str, list[str]] = {}
        for metric in self.metrics:
            found.setdefault(glossary.meaning(metric).sentence, []).append(metric)
        return [(metrics, sentence) for sentence, metrics in found.items()]

    def higher_is_better(self, metric: str) -> bool:
        """Which way the column is read."""
        return glossary.meaning(metric).higher_is_better


def metric_names(runs: Iterable[Run]) -> list[str]:
    """Every result metric of any run in the glossary's order, without yardsticks and dev scores."""
    names = {name for run in runs for metrics in run.views.values() for name in metrics}
    return sorted((name for name in names if glossary.is_result(name)), key=glossary.rank)


def groups(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Every (system, view) in the order of the runs, views in their fixed order."""
    pairs = dict.fromkeys((run.system, view) for run in runs for view in run.views)
    systems = list(dict.fromkeys(run.system for run in runs))
    return sorted(pairs, key=lambda pair: (systems.index(pair[0]), view_rank(pair[1])))


def values(runs: Sequence[Run], system: str, view: str, metric: str) -> list[float]:
    """The metric of every seed of the system that has it, in the order of the seeds."""
    found = [run.views.get(view, {}).get(metric) for run in runs if run.system == system]
    return [value for value in found if value is not None]


def summary(numbers: Sequence[float]) -> tuple[float, float | None]:
    """Mean and sample standard deviation (None for one number)."""
    return statistics.fmean(numbers), statistics.stdev(numbers) if len(numbers) > 1 else None


def result_tables(runs: Sequence[Run]) -> list[ResultTable]:
    """One table a protocol, in the glossary's order; protocols without a metric have none."""
    names = metric_names(runs)
    by_protocol = {
        protocol: tuple(name for name in names if glossary.meaning(name).protocol == protocol)
        for protocol in glossary.PROTOCOLS
    }
    return [_table(runs, protocol, metrics) for protocol, metrics in by_protocol.items() if metrics]


def _table(runs: Sequence[Run], protocol: str, metrics: tuple[str, ...]) -> ResultTable:
    pairs = groups(runs)
    columns = [_column(runs, pairs, metric) for metric in metrics]
    rows = [
        Row(system, view, tuple(column[number] for column in columns))
        for number, (system, view) in enumerate(pairs)
    ]
    return ResultTable(protocol, metrics, tuple(row for row in rows if any(row.cells)))


def _column(runs: Sequence[Run], pairs: Sequence[tuple[str, str]], metric: str) -> list[Cell | None]:
    found = [values(runs, system, view, metric) for system, view in pairs]
    entry = glossary.meaning(metric)
    summaries = [_rounded(summary(numbers), entry.digits) if numbers else None for numbers in found]
    means = [one[0] for one in summaries if one]
    sign = 1 if entry.higher_is_better else -1
    best = max(means, key=lambda mean: sign * mean)
    backbone = next(
        (
            entry[0]
            for (system, _), entry in zip(pairs, summaries, strict=True)
            if entry and system == BACKBONE
        ),
        None,
    )
    cells: list[Cell | None] = []
    for (system, _), numbers, one in zip(pairs, found, summaries, strict=True):
        if one is None:
            cells.append(None)
            continue
        mean, sd = one
        gain = None if backbone is None or system == BACKBONE else round(mean - backbone, entry.digits)
        cells.append(
            Cell(
                mean,
                sd,
                len(numbers),
                entry.digits,
                best=mean == best and len(set(means)) > 1,  # a column of equals has no winner
                gain=gain,
                better=sign * gain > 0 if gain else None,
            )
        )
    return cells


def _rounded(numbers: tuple[float, float | None], digits: int) -> tuple[float, float | None]:
    mean, sd = numbers
    return round(mean, digits), None if sd is None else round(sd, digits)
