"""What the page is made from: each run's metrics, curves, costs and samples, read into plain values.

A run is one system and seed, or the untouched backbone. Metrics must be there; curves, costs, projections and
similarities may be missing (a run trained elsewhere, a task switched off), and their figures then say so.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_metrics, read_object, sha256
from pipeline.evaluation.compare import Key, Scores, read_columns, read_scores

BACKBONE = "backbone"
# The order in which views are shown.
VIEWS = ("semantic", "syntactic", "structural", "joint", "late", "combined")
# Views of the backbone that are no embedding, but baselines without a model.
CONTROLS = {
    "structural_agreement": "agreement of trees",
    "bag_of_words": "bag of words",
}
BASELINES = (BACKBONE, "simcse")  # every other system is compared with the strongest of them
# Late interaction scores a pair by its tokens, not by one vector: a row of its own, in the metric's column.
LATE, LATE_SUFFIX = "late", "_late"
PAIRWISE = (LATE, "combined")  # views that score a pair, and have no vectors
JOINT = "joint"

# The Arrow files behind the figures, and their columns.
_DRAWN = {
    "projection": {"view", "role", "source_id", "transformation", "text", "embedding"},
    "similarities": {"view", "kind", "similarity"},
    "neighbours": {"view", "query", "rank", "text", "kind", "transformation", "similarity"},
    "alignments": {"view", "kind", "a", "b", "first", "second", "weights"},
}

Group = tuple[str, str]  # system, view
Curve = list[tuple[float, float]]  # (step, value), ascending steps


@dataclass(frozen=True)
class Run:
    """One evaluated model: ``views[view]["stsb.test.spearman"]`` is a metric in points.

    The view ``late`` has its metrics under the others' names: ``paws.test.ap`` for ``paws.test.ap_late``.
    """

    system: str
    seed: int | None  # None for the backbone
    views: Mapping[str, Mapping[str, float]]
    curves: Mapping[str, Curve] = field(default_factory=dict)  # "train/loss" -> curve
    training: Mapping[str, Any] = field(default_factory=dict)
    evaluation: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)  # file's stem -> rows
    scores: Path | None = None  # folder with the per-example scores
    cost: Mapping[str, Any] = field(default_factory=dict)  # what training took; differs from run to run
    size: int | None = None  # bytes of the model's weights

    @property
    def name(self) -> str:
        """Name of the run's files: ``sscp-13``, or ``backbone``."""
        return self.system if self.seed is None else f"{self.system}-{self.seed}"

    @cached_property
    def samples(self) -> Mapping[Key, Scores]:
        """The scores of single examples by view, task and metric, read once; none where none were kept."""
        return {} if self.scores is None else read_scores(self.scores)


def title(system: str, view: str) -> str:
    """What a system's view is called: ``sscp joint``, ``backbone``, ``bag of words``."""
    name = f"{system} {'late interaction' if view == LATE else view}"
    if system == BACKBONE:
        return CONTROLS.get(view, BACKBONE if view == VIEWS[0] else name)
    return name


def style(group: Group, colours: Mapping[str, int]) -> str:
    """The classes that tell an embedding from the others: a colour for its system, a shape for its view."""
    system, view = group
    return f"system-{colours[system]} view-{'control' if view in CONTROLS else view}"


def main_system(runs: Sequence[Run]) -> str | None:
    """The first trained system that is no baseline, else the first trained one; None without any."""
    trained = list(dict.fromkeys(run.system for run in runs if run.seed is not None))
    return next((system for system in trained if system not in BASELINES), trained[0] if trained else None)


def first_seeds(runs: Sequence[Run]) -> list[Run]:
    """The first seed of every system, in their order: what a picture of one model shows."""
    return list({run.system: run for run in reversed(runs)}.values())[::-1]


