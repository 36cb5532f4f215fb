"""Two runs side by side, from what they left behind: every metric with its interval, and what changed
most."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pipeline.errors import SynsemError
from pipeline.evaluation.significance import Difference, bootstrap, holm, paired_t
from pipeline.store import read_file, read_json

_FALLBACK = "semantic"  # what a view is compared with where the other run lacks it
_LATE = "_late"  # and a late-interaction score with the cosine of that view
# What describes the data or a control, and not the model.
_ASIDE = (
    *("pairs", "sentences", "groups", "chance", "layer"),
    *("majority", "random_labels", "random_labels_mlp", "_chain", "_random_trees"),
)


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
    table = read_file(path).combine_chunks()
    if not table.num_rows:
        return {}
    labels = [table[name].combine_chunks() for name in ("view", "task", "metric")]
    codes = np.ravel_multi_index(
        [column.indices.to_numpy() for column in labels], [len(column.dictionary) for column in labels]
    )
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    found = {}
    for number in np.argsort(first):  # in the order in which the tasks were run
        rows = table.take(np.flatnonzero(group == number))
        view, task, metric = (rows[name][0].as_py() for name in ("view", "task", "metric"))
        found[view, task, metric] = Scores(
            rows["a"].to_pylist(),
            rows["b"].to_pylist(),
            rows["gold"].to_numpy().astype(np.float64),
            rows["score"].to_numpy().astype(np.float64),
        )
    return found


def pairs(first: Path, second: Path) -> Iterator[tuple[Key, Scores, Scores]]:
    """Metrics that both runs have on the very same examples; a view is met by its namesake or by
    ``semantic``, a late-interaction score by its like or by that view's cosine."""
    before, after = read_scores(first), read_scores(second)
    for (view, task, metric), new in after.items():
        old = (
            before.get((view, task, metric))
            or before.get((_FALLBACK, task, metric))
            or before.get((_FALLBACK, task, metric.removesuffix(_LATE)))
        )
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


def significance_table(reports: Path, first: str, second: str, draws: int = 1000) -> dict[str, Any]:
    """The comparison of two runs or systems as JSON: ``test``, ``first``, ``second`` and ``rows``.

    Two runs are compared by paired bootstrap over examples: a row has view, task, metric, examples, a, b,
    difference, low, high, p and p_holm. A system with seeds is compared by paired t-test over these: name,
    mean_a, sd_a, mean_b, sd_b, p, p_holm. Raises SynsemError where there is nothing to compare.
    """
    metrics, evaluation = reports / "metrics", reports / "evaluation"
    rows: list[dict[str, Any]]
    if over_several_seeds(reports, first, second):
        test = "paired t-test over seeds"
        rows = [line._asdict() for line in over_seeds(metrics, first, second)]
    else:
        test = "paired bootstrap over examples"
        lines = compare(evaluation / first, evaluation / second, draws)
        rows = [
            {"view": line.view, "task": line.task, "metric": line.metric, "examples": line.examples}
            | line.difference._asdict()
            | {"difference": line.difference.value, "adjusted": line.adjusted}
            for line in lines
        ]
    for row in rows:
        row["p_holm"] = row.pop("adjusted")
    return {"test": test, "first": first, "second": second, "rows": rows}


def over_several_seeds(reports: Path, first: str, second: str) -> bool:
    """Whether one of the two is a system with seeds, and not a run."""
    names = [name for name in (first, second) if not (reports / "evaluation" / name).exists()]
    return any(runs_of(reports / "metrics", name) for name in names)


def changes(first: Path, second: Path, limit: int) -> list[Change]:
    """The examples that gained or lost most, by task: half of each, the largest first.

    The gain is in score where a score is right or wrong or a reciprocal rank; else it is how much nearer,
    as a share of all ranks, the example's rank by similarity has come to its rank by gold.
    """
    found = []
    for (view, task, metric), old, new in pairs(first, second):
        gain = new.score - old.score
        ranked = metric.removesuffix(_LATE)
        if ranked in ("spearman", "ap"):
            gold = rankdata(new.gold)
            gain = (abs(rankdata(old.score) - gold) - abs(rankdata(new.score) - gold)) / len(gold)
        found += [
            Change(task, view, float(gain[i]), new.a[i], new.b[i])
            for i in np.flatnonzero(gain)
            if ranked != "ap"
        ]
    return [*_most(found, 1)[: limit - limit // 2], *_most(found, -1)[: limit // 2][::-1]]


def _most(changes: Sequence[Change], sign: int) -> list[Change]:
    """The gains (or, for -1, losses) from the largest, an example of a task once; of equal ones each task's
    first, then each task's second, and so on."""
    seen: set[tuple[str, str, str | None]] = set()
    counts: Counter[tuple[str, float]] = Counter()
    ordered = []
    for change in sorted(changes, key=lambda each: (-sign * each.gain, each.task, each.view, each.first)):
        example = (change.task, change.first, change.second)
        if sign * change.gain > 0 and example not in seen:
            seen.add(example)
            counts[change.task, change.gain] += 1
            ordered.append((-sign * change.gain, counts[change.task, change.gain], change.task, change))
    return [change for *_, change in sorted(ordered, key=lambda each: each[:3])]


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
    seeds, with Holm's adjustment over all of them.

    A run without a seed, such as ``backbone``, stands beside every seed of the other. Raises SynsemError
    where there are fewer than two seeds in common.
    """
    runs = [runs_of(metrics, name) for name in (first, second)]
    seeded = [set(found) for found in runs if "" not in found]
    seeds = sorted(set.intersection(*seeded)) if seeded else []
    if len(seeds) < 2:
        raise SynsemError(
            f"{metrics}: {first} and {second} have {len(seeds)} seeds in common and a t-test needs two; "
            "add seeds to params.yaml, or compare two runs such as 'sscp-13 simcse-13'"
        )
    a, b = ([dict(_flat(read_json(found.get(seed) or found[""]))) for seed in seeds] for found in runs)
    lines = []
    for name in sorted(set.intersection(*(set(run) for run in b))):
        rest = f"{_FALLBACK}.{name.partition('.')[2]}"
        other = next(
            (each for each in (name, rest, rest.removesuffix(_LATE)) if all(each in r for r in a)), ""
        )
        if other and not name.endswith(_ASIDE):
            lines.append((name, np.array([run[other] for run in a]), np.array([run[name] for run in b])))
    p = [paired_t(x, y) for _, x, y in lines]
    return [
        OverSeeds(name, x.mean(), x.std(ddof=1), y.mean(), y.std(ddof=1), each, float(adjusted))
        for (name, x, y), each, adjusted in zip(lines, p, holm(p), strict=True)
    ]


def runs_of(metrics: Path, name: str) -> dict[str, Path]:
    """The metrics files of a system by seed; that of a run such as ``backbone`` or ``sscp-13`` by ``""``."""
    own = metrics / f"{name}.json"
    if own.exists():
        return {"": own}
    found = {path.stem.removeprefix(f"{name}-"): path for path in metrics.glob(f"{name}-*.json")}
    return {seed: path for seed, path in found.items() if seed.isdigit()}


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
