"""Beside the papers: the numbers of ``published.yaml``, and our rows under the same metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pipeline.core.store import read_yaml
from pipeline.report.inputs import PAIRWISE, Run
from pipeline.report.sections.ablations import family
from pipeline.report.tables import groups, summary, values

FILE = Path(__file__).with_name("published.yaml")
Number = tuple[float, float | None]  # mean, sample standard deviation


@dataclass(frozen=True)
class OurRow:
    """A row of ours: mean and sd over seeds in each column, None where not measured."""

    system: str
    view: str
    numbers: tuple[Number | None, ...]


@dataclass(frozen=True)
class PublishedTable:
    """One published table with our rows."""

    paper: str
    table: str
    protocol: str
    differs: str
    columns: tuple[tuple[str, str], ...]  # metric, label
    published: tuple[tuple[str, tuple[float | None, ...]], ...]
    own: tuple[OurRow, ...]
    origins: tuple[str, ...] = ()  # of our runs that were not made here


@cache
def published_entries() -> tuple[dict[str, Any], ...]:
    """The entries of ``published.yaml``, a table each."""
    return tuple(read_yaml(FILE))


def published_tables(
    runs: Sequence[Run],
    ablated: Sequence[Run] = (),
    matched: Sequence[Run] = (),
    origins: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[PublishedTable]:
    """Every published table of which a run has a metric; columns that no run has are left out.

    Late interaction is left out: the papers' numbers are of one vector a sentence. Tables of ablations get
    the joint view of ``ablated``, runs with an ablation's name as their system; tables of fine-tuned
    matchers get ``matched``. ``origins`` has, for ``ablations`` and ``matching``, where runs come from
    that were not made here.
    """
    main = [run for run in ablated if family(run.system) is None]
    sources = {"runs": runs, "ablations": main, "matching": matched}
    found = []
    for entry in published_entries():
        source = entry.get("of", "runs")
        if source not in sources:  # has a section of its own
            continue
        ours = sources[source]
        names = [name for name in entry["columns"] if _measured(ours, name)]
        places = [position for position, name in enumerate(entry["columns"]) if name in names]
        kept = [group for group in groups(ours) if group[1] not in PAIRWISE]
        if source == "ablations":
            kept = [group for group in kept if group[1] == "joint"]
        own = [OurRow(*group, tuple(_number(ours, *group, name) for name in names)) for group in kept]
        if names and own:
            found.append(
                PublishedTable(
                    entry["paper"],
                    entry["table"],
                    entry["protocol"],
                    entry["differs"],
                    tuple((name, entry["columns"][name]) for name in names),
                    tuple((row, tuple(given[at] for at in places)) for row, given in entry["rows"].items()),
                    tuple(row for row in own if any(row.numbers)),
                    tuple(origins.get(source, ())),
                )
            )
    return found


def _measured(runs: Sequence[Run], metric: str) -> bool:
    return any(metric in metrics for run in runs for metrics in run.views.values())


def _number(runs: Sequence[Run], system: str, view: str, metric: str) -> Number | None:
    numbers = values(runs, system, view, metric)
    return summary(numbers) if numbers else None
