"""Two runs side by side, from what they left behind: every metric with its interval, and what changed
most."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pipeline.errors import SynsemError
from pipeline.evaluation.significance import Difference, bootstrap, holm, paired_t
from pipeline.store import read_file, read_json

_FALLBACK = "semantic"  # what a view is compared with where the other run lacks it


class Scores(NamedTuple):
    """One metric's per-example scores; columns in parallel."""

    a: list[str]
    b: list[str | None]
    gold: NDArray[np.float64]
    score: NDArray[np.float64]


class Compared(NamedTuple):
    """One line of the comparison."""

    view: str
    task: str
    metric: str
    examples: int
    difference: Difference
    adjusted: float  # p after Holm over all lines


class Change(NamedTuple):
    """An example on which the runs disagree: positive where the second run is better."""

    task: str
    view: str
    gain: float
    first: str
    second: str | None


Key = tuple[str, str, str]


def read_scores(folder: Path) -> dict[Key, Scores]:
    """The per-example scores of a run by view, task and metric."""
    path = folder / "examples.arrow"
    if not path.exists():
        raise SynsemError(f"{path}: missing; evaluate that run first, or name its folder")
    grouped: dict[Key, list[Mapping[str, Any]]] = defaultdict(list)
    for row in read_file(path).to_pylist():
        grouped[row["view"], row["task"], row["metric"]].append(row)
    return {
        key: Scores(
            [row["a"] for row in rows],
            [row["b"] for row in rows],
            np.array([np.nan if row["gold"] is None else row["gold"] for row in rows]),
            np.array([row["score"] for row in rows]),
        )
        for key, rows in grouped.items()
    }


def pairs(first: Path, second: Path) -> Iterator[tuple[Key, Scores, Scores]]:
    """Metrics that both runs have on the very same examples; a view is met by its namesake or by
    ``semantic``."""
    before, after = read_scores(first), read_scores(second)
    for (view, task, metric), new in after.items():
        old = before.get((view, task, metric)) or before.get((_FALLBACK, task, metric))
        if old is not None and (old.a, old.b) == (new.a, new.b):
            yield (view, task, metric), old, new


def compare(first: Path, second: Path, draws: int = 1000, seed: int = 13) -> list[Compared]:
    """Bootstrap every metric that the two runs share; SynsemError where they share none."""
    lines = [
        (key, len(new.a), bootstrap(key[2], new.gold, old.score, new.score, draws, seed))
        for key, old, new in pairs(first, second)
    ]
    if not lines:
        raise SynsemError(
            f"{first} and {second}: no metric on the same examples; evaluate both on equal data"
        )
    adjusted = holm([difference.p for _, _, difference in lines])
    return [
        Compared(*key, count, difference, float(p))
        for (key, count, difference), p in zip(lines, adjusted, strict=True)
    ]


def changes(first: Path, second: Path, limit: int) -> list[Change]:
    """The examples that gained or lost most, by task: half of each, the largest first.

    The gain is in score where a score is right or wrong or a reciprocal rank; else it is how much nearer,
    as a share of all ranks, the example's rank by similarity has come to its rank by gold.
    """
    found = []
    for (view, task, metric), old, new in pairs(first, second):
        gain = new.score - old.score
        if metric in ("spearman", "ap"):
            gold = rankdata(new.gold)
            gain = (abs(rankdata(old.score) - gold) - abs(rankdata(new.score) - gold)) / len(gold)
        found += [
            Change(task, view, float(gain[i]), new.a[i], new.b[i])
            for i in np.flatnonzero(gain)
            if metric != "ap"
        ]
    found.sort(key=lambda change: (-change.gain, change.task, change.view, change.first))
    return found[: limit - limit // 2] + found[::-1][: limit // 2][::-1]


class OverSeeds(NamedTuple):
    """A metric over the seeds that two systems share."""

    name: str
    mean_a: float
    sd_a: float
    mean_b: float
    sd_b: float
    p: float
    adjusted: float


def over_seeds(metrics: Path, first: str, second: str) -> list[OverSeeds]:
    """Mean and standard deviation of every metric of two systems, and the paired t-test over their common
    seeds.

    Raises SynsemError where they have fewer than two seeds in common.
    """
    seeds = sorted(_seeds(metrics, first) & _seeds(metrics, second))
    if len(seeds) < 2:
        raise SynsemError(
            f"{metrics}: {first} and {second} have {len(seeds)} seeds in common and a t-test needs two; "
            "add seeds to params.yaml, or compare two runs such as 'sscp-13 simcse-13'"
        )
    a, b = (
        [dict(_flat(read_json(metrics / f"{name}-{seed}.json"))) for seed in seeds]
        for name in (first, second)
    )
    lines = []
    for name in sorted(set.intersection(*(set(run) for run in b))):
        rest = name.partition(".")[2]
        other = name if all(name in run for run in a) else f"{_FALLBACK}.{rest}"
        if all(other in run for run in a):
            lines.append((name, np.array([run[other] for run in a]), np.array([run[name] for run in b])))
    p = [paired_t(x, y) for _, x, y in lines]
    return [
        OverSeeds(name, x.mean(), x.std(ddof=1), y.mean(), y.std(ddof=1), each, float(adjusted))
        for (name, x, y), each, adjusted in zip(lines, p, holm(p), strict=True)
    ]


def _seeds(metrics: Path, system: str) -> set[str]:
    found = {path.stem.removeprefix(f"{system}-") for path in metrics.glob(f"{system}-*.json")}
    return {seed for seed in found if seed.isdigit()}


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
