"""How many examples are behind each metric: counted in what evaluation kept of them.

The metrics files have no such numbers but for a few tasks. The scores of single examples have one row for
each, and so do the samples of similarities.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.evaluation.compare import read_rows
from pipeline.evaluation.significance import FEWEST
from pipeline.report.inputs import LATE_SUFFIX, Run

Kept = Mapping[tuple[str, str, str], int]  # view, dotted section, metric -> rows
# What of the samples of similarities the metrics of ``alignment.test`` are of: uniformity is of the
# sentences, of which each has one random partner.
_SIMILARITIES = {"alignment": "same", "uniformity": "random"}
_COUNTED = ("parsing", "word_order")  # tasks whose sections say of how many sentences they are


class Size(NamedTuple):
    """The examples behind a metric: least and most of all runs. They differ where runs read other data."""

    least: int
    most: int

    @property
    def few(self) -> bool:
        """Whether a number of so few says little: one example moves it by more than five points."""
        return self.least < FEWEST

    def __str__(self) -> str:
        """``1,379``; ``80 to 120`` where runs differ; ``5 (few)``."""
        text = f"{self.least:,}" + (f" to {self.most:,}" if self.most > self.least else "")
        return f"{text} (few)" if self.few else text


def sizes(runs: Sequence[Run]) -> dict[str, Size]:
    """By dotted metric; one is absent where no run kept its examples."""
    found: dict[str, list[int]] = {}
    for run in runs:
        kept = _kept(run.scores) if run.scores is not None else {}
        for view, name in ((view, name) for view, metrics in run.views.items() for name in metrics):
            if count := next(filter(None, _counts(run, view, name, kept)), None):
                found.setdefault(name, []).append(count)
    return {name: Size(min(counts), max(counts)) for name, counts in found.items()}


def few_probes(found: Mapping[str, Size]) -> frozenset[str]:
    """The accuracies of probes that are of too few sentences to count in a mean."""
    return frozenset(name for name, size in found.items() if name.startswith("probe.") and size.few)


def _kept(folder: Path) -> Kept:
    """Rows of each metric; those of a part, such as a phenomenon, under its section, and of all parts."""
    table = read_rows(folder).select(["view", "task", "metric", "subset"])
    columns = [table[name].cast("string") for name in table.column_names]
    counted = table.from_arrays(columns, table.column_names).group_by(table.column_names)
    found: Counter[tuple[str, str, str]] = Counter()
    for row in counted.aggregate([([], "count_all")]).to_pylist():
        metric = row["metric"].removesuffix(LATE_SUFFIX)
        parts = [f".{row['subset']}", ".all"] if row["subset"] else []
        for part in ("", *parts):
            found[row["view"], row["task"] + part, metric] += row["count_all"]
    return found


def _counts(run: Run, view: str, name: str, kept: Kept) -> Iterator[int | None]:
    """The places that may tell how many examples a metric is of, the surest first."""
    section, _, metric = name.rpartition(".")
    yield kept.get((view, section, metric))
    if metric.startswith(("spearman", "pearson")):
        yield kept.get((view, section, "spearman"))
    if metric == "f1_macro":
        yield kept.get((view, section, "accuracy"))
    if name == "retrieval.test.accuracy":
        yield kept.get((view, section, "mrr"))
    if section == "alignment.test" and metric in _SIMILARITIES:
        rows = run.evaluation.get("similarities", [])
        yield sum(row["view"] == view and row["kind"] == _SIMILARITIES[metric] for row in rows)
    metrics = run.views[view]
    yield _whole(metrics.get(f"{section}.pairs"))
    if section.startswith(_COUNTED):
        yield _whole(metrics.get(f"{section}.sentences"))


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)
