"""Runs to tables: one row a system and view, one column a metric, mean and sample sd over seeds.

``result_tables`` hold every metric; ``COLUMNS`` names the few headline metrics, which DVC gets in a small
file.
"""

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pipeline.report import glossary
from pipeline.report.inputs import BACKBONE, JOINT, PAIRWISE, Run, view_order
from pipeline.report.sizes import Size


@dataclass(frozen=True)
class Cell:
    """A metric of one system and view over its seeds, rounded to the decimals that are shown."""

    mean: float
    sd: float | None  # sample standard deviation; None with fewer than two seeds
    seeds: int
    digits: int
    best: bool = False
    gain: float | None = None  # mean minus the backbone's
    # Whether the gain is an improvement; None where it is zero, unknown, of too few examples or not ranked.
    better: bool | None = None
    fewer: int | None = None  # seeds that have the metric, where not all of the system's have


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
    sizes: tuple[Size | None, ...]  # examples behind each metric, None where unknown

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

    @property
    def silent(self) -> list[tuple[int, str]]:
        """Place and name of the metrics on which two or more rows all have one number: they tell nothing."""
        return [(place, name) for place, name in enumerate(self.metrics) if self.same(place)]

    @property
    def telling(self) -> list[tuple[int, str]]:
        """Place and name of the other metrics."""
        return [(place, name) for place, name in enumerate(self.metrics) if not self.same(place)]

    def same(self, place: int) -> Cell | None:
        """The number that two or more rows all have in a column; None where they differ."""
        cells = [cell for row in self.rows if (cell := row.cells[place])]
        alike = len(cells) > 1 and len({(cell.mean, cell.sd or 0.0) for cell in cells}) == 1
        return cells[0] if alike else None

    def higher_is_better(self, metric: str) -> bool:
        """Which way the column is read."""
        return glossary.meaning(metric).higher_is_better


def metric_names(runs: Iterable[Run]) -> list[str]:
    """Every result metric of any run in the glossary's order, without what is no result."""
    names = {name for run in runs for metrics in run.views.values() for name in metrics}
    return sorted((name for name in names if glossary.is_result(name)), key=glossary.order)


def groups(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Every (system, view) in the order of the runs, views in their fixed order."""
    pairs = dict.fromkeys((run.system, view) for run in runs for view in run.views)
    systems = list(dict.fromkeys(run.system for run in runs))
    return sorted(pairs, key=lambda pair: (systems.index(pair[0]), view_order(pair[1])))


def values(runs: Sequence[Run], system: str, view: str, metric: str) -> list[float]:
    """The metric of every seed of the system that has it, in the order of the seeds."""
    found = [run.views.get(view, {}).get(metric) for run in runs if run.system == system]
    return [value for value in found if value is not None]


def by_seed(runs: Sequence[Run], system: str, view: str, metric: str) -> dict[int | None, float]:
    """The metric of every seed of the system that has it; the backbone's seed is None."""
    found = {run.seed: run.views.get(view, {}).get(metric) for run in runs if run.system == system}
    return {seed: value for seed, value in found.items() if value is not None}


def fewer_seeds(runs: Sequence[Run], system: str, count: int) -> int | None:
    """The ``count`` of seeds that have a metric, where other seeds of the system lack it; else None."""
    return count if count < sum(run.system == system for run in runs) else None


def summary(numbers: Sequence[float]) -> tuple[float, float | None]:
    """Mean and sample standard deviation (None for one number)."""
    return statistics.fmean(numbers), statistics.stdev(numbers) if len(numbers) > 1 else None


def result_tables(runs: Sequence[Run], sizes: Mapping[str, Size] = MappingProxyType({})) -> list[ResultTable]:
    """One table a protocol, in the glossary's order; protocols without a metric have none.

    ``sizes`` says of how many examples a metric is. Of too few, no number is the best.
    """
    names = metric_names(runs)
    by_protocol = {
        protocol: tuple(name for name in names if glossary.meaning(name).protocol == protocol)
        for protocol in glossary.PROTOCOLS
    }
    return [_table(runs, protocol, metrics, sizes) for protocol, metrics in by_protocol.items() if metrics]


def _table(
    runs: Sequence[Run], protocol: str, metrics: tuple[str, ...], sizes: Mapping[str, Size]
) -> ResultTable:
    pairs = groups(runs)
    of = [sizes.get(metric) for metric in metrics]
    columns = [
        _column(runs, pairs, metric, size is not None and size.few)
        for metric, size in zip(metrics, of, strict=True)
    ]
    rows = [
        Row(system, view, tuple(column[number] for column in columns))
        for number, (system, view) in enumerate(pairs)
    ]
    return ResultTable(protocol, metrics, tuple(row for row in rows if any(row.cells)), tuple(of))


def _column(
    runs: Sequence[Run], pairs: Sequence[tuple[str, str]], metric: str, few: bool
) -> list[Cell | None]:
    entry = glossary.meaning(metric)
    ranked = entry.ranked and not few
    found = [values(runs, system, view, metric) for system, view in pairs]
    summaries = [_rounded(summary(numbers), entry.digits) if numbers else None for numbers in found]
    means = [each[0] for each in summaries if each]
    sign = 1 if entry.higher_is_better else -1
    best = max(means, key=lambda mean: sign * mean)
    of_backbone = (
        each[0] for (system, _), each in zip(pairs, summaries, strict=True) if each and system == BACKBONE
    )
    backbone = next(of_backbone, None)
    cells: list[Cell | None] = []
    for (system, _), numbers, each in zip(pairs, found, summaries, strict=True):
        if each is None:
            cells.append(None)
            continue
        mean, sd = each
        gain = None if backbone is None or system == BACKBONE else round(mean - backbone, entry.digits)
        cells.append(
            Cell(
                mean,
                sd,
                len(numbers),
                entry.digits,
                best=mean == best and len(set(means)) > 1 and ranked,  # equal means have no best
                gain=gain,
                better=sign * gain > 0 if gain and ranked else None,
                fewer=fewer_seeds(runs, system, len(numbers)),
            )
        )
    return cells


def _rounded(numbers: tuple[float, float | None], digits: int) -> tuple[float, float | None]:
    mean, sd = numbers
    return round(mean, digits), None if sd is None else round(sd, digits)


PROBES = "probe.mean.accuracy"  # not in the metrics files: the mean of all probes' accuracies


@dataclass(frozen=True)
class Column:
    """A headline metric, and how it is shown."""

    metric: str
    label: str
    kind: str  # what the number is
    lower_is_better: bool = False
    tested: bool = True  # False: development data, which shows that something was learnt and proves no more


COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "Zero-shot: similarities as they are, nothing fitted": (
        Column("stsb.test.spearman", "STS-B", "Spearman × 100"),
        Column("paws.test.ap", "PAWS-Wiki", "average precision"),
        Column("qqp.test.ap", "QQP", "average precision"),
        Column("mrpc.test.ap", "MRPC", "average precision"),
        Column("contrast.all.ap", "Contrast set", "average precision"),
        Column("contrast_dev.all.ap", "Generated pairs (development)", "average precision", tested=False),
        Column("retrieval.test.accuracy", "Retrieval", "found first, %"),
        Column("upos.en.unseen.accuracy_1nn", "Same shape", "nearest has the same tags, %"),
    ),
    "Trained: a classifier on frozen embeddings": (
        Column("paws.test.accuracy_logistic", "PAWS-Wiki", "accuracy, %"),
        Column("qqp.test.accuracy_logistic", "QQP", "accuracy, %"),
        Column("mrpc.test.accuracy_logistic", "MRPC", "accuracy, %"),
        Column("trec.test.accuracy", "TREC", "accuracy, %"),
        Column(PROBES, "Probes", "mean accuracy, %"),
    ),
    "Parsed: trees against those of the test split": (
        Column("parsing.test.uas", "Heads", "UAS, %"),
        Column("parsing.test.las", "Heads and relations", "LAS, %"),
    ),
}


