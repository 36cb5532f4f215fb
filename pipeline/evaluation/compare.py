"""Compare two runs, or two systems over their seeds, from the files that their evaluations wrote."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.stats import rankdata

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_file, read_metrics, to_values
from pipeline.evaluation.significance import Difference, bootstrap, holm, paired_t

_FALLBACK = "semantic"  # the view to compare with where the other run lacks a view
_LATE = "_late"  # ends the name of a late-interaction metric, which is compared with the cosine's there
# Metrics that describe the data or a control, and not the model.
_NOT_COMPARED = (
    *("pairs", "sentences", "groups", "chance"),
    *("majority", "random_labels", "random_labels_mlp"),
    *("likeness_best", "derived_trees", "loss_other_source", "loss_other_template"),
)


class Scores(NamedTuple):
    """One metric's scores of every example; columns in parallel."""

    a: list[str]
    b: list[str | None]
    gold: NDArray[np.float64]
    score: NDArray[np.float64]

    def are_of_the_examples_of(self, other: "Scores") -> bool:
        """Whether both are scores of the very same examples with the same labels."""
        same_texts = (self.a, self.b) == (other.a, other.b)
        return same_texts and np.array_equal(self.gold, other.gold, equal_nan=True)


class Comparison(NamedTuple):
    """A metric of two runs, with the difference between them."""

    view: str
    task: str
    metric: str
    examples: int
    difference: Difference
    adjusted: float  # p after Holm over all lines; NaN of too few examples


class Change(NamedTuple):
    """An example on which two runs differ; the gain is positive where the second run is better."""

    task: str
    view: str
    gain: float
    first: str
    second: str | None


Key = tuple[str, str, str]
_COLUMNS = {"view", "task", "metric", "subset", "a", "b", "gold", "score"}


def read_rows(folder: Path) -> pa.Table:
    """The per-example scores of a run, a row each; SynsemError where there is no such file."""
    path = folder / "examples.arrow"
    if not path.exists():
        raise SynsemError(f"{path}: missing; evaluate that run first, or name its folder")
    return read_columns(path, _COLUMNS)


def read_columns(path: Path, columns: Set[str]) -> pa.Table:
    """An Arrow file of a run's evaluation; SynsemError where it lacks one of the columns, or is damaged."""
    table = read_file(path)
    if absent := columns - set(table.column_names):
        raise SynsemError(f"{path}: has no column {', '.join(sorted(absent))}; evaluate that run again")
    return table


def read_scores(folder: Path) -> dict[Key, Scores]:
    """The per-example scores of a run by view, task and metric.

    Raises SynsemError as ``read_rows`` does, and for a row without a name or a score.
    """
    table = read_rows(folder)
    if not table.num_rows:
        return {}
    names = ("view", "task", "metric")
    absent = any(table[name].null_count for name in (*names, "score"))
    if absent or not pc.all(pc.is_finite(table["score"])).as_py():
        path = folder / "examples.arrow"
        raise SynsemError(f"{path}: a row lacks its view, task, metric or score; evaluate that run again")
    # Labels or plain text: another program may have written them.
    table = table.combine_chunks()
    labels = [table[name].dictionary_encode().combine_chunks() for name in names]
    codes = np.ravel_multi_index(
        [column.indices.to_numpy() for column in labels], [len(column.dictionary) for column in labels]
    )
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    a, b = (np.array(to_values(table[name]), dtype=object) for name in ("a", "b"))
    gold, score = (table[name].to_numpy().astype(np.float64) for name in ("gold", "score"))
    found = {}
    for number in np.argsort(first):  # in the order in which the tasks were run
        rows = np.flatnonzero(group == number)
        view, task, metric = (column[rows[0]].as_py() for column in labels)
        found[view, task, metric] = Scores(a[rows].tolist(), b[rows].tolist(), gold[rows], score[rows])
    return found


