"""The headline metrics: which few numbers tell systems apart, and the small file of them for DVC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.report.inputs import LATE, LATE_SUFFIX, Run
from pipeline.report.tables import groups, summary, values

PROBES = "probe.mean.accuracy"  # not in the metrics files: the mean of all probes' accuracies


@dataclass(frozen=True)
class Column:
    """A headline metric, and how it is shown."""

    metric: str
    label: str
    kind: str  # what the number is
    lower: bool = False  # whether lower is better


COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "Zero-shot: similarities as they are, nothing fitted": (
        Column("stsb.test.spearman", "STS-B", "Spearman × 100"),
        Column("paws.test.ap", "PAWS-Wiki", "average precision"),
        Column("qqp.test.ap", "QQP", "average precision"),
        Column("mrpc.test.ap", "MRPC", "average precision"),
        Column("contrast.all.ap", "Contrast set", "average precision"),
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


def with_probe_mean(runs: Sequence[Run]) -> list[Run]:
    """The runs, each view with the mean of its probes' accuracies beside them."""
    return [
        replace(run, views={view: _probed(metrics) for view, metrics in run.views.items()}) for run in runs
    ]


def _probed(metrics: Mapping[str, float]) -> Mapping[str, float]:
    own = [name for name in metrics if name.startswith("probe.") and name.endswith(".accuracy")]
    return {**metrics, PROBES: sum(metrics[name] for name in own) / len(own)} if own else metrics


def headline_metrics(runs: Sequence[Run]) -> dict[str, Any]:
    """Means over seeds as JSON, system -> view -> metric: few enough for ``dvc metrics diff``."""
    runs = with_probe_mean(runs)
    found: dict[str, Any] = {}
    for system, view in groups(runs):
        for columns in COLUMNS.values():
            for column in columns:
                if numbers := values(runs, system, view, column.metric):
                    name = column.metric + (LATE_SUFFIX if view == LATE else "")
                    mean = round(summary(numbers)[0], 2)
                    found.setdefault(system, {}).setdefault(view, {})[name] = mean
    return found
