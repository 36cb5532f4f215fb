"""Read what the runs left: metrics, scores of single examples, loss curves, facts of training.

A run is one system and seed, the untouched backbone or the bundled model. Only its metrics must be there; a
figure without data is left out. The view ``late`` has its metrics under the names of the others:
``paws.test.ap``.
"""

import csv
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_file, read_json, read_metrics, to_values

BACKBONE, BUNDLED = "backbone", "pretrained"  # the runs of models that no stage trains
BASELINES = (BACKBONE, "simcse")  # every other system is compared with the strongest of them
JOINT, SKETCH = "joint", "sketch"
LATE = "late"  # scores of pairs, which have no vectors
FINE_TUNED = "fine-tuned"  # a cross-encoder trained on labelled pairs
VIEWS = ("semantic", "syntactic", "structural", SKETCH, JOINT, LATE, FINE_TUNED)  # as the tables order them
NAMES = {LATE: "late interaction", SKETCH: "+ sketch", BUNDLED: "bundled model"}
MAJORITY = "majority"
# Views of the backbone that use no model.
CONTROLS = {
    "structural_agreement": "agreement of trees",
    "bag_of_words": "bag of words",
    MAJORITY: "most frequent class",
}
PROBES = "probe.mean.accuracy"  # not in the metrics files: the mean of all probes

Group = tuple[str, str]  # system, view
UNTOUCHED: Group = (BACKBONE, VIEWS[0])
Curve = list[tuple[float, float]]  # (step, value)
LATE_END = "_late"  # ends the metrics of late interaction


class Scores(NamedTuple):
    """One metric's scores of every example; columns in parallel."""

    a: Sequence[str]
    b: Sequence[str | None]
    gold: NDArray[np.float64]
    score: NDArray[np.float64]

    def are_of_the_examples_of(self, other: "Scores") -> bool:
        """Return whether both are scores of the very same examples with the same labels."""
        same_texts = (self.a, self.b) == (other.a, other.b)
        return same_texts and np.array_equal(self.gold, other.gold, equal_nan=True)


def read_scores(folder: Path, by_subset: bool = False) -> dict[tuple[str, str, str], Scores]:
    """Return the scores of a run's examples by view, task and metric, in the order of the tasks.

    ``by_subset``: those of a task with subsets also by ``TASK.SUBSET``, and all as ``TASK.all``. Raises
    SynsemError if there is no such file.
    """
    path = folder / "examples.arrow"
    if not path.exists():
        raise SynsemError(f"{path}: missing; evaluate that run first, or name its folder")
    names = ("view", "task", "metric", "subset", "a", "b", "gold", "score")
    table, grouped = read_file(path), defaultdict[tuple[str, str, str], list[Any]](list)
    for view, task, metric, subset, *row in zip(*(to_values(table[name]) for name in names), strict=True):
        for part in ("", f".{subset}", ".all") if subset and by_subset else ("",):
            grouped[view, f"{task}{part}", metric].append(row)
    columns = {name: list(zip(*rows, strict=True)) for name, rows in grouped.items()}
    return {
        name: Scores(a, b, np.array(gold, dtype=float), np.array(score, dtype=float))
        for name, (a, b, gold, score) in columns.items()
    }