def read_runs(reports: Path, models: Path, systems: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    """The backbone, then every system and seed, in the order of params.yaml.

    Only these are read, so that files left over from an earlier params.yaml never reach the page. Raises
    SynsemError where a run's metrics are missing or not numbers, or of another evaluation than its scores.
    """
    names: list[tuple[str, int | None]] = [(BACKBONE, None)]
    names += [(system, seed) for system in dict.fromkeys(systems) for seed in dict.fromkeys(seeds)]
    return [_read_run(reports, models, system, seed) for system, seed in names]


def _read_run(reports: Path, models: Path, system: str, seed: int | None) -> Run:
    name = Run(system, seed, {}).name
    path = reports / "metrics" / f"{name}.json"
    if not path.exists():
        raise SynsemError(
            f"{path}: missing; evaluate that run first: dvc repro, "
            f"or `synsem evaluate {_as_named(system, seed)}`"
        )
    views = ordered_views(read_metrics(path))
    model, evaluation = models / system / str(seed), reports / "evaluation" / name
    # Git has the metrics and DVC the scores: a checkout can leave those of two evaluations.
    origin = read_facts(evaluation / "model.json") or {}
    if "metrics" in origin and origin["metrics"] != sha256(path):
        raise SynsemError(
            f"{path}: of another evaluation than the scores in {evaluation}; "
            f"evaluate that run again: dvc repro, or `synsem evaluate {_as_named(system, seed)}`"
        )
    weights = model / "model.safetensors"
    return Run(
        system,
        seed,
        views,
        read_curves(reports / "curves" / name),
        read_facts(model / "training.json") or {},
        read_evaluation(evaluation),
        evaluation if (evaluation / "examples.arrow").exists() else None,
        read_facts(reports / "cost" / name / "cost.json") or {},
        weights.stat().st_size if weights.exists() else None,
    )


def _as_named(system: str, seed: int | None) -> str:
    """A run as the command names it."""
    return system if seed is None else f"{system} {seed}"


def ordered_views(metrics: Mapping[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Views in their order; late interaction's metrics have the names of the cosine's."""
    views = {view: metrics[view] for view in sorted(metrics, key=view_order)}
    if LATE in views:
        views[LATE] = {name.removesuffix(LATE_SUFFIX): value for name, value in views[LATE].items()}
    return views


def view_order(view: str) -> tuple[int, str]:
    """Sorts views: the known ones in their order, then any other by name."""
    return (VIEWS.index(view) if view in VIEWS else len(VIEWS), view)


def read_curves(folder: Path) -> dict[str, Curve]:
    """DVCLive's TSV files by their path below ``plots/metrics``: ``train/loss`` -> (step, value) points."""
    home = folder / "plots" / "metrics"
    found = {
        path.relative_to(home).with_suffix("").as_posix(): _read_curve(path)
        for path in sorted(home.glob("**/*.tsv"))
    }
    return {name: curve for name, curve in found.items() if curve}


def _read_curve(path: Path) -> Curve:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            names, *rows = [row for row in csv.reader(stream, delimiter="\t") if row] or [[]]
        columns = [name for name in names if name not in ("step", "timestamp")]
        if rows and ("step" not in names or len(columns) != 1):
            raise SynsemError(
                f"{path}: needs the columns `step` and one value, has {', '.join(names)}; run pretrain again"
            )
        found = [dict(zip(names, row, strict=True)) for row in rows]
        points = [(float(row["step"]), float(row[columns[0]])) for row in found]
    except (csv.Error, ValueError) as error:
        raise SynsemError(f"{path}: not a table of numbers ({error}); run pretrain again") from error
    return sorted(point for point in points if all(map(math.isfinite, point)))


def read_evaluation(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of the Arrow files that the figures need, by the file's stem; SynsemError for a damaged one."""
    paths = [(folder / f"{stem}.arrow", columns) for stem, columns in _DRAWN.items()]
    return {path.stem: read_columns(path, columns).to_pylist() for path, columns in paths if path.exists()}


def read_facts(path: Path) -> dict[str, Any] | None:
    """A JSON object that a stage may have left, such as a ``report.json``; None where there is none."""
    if not path.exists():
        return None
    return read_object(path)