def shared_metrics(first: Path, second: Path) -> Iterator[tuple[Key, Scores, Scores]]:
    """The metrics that both runs have on the very same examples, with the scores of either.

    A view of the second run is compared with the first run's view of that name, else with ``semantic``. A
    late-interaction score is compared with its like, else with the cosine of ``semantic``.
    """
    before, after = read_scores(first), read_scores(second)
    for (view, task, metric), new in after.items():
        old = (
            before.get((view, task, metric))
            or before.get((_FALLBACK, task, metric))
            or before.get((_FALLBACK, task, metric.removesuffix(_LATE)))
        )
        if old is not None and old.are_of_the_examples_of(new):
            yield (view, task, metric), old, new


def compare(first: Path, second: Path, draws: int = 1000, seed: int = 13) -> list[Comparison]:
    """The difference of every metric that two runs share, by paired bootstrap; SynsemError for none.

    There are at least 100 draws for each metric: of fewer the smallest p that they can give would be above
    0.05 after Holm's correction. A metric of fewer than ``significance.FEWEST`` examples is not tested.
    """
    shared = list(shared_metrics(first, second))
    if not shared:
        raise SynsemError(
            f"{first} and {second}: no metric on the same examples; evaluate both on equal data"
        )
    draws = max(draws, 100 * len(shared))
    lines = [
        (key, len(new.a), bootstrap(key[2], new.gold, old.score, new.score, draws, seed))
        for key, old, new in shared
    ]
    adjusted = holm([difference.p for _, _, difference in lines])
    return [
        Comparison(*key, count, difference, float(p))
        for (key, count, difference), p in zip(lines, adjusted, strict=True)
    ]


def significance_table(reports: Path, first: str, second: str, draws: int = 1000) -> dict[str, Any]:
    """The comparison of two runs or systems as JSON: ``test``, ``first``, ``second`` and ``rows``.

    Two runs are compared by paired bootstrap over examples: a row has view, task, metric, examples, a, b,
    difference, low, high, p and p_holm. A system with seeds is compared by paired t-test over these: name,
    mean_a, sd_a, mean_b, sd_b, p, p_holm. A number that is not defined is None. Raises SynsemError where
    there is nothing to compare.
    """
    if over_several_seeds(reports, first, second):
        return as_json(over_seeds(reports / "metrics", first, second), first, second)
    evaluation = reports / "evaluation"
    return as_json(compare(evaluation / first, evaluation / second, draws), first, second)


def as_json(lines: "Sequence[Comparison] | Sequence[OverSeeds]", first: str, second: str) -> dict[str, Any]:
    """``significance_table`` of what ``compare`` or ``over_seeds`` gave."""
    test, rows = "paired t-test over seeds", []
    for line in lines:
        row = line._asdict()
        if isinstance(line, Comparison):
            test = "paired bootstrap over examples"
            row |= line.difference._asdict() | {"difference": line.difference.value}
        row["p_holm"] = row.pop("adjusted")
        # JSON has no NaN.
        rows.append({name: None if value != value else value for name, value in row.items()})
    return {"test": test, "first": first, "second": second, "rows": rows}


def over_several_seeds(reports: Path, first: str, second: str) -> bool:
    """Whether one of the two is a system with seeds, and not a run."""
    names = [name for name in (first, second) if not (reports / "evaluation" / name).exists()]
    return any(runs_of(reports / "metrics", name) for name in names)