@dataclass(frozen=True)
class Run:
    """One evaluated model; ``views[view]["stsb.test.spearman"]`` is a metric in points."""

    system: str
    seed: int | None  # None for what no stage trains
    views: Mapping[str, Mapping[str, float]]
    evaluation: Path | None = None  # folder with what evaluation kept of single examples
    curves: Mapping[str, Curve] = field(default_factory=dict)  # "train" and "validation"
    training: Mapping[str, Any] = field(default_factory=dict)
    # How those fine-tuned from it were trained, by task and percent of its pairs.
    matchers: Mapping[tuple[str, int], Mapping[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the run's files: ``sscp-13`` or ``backbone``."""
        return self.system if self.seed is None else f"{self.system}-{self.seed}"

    def kept(self, stem: str) -> list[dict[str, Any]]:
        """Return the rows of an Arrow file of the evaluation, such as ``projection``; none without it."""
        path = self.evaluation / f"{stem}.arrow" if self.evaluation else None
        return read_file(path).to_pylist() if path and path.exists() else []

    @cached_property
    def samples(self) -> Mapping[tuple[str, str], Scores]:
        """The score of every example, by view and dotted metric."""
        if self.evaluation is None or not (self.evaluation / "examples.arrow").exists():
            return {}
        found = {
            (view, f"{task}.{metric.removesuffix(LATE_END)}"): scores
            for (view, task, metric), scores in read_scores(self.evaluation, by_subset=True).items()
        }
        ranks = [(view, found[view, name]) for view, name in found if name == "retrieval.test.mrr"]
        for view, scores in ranks:  # a hit is a reciprocal rank of 1
            found[view, "retrieval.test.accuracy"] = scores._replace(score=1.0 * (scores.score == 1))
        return found


def read_runs(reports: Path, models: Path, systems: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    """Read the backbone, then every system and seed, in the order of ``params.yaml``, then the bundled model.

    Raises SynsemError if a run has not been evaluated.
    """
    names: list[tuple[str, int | None]] = [(BACKBONE, None)]
    names += [(system, seed) for system in dict.fromkeys(systems) for seed in dict.fromkeys(seeds)]
    if (reports / "metrics" / f"{BUNDLED}.json").exists():
        names.append((BUNDLED, None))
    found = []
    for system, seed in names:
        run = Run(system, seed, {})
        path = reports / "metrics" / f"{run.name}.json"
        if not path.exists():
            command = f"synsem evaluate {system}" + ("" if seed is None else f" {seed}")
            raise SynsemError(f"{path} is missing; evaluate that run first: dvc repro, or `{command}`")
        facts = models / system / str(seed) / "training.json"
        training = read_json(facts) if facts.exists() else {}
        curves = _read_curves(reports / "curves" / run.name / "plots" / "metrics")
        views, kept = _read_views(path, system), reports / "evaluation" / run.name
        found.append(Run(system, seed, views, kept, curves, training))
    return found


def with_matchers(
    runs: Sequence[Run], reports: Path, models: Path, tasks: Sequence[str], shares: Sequence[int]
) -> list[Run]:
    """Return the runs with the view ``FINE_TUNED``, then the backbone as it was fine-tuned from each seed.

    Of the matchers in ``reports`` and ``models``, those of the tasks and shares count.
    """
    seeds = dict.fromkeys(run.seed for run in runs if run.seed is not None)
    found = []
    for run in [*runs, *(Run(BACKBONE, seed, {}) for seed in seeds)]:
        scores, matchers = dict[str, float](), {}
        for task, share in product(tasks, shares):
            name = f"{run.system}-{run.seed}-{task}-{share}"
            if (path := reports / "metrics" / "finetuned" / f"{name}.json").exists():
                scores |= read_metrics(path).get(FINE_TUNED, {})
                facts = models / "finetuned" / name / "training.json"
                matchers[task, share] = read_json(facts, "test", "curve")
        views = dict(run.views) | ({FINE_TUNED: scores} if scores else {})
        found += [replace(run, views=views, matchers=matchers)] if views else []
    return found


def _read_views(path: Path, system: str) -> dict[str, dict[str, float]]:
    """The metrics by view and the mean of the probes; of the backbone, also of the most frequent class."""
    metrics = read_metrics(path)
    if LATE in metrics:
        metrics[LATE] = {metric.removesuffix(LATE_END): value for metric, value in metrics[LATE].items()}
    if system == BACKBONE:
        first, end = next(iter(metrics.values()), {}), f".{MAJORITY}"
        most = {f"{name.removesuffix(end)}.accuracy": first[name] for name in first if name.endswith(end)}
        metrics |= {MAJORITY: most} if most else {}
    for found in metrics.values():
        own = [value for name, value in found.items() if is_probe(name)]
        if own:
            found[PROBES] = statistics.fmean(own)
    return metrics


def is_probe(metric: str) -> bool:
    """Return whether a metric counts in the mean of the probes."""
    return metric.startswith("probe.") and metric.endswith(".accuracy") and metric != PROBES


def _read_curves(folder: Path) -> dict[str, Curve]:
    """Read the loss curves that DVCLive logged, as ``train`` and ``validation``."""
    found = {}
    for path in sorted(folder.glob("*/loss.tsv")):
        with path.open(encoding="utf-8", newline="") as stream:
            rows = csv.DictReader(stream, delimiter="\t")
            curve = sorted((float(row["step"]), float(row["loss"])) for row in rows)
        if curve:
            found["train" if path.parent.name == "train" else "validation"] = curve
    return found


def groups(runs: Sequence[Run]) -> list[Group]:
    """Return every (system, view) in the order of the runs, views in their fixed order."""
    systems = list(dict.fromkeys(run.system for run in runs))
    place = {view: number for number, view in enumerate(VIEWS)}
    pairs = {(run.system, view) for run in runs for view in run.views}
    return sorted(pairs, key=lambda pair: (systems.index(pair[0]), place.get(pair[1], len(VIEWS)), pair[1]))


def by_seed(runs: Sequence[Run], group: Group, metric: str) -> dict[int | None, float]:
    """Return the metric of every seed that has it; the seed of the backbone is None."""
    system, view = group
    found = {run.seed: run.views.get(view, {}).get(metric) for run in runs if run.system == system}
    return {seed: value for seed, value in found.items() if value is not None}


def summary(numbers: Sequence[float]) -> tuple[float, float | None]:
    """Return mean and sample standard deviation (None for one number)."""
    return statistics.fmean(numbers), statistics.stdev(numbers) if len(numbers) > 1 else None


def first_seeds(runs: Sequence[Run]) -> dict[str, Run]:
    """Return the first run of every system, in their order: what a picture of one model shows."""
    found: dict[str, Run] = {}
    for run in runs:
        found.setdefault(run.system, run)
    return found


def title(group: Group) -> str:
    """Return what an embedding is called: ``sscp joint``, ``backbone + sketch``, ``bag of words``."""
    system, view = group
    if group == UNTOUCHED or view in CONTROLS:
        return CONTROLS.get(view, BACKBONE)
    return f"{NAMES.get(system, system)} {NAMES.get(view, view)}"


def style(group: Group, colours: Mapping[str, int]) -> str:
    """Return the CSS classes of an embedding: a colour for its system, a shape for its view."""
    system, view = group
    return f"system-{colours[system]} view-{'control' if view in CONTROLS else view}"
