"""Compare two runs, or two systems over their seeds, from the files that their evaluations wrote."""

from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from pipeline.core.errors import SynsemError
from pipeline.core.significance import Difference, bootstrap, holm, paired_t
from pipeline.core.store import read_metrics
from pipeline.report.runs import read_scores

if TYPE_CHECKING:
    from rich.table import Table

_FALLBACK = "semantic"  # the view to compare with if the other run lacks a view
_LATE = "_late"  # ends the name of a late-interaction metric, which is then compared with the cosine's
# Metrics that describe the data or a control, and not the model.
_NOT_COMPARED = (
    *("pairs", "sentences", "groups", "chance", "majority"),
    *("random_labels", "random_labels_mlp", "derived_trees"),
)


class Comparison(NamedTuple):
    """A metric of two runs or systems, with the difference between them."""

    name: str  # view.task.metric
    size: int  # of examples or seeds
    difference: Difference
    adjusted: float  # p after Holm over all lines; NaN if untested


def compare(reports: Path, first: str, second: str, draws: int = 1000, seed: int = 13) -> list[Comparison]:
    """Compare two runs by paired bootstrap over examples, or two systems by a paired t-test over seeds.

    A view of the second is compared with the first's view of that name, otherwise with ``semantic``; a
    late-interaction score with its like, otherwise with the cosine. Raises SynsemError if one of the two is
    not there or they share nothing.
    """
    runs = [_runs(reports / "metrics", name) for name in (first, second)]
    for name, found in zip((first, second), runs, strict=True):
        if not found:
            known = ", ".join(sorted(path.stem for path in (reports / "metrics").glob("*.json"))) or "none"
            raise SynsemError(
                f"{reports / 'metrics'}: has no run or system {name!r}; the runs there: {known}"
            )
    if any("" not in found for found in runs):
        lines = list(_over_seeds(first, second, *runs))
    else:
        lines = _over_examples(reports / "evaluation" / first, reports / "evaluation" / second, draws, seed)
    if not lines:
        raise SynsemError(f"{first} and {second}: no metric on equal data; evaluate both on the same")
    adjusted = holm([difference.p for _, _, difference in lines])
    return [Comparison(*line, float(p)) for line, p in zip(lines, adjusted, strict=True)]


def _over_examples(first: Path, second: Path, draws: int, seed: int) -> list[tuple[str, int, Difference]]:
    before, shared = read_scores(first), []
    for (view, task, metric), new in read_scores(second).items():
        names = (view, metric), (_FALLBACK, metric), (_FALLBACK, metric.removesuffix(_LATE))
        old = next((found for of, name in names if (found := before.get((of, task, name)))), None)
        if old is not None and old.are_of_the_examples_of(new):
            shared.append((f"{view}.{task}.{metric}", metric, old, new))
    # Of fewer draws for each metric, the smallest p that they can give would be above 0.05 after Holm.
    draws = max(draws, 100 * len(shared))
    return [
        (name, len(new.a), bootstrap(metric, new.gold, old.score, new.score, draws, seed))
        for name, metric, old, new in shared
    ]


def _over_seeds(
    first: str, second: str, of_first: dict[str, Path], of_second: dict[str, Path]
) -> Iterator[tuple[str, int, Difference]]:
    """Compare over the seeds in common; a run without a seed, such as ``backbone``, with every seed."""
    runs = (of_first, of_second)
    seeds = sorted(set.intersection(*(set(found) for found in runs if "" not in found)))
    if len(seeds) < 2:
        raise SynsemError(
            f"{first} and {second}: {len(seeds)} seeds in common and a t-test needs two; add seeds to "
            "params.yaml, or compare two runs such as 'sscp-13 simcse-13'"
        )
    a, b = ([_dotted(found.get(seed) or found[""]) for seed in seeds] for found in runs)
    for name in sorted(set.intersection(*map(set, b))):
        rest = f"{_FALLBACK}.{name.partition('.')[2]}"
        names = (name, rest, rest.removesuffix(_LATE))
        other = next((each for each in names if all(each in run for run in a)), None)
        if other and not name.endswith(_NOT_COMPARED):
            x, y = np.array([run[other] for run in a]), np.array([run[name] for run in b])
            half = stats.t.ppf(0.975, len(seeds) - 1) * stats.sem(y - x)
            middle = float(np.mean(y - x))
            interval = float(middle - half), float(middle + half)
            yield name, len(seeds), Difference(float(x.mean()), float(y.mean()), *interval, paired_t(x, y))


def _runs(metrics: Path, name: str) -> dict[str, Path]:
    """Return the metrics files of a system by seed; of a run such as ``sscp-13``, by ``""``."""
    own = metrics / f"{name}.json"
    if own.exists():
        return {"": own}
    found = {path.stem.removeprefix(f"{name}-"): path for path in metrics.glob(f"{name}-*.json")}
    return {seed: path for seed, path in found.items() if seed.isdigit()}


def _dotted(path: Path) -> dict[str, float]:
    """Return every metric of a run's file as view.task.metric."""
    views = read_metrics(path).items()
    return {f"{view}.{name}": value for view, metrics in views for name, value in metrics.items()}


def comparison_table(lines: Sequence[Comparison], first: str, second: str) -> "Table":
    """Return a table with a row for each metric; a star marks p below 0.05 after Holm."""
    from rich.table import Table

    table = Table(title=f"{second} against {first}", title_justify="left")
    table.add_column("metric", overflow="fold")
    for heading in ("n", first, second, "difference", "95 % interval", "p (Holm)"):
        table.add_column(heading, justify="right", overflow="fold")
    for line in lines:
        d = line.difference
        digits = 2 if max(abs(d.a), abs(d.b)) >= 1 else 4  # such as an alignment of 0.0148
        few = isnan(line.adjusted)
        table.add_row(
            line.name,
            f"{line.size:,}",
            f"{d.a:.{digits}f}",
            f"{d.b:.{digits}f}",
            f"{d.value:+.{digits}f}",
            "–" if few else f"{d.low:+.{digits}f} to {d.high:+.{digits}f}",
            "untested" if few else f"{line.adjusted:.3f}{' *' if line.adjusted < 0.05 else ''}",
        )
    return table