def with_probe_mean(runs: Sequence[Run], few: Collection[str] = ()) -> list[Run]:
    """The runs, with the mean of its probes' accuracies added to each view; without the ``few``."""
    return [
        replace(run, views={view: _with_mean(metrics, few) for view, metrics in run.views.items()})
        for run in runs
    ]


def _with_mean(metrics: Mapping[str, float], few: Collection[str]) -> Mapping[str, float]:
    own = [name for name in metrics if name.startswith("probe.") and name.endswith(".accuracy")]
    own = [name for name in own if name not in few]
    return {**metrics, PROBES: sum(metrics[name] for name in own) / len(own)} if own else metrics


# For DVC, by a short name, the first ones that were measured: more would make `dvc exp show` too wide.
DVC_METRICS = {
    "contrast": "contrast.all.ap",
    "stsb": "stsb.test.spearman",
    "paws": "paws.test.ap",
    "las": "parsing.test.las",
    "qqp": "qqp.test.ap",
    "retrieval": "retrieval.test.accuracy",
    "probes": PROBES,
    "mrpc": "mrpc.test.ap",
}
_FEW = 6


def headline_metrics(runs: Sequence[Run], few: Collection[str] = ()) -> dict[str, dict[str, float]]:
    """Six means over seeds, in points, which the trained systems share: few enough for ``dvc exp show``.

    By metric, then by system: DVC calls one ``contrast.sscp``, which no parameter is called. Three systems
    have two each, and more than six have one. Each is that of the joint vector, or of the first view that
    has the metric; scores of pairs are left out, and probes of ``few`` sentences.
    """
    systems = list(dict.fromkeys(run.system for run in runs if run.system != BACKBONE))
    measured: dict[str, dict[str, float]] = {name: {} for name in DVC_METRICS}
    for system in systems:
        for name, value in _few(runs, system, max(1, _FEW // len(systems)), few).items():
            measured[name][system] = value
    return {name: of_systems for name, of_systems in measured.items() if of_systems}


def _few(runs: Sequence[Run], system: str, most: int, few: Collection[str]) -> dict[str, float]:
    runs = with_probe_mean([run for run in runs if run.system == system], few)
    views = [view for _, view in groups(runs) if view not in PAIRWISE]
    views.sort(key=lambda view: view != JOINT)
    found: dict[str, float] = {}
    for name, metric in DVC_METRICS.items():
        measured = (values(runs, system, view, metric) for view in views)
        numbers = next(filter(None, measured), None)
        if numbers and len(found) < most:
            found[name] = round(summary(numbers)[0], 2)
    return found
