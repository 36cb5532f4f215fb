"""Compare two runs, or two systems over their seeds, from the files that their evaluations wrote."""

from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from pipeline.core.errors import SynsemError
from pipeline.core.metrics import Difference, bootstrap, holm, paired_t
from pipeline.core.store import read_metrics
from pipeline.report.runs import LATE_END, read_scores

if TYPE_CHECKING:
    from rich.table import Table

_FALLBACK = "semantic"  # the view to compare with if the other run lacks a view
# Metrics that describe the data or a control, and not the model.
_NOT_COMPARED = ("pairs", "sentences", "groups", "chance", "majority", "random_labels", "random_labels_mlp")
Line = tuple[str, int, Difference]  # as of a Comparison


class Comparison(NamedTuple):
    """A metric of two runs or systems, with the difference between them."""

    name: str  # view.task.metric
    size: int  # of examples or seeds
    difference: Difference
    adjusted: float  # p after Holm over all lines; NaN if untested


def compare(reports: Path, first: str, second: str) -> list[Comparison]:
    """Compare two runs by paired bootstrap over examples, or two systems by a paired t-test over seeds.

    A view of the second is compared with the first's view of that name, otherwise with ``semantic``; a
    late-interaction score with its like, otherwise with the cosine. Raises SynsemError if one of the two is
    not there or they share nothing.
    """
    runs = [_runs(reports / "metrics", name) for name in (first, second)]
    if any("" not in found for found in runs):
        lines = list(_over_seeds(first, second, runs))
    else:
        lines = _over_examples(reports / "evaluation" / first, reports / "evaluation" / second)
    if not lines:
        raise SynsemError(f"{first} and {second}: no metric on the same data; evaluate both on the same data")
    adjusted = holm([difference.p for _, _, difference in lines])
    return [Comparison(*line, float(p)) for line, p in zip(lines, adjusted, strict=True)]


def _over_examples(first: Path, second: Path) -> list[Line]:
    before, shared = read_scores(first), []
    for (view, task, metric), new in read_scores(second).items():
        names = (view, metric), (_FALLBACK, metric), (_FALLBACK, metric.removesuffix(LATE_END))
        old = next((found for of, name in names if (found := before.get((of, task, name)))), None)
        if old is not None and old.are_of_the_examples_of(new):
            shared.append((f"{view}.{task}.{metric}", metric, old, new))
    # With fewer draws, the smallest p that they can give would be above 0.05 after Holm.
    draws = max(1000, 100 * len(shared))
    return [
        (name, len(new.a), bootstrap(metric, new.gold, old.score, new.score, draws))
        for name, metric, old, new in shared
    ]


def _over_seeds(first: str, second: str, runs: Sequence[dict[str, Path]]) -> Iterator[Line]:
    """Compare over the seeds in common; a run without a seed, such as ``backbone``, with every seed."""
    seeds = sorted(set.intersection(*(set(found) for found in runs if "" not in found)))
    if len(seeds) < 2:
        raise SynsemError(
            f"{first} and {second}: {len(seeds)} seeds in common and a t-test needs two; add seeds to "
            "params.yaml, or compare two runs such as 'sscp-13 simcse-13'"
        )
    a, b = ([read_metrics(found.get(seed) or found[""]) for seed in seeds] for found in runs)
    for view, name in sorted((view, name) for view, own in b[0].items() for name in own):
        of = ((view, name), (_FALLBACK, name), (_FALLBACK, name.removesuffix(LATE_END)))
        base = next((key for key in of if all(key[1] in run.get(key[0], {}) for run in a)), None)
        if base and all(name in run.get(view, {}) for run in b) and not name.endswith(_NOT_COMPARED):
            x, y = np.array([run[base[0]][base[1]] for run in a]), np.array([run[view][name] for run in b])
            half = stats.t.ppf(0.975, len(seeds) - 1) * stats.sem(y - x)
            low, high = float(np.mean(y - x) - half), float(np.mean(y - x) + half)
            difference = Difference(float(x.mean()), float(y.mean()), low, high, paired_t(x, y))
            yield f"{view}.{name}", len(seeds), difference


def _runs(metrics: Path, name: str) -> dict[str, Path]:
    """Return the metrics files of a system by seed; of a run such as ``sscp-13``, by ``""``."""
    known = {path.stem: path for path in sorted(metrics.glob("*.json"))}
    seeds = {run.removeprefix(f"{name}-"): path for run, path in known.items() if run.startswith(f"{name}-")}
    found = {seed: path for seed, path in seeds.items() if seed.isdigit()}
    if not (name in known or found):
        there = ", ".join(known) or "none"
        raise SynsemError(f"{metrics}: has no run or system {name!r}; the runs there: {there}")
    return {"": known[name]} if name in known else found


def comparison_table(lines: Sequence[Comparison], first: str, second: str) -> "Table":
    """Return a table with a row for each metric; a star marks p below 0.05 after Holm."""
    from rich.table import Table

    table = Table(title=f"{second} against {first}", title_justify="left")
    table.add_column("metric", overflow="fold")
    for heading in ("n", first, second, "difference", "95 % interval", "p (Holm)"):
        table.add_column(heading, justify="right", overflow="fold")
    for line in lines:
        a, b, low, high, _ = line.difference
        digits = 2 if max(abs(a), abs(b)) >= 1 else 4  # such as an alignment of 0.0148
        spread, p = f"{low:+.{digits}f} to {high:+.{digits}f}", f"{line.adjusted:.3f}"
        if isnan(line.adjusted):
            spread, p = "–", "untested"
        values = (f"{a:.{digits}f}", f"{b:.{digits}f}", f"{b - a:+.{digits}f}")
        table.add_row(line.name, f"{line.size:,}", *values, spread, p + " *" * (line.adjusted < 0.05))
    return table