def changes(first: Path, second: Path, limit: int) -> list[Change]:
    """The ``limit`` examples that gained or lost most, as many of either kind; gains come first.

    Where a score says right or wrong or is a reciprocal rank, the gain is the difference in score. For a
    correlation it is how much nearer the rank by similarity has come to the rank by gold, as a share of all
    ranks. Average precision has no gold rank, so it is left out.
    """
    found = []
    for (view, task, metric), old, new in shared_metrics(first, second):
        ranked = metric.removesuffix(_LATE)
        if ranked == "ap":
            continue
        gain = new.score - old.score
        if ranked == "spearman":
            gold = rankdata(new.gold)
            gain = (abs(rankdata(old.score) - gold) - abs(rankdata(new.score) - gold)) / len(gold)
        found += [Change(task, view, float(gain[i]), new.a[i], new.b[i]) for i in np.flatnonzero(gain)]
    return [*_most(found, 1)[: limit - limit // 2], *_most(found, -1)[: limit // 2][::-1]]


def _most(changes: Sequence[Change], sign: int) -> list[Change]:
    """The gains (or, for -1, losses) from the largest, each example of a task once.

    Of equal ones each task's first come first, then each task's second, and so on.
    """
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
    """A metric of two systems over the seeds that they share."""

    name: str
    mean_a: float
    sd_a: float
    mean_b: float
    sd_b: float
    p: float
    adjusted: float


def over_seeds(metrics: Path, first: str, second: str) -> list[OverSeeds]:
    """Every metric of two systems over their common seeds, with the paired t-test, adjusted after Holm.

    A run without a seed, such as ``backbone``, is compared with every seed of the other. Raises SynsemError
    where one of the two is not there, or where there are fewer than two seeds in common.
    """
    evaluation = metrics.with_name("evaluation")
    runs = [runs_of(metrics, name) for name in (first, second)]
    for name, found in zip((first, second), runs, strict=True):
        if not found:
            known = ", ".join(sorted(path.stem for path in metrics.glob("*.json"))) or "none"
            raise SynsemError(f"{metrics}: holds no run or system {name!r}; the runs there: {known}")
    seeded = [set(found) for found in runs if "" not in found]
    if not seeded:  # two runs, whose examples a clone does not come with
        missing = [path for name in (first, second) if not (path := evaluation / name).exists()]
        raise SynsemError(f"{(missing or [evaluation])[0]}: missing; evaluate that run first (dvc repro)")
    seeds = sorted(set.intersection(*seeded))
    if len(seeds) < 2:
        named = zip((first, second), runs, strict=True)
        one = [name if "" in found else f"{name}-{seed}" for name, found in named for seed in seeds]
        raise SynsemError(
            f"{metrics}: {first} and {second} have {len(seeds)} seed{'s' * (len(seeds) != 1)} in common and "
            "a t-test needs two; add seeds to params.yaml, or compare two runs such as "
            f"'{' '.join(one) or 'sscp-13 simcse-13'}'"
        )
    a, b = ([_dotted(found.get(seed) or found[""]) for seed in seeds] for found in runs)
    lines = []
    for name in sorted(set.intersection(*(set(run) for run in b))):
        rest = f"{_FALLBACK}.{name.partition('.')[2]}"
        names = (name, rest, rest.removesuffix(_LATE))
        other = next((each for each in names if all(each in run for run in a)), "")
        if other and not name.endswith(_NOT_COMPARED):
            lines.append((name, np.array([run[other] for run in a]), np.array([run[name] for run in b])))
    p = [paired_t(x, y) for _, x, y in lines]
    return [
        OverSeeds(name, x.mean(), x.std(ddof=1), y.mean(), y.std(ddof=1), each, float(adjusted))
        for (name, x, y), each, adjusted in zip(lines, p, holm(p), strict=True)
    ]


def runs_of(metrics: Path, name: str) -> dict[str, Path]:
    """The metrics files of a system by seed; of a run such as ``backbone`` or ``sscp-13``, by ``""``."""
    own = metrics / f"{name}.json"
    if own.exists():
        return {"": own}
    found = {path.stem.removeprefix(f"{name}-"): path for path in metrics.glob(f"{name}-*.json")}
    return {seed: path for seed, path in found.items() if seed.isdigit()}


def _dotted(path: Path) -> dict[str, float]:
    """Every metric of a run's file as view.task.metric."""
    views = read_metrics(path).items()
    return {f"{view}.{name}": value for view, metrics in views for name, value in metrics.items()}
