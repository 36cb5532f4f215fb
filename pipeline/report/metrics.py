"""The metrics: what each measures, how it is shown, and which few are the headline (``metrics.yaml``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from pipeline.core.store import read_yaml
from pipeline.report.runs import JOINT, LATE, Run, by_seed, groups, summary

_FEW = 6  # numbers in headline.json: more would make `dvc exp show` too wide
_ENOUGH = 100  # examples behind each of them


@dataclass(frozen=True)
class Meaning:
    """How to read the metrics whose dotted name matches a pattern."""

    metric: str  # the pattern
    table: str
    text: str
    lower: bool = False  # is better
    digits: int = 2
    unranked: bool = False  # a control or a fact of the data, of which no value is the best


@dataclass(frozen=True)
class Column:
    """A metric as the column of a table."""

    metric: str
    label: str
    unit: str = ""
    development: bool = False  # decisions were made on its data, so a test would prove nothing


_FILE = read_yaml(Path(__file__).with_name("metrics.yaml"))
_NO_RESULTS = tuple(_FILE["no_results"])
TABLES: Mapping[str, str] = _FILE["tables"]  # title of each table of results
DVC_NAMES: Mapping[str, str] = _FILE["dvc"]  # short name -> metric
MEANINGS = [Meaning(**entry) for entry in _FILE["meanings"]]
HEADLINE = {table: [Column(**entry) for entry in columns] for table, columns in _FILE["headline"].items()}


@cache
def meaning(metric: str) -> Meaning:
    """Return how to read a dotted metric name; every name has an entry."""
    return next(entry for entry in MEANINGS if fnmatchcase(metric, entry.metric))


def is_result(metric: str) -> bool:
    """Return whether a number is a test result of the system: no baseline, no count, not development data."""
    first, *middle, last = metric.split(".")
    return first != "contrast_dev" and "dev" not in middle and not last.startswith(_NO_RESULTS)


def result_names(runs: Sequence[Run]) -> list[str]:
    """Return every result of any run, in the order of the meanings."""
    names = {name for run in runs for metrics in run.views.values() for name in metrics if is_result(name)}
    return sorted(names, key=lambda name: (MEANINGS.index(meaning(name)), name))


def headline_metrics(runs: Sequence[Run]) -> dict[str, dict[str, float]]:
    """Return about six means over seeds, by metric and trained system, for ``reports/headline.json``.

    The systems share the six: three have two each, and each has at least one. A number rests on a
    hundred examples or more, of the joint vector or the first view that has it; scores of pairs do not count.
    """
    few = {(run.system, *key) for run in runs for key, own in run.samples.items() if len(own.score) < _ENOUGH}
    systems = list(dict.fromkeys(run.system for run in runs if run.seed is not None))
    found: dict[str, dict[str, float]] = {}
    for system in systems:
        views = [group for group in groups(runs) if group[0] == system and group[1] != LATE]
        views.sort(key=lambda group: group[1] != JOINT)
        measured = {}
        for name, metric in DVC_NAMES.items():
            own = (by_seed(runs, group, metric) for group in views if (*group, metric) not in few)
            measured[name] = next(filter(None, own), None)
        numbers = [(name, seeds) for name, seeds in measured.items() if seeds]
        for name, seeds in numbers[: max(1, _FEW // len(systems))]:
            found.setdefault(name, {})[system] = round(summary(list(seeds.values()))[0], 2)
    return found
