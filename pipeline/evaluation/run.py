"""Evaluate a model: load it and the data, run its tasks, write metrics and scores."""

import sys
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.atomic import atomic_folder
from pipeline.core.errors import SynsemError
from pipeline.core.params import Evaluate
from pipeline.core.progress import track
from pipeline.core.seeding import SEED
from pipeline.core.store import write_json, write_rows
from pipeline.evaluation import tasks
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.embed import Embeddings
from pipeline.evaluation.models import ModelUnderTest


@dataclass(frozen=True)
class Folders:
    """Where an evaluation reads from and writes to."""

    parsed: Path
    augmented: Path
    benchmarks: Path
    out: Path
    treebank: Path | None = None  # corpus/ and augmented/ with gold trees, or empty

    def metrics(self, run: str) -> Path:
        """Return the metrics file of a run."""
        return self.out / "metrics" / f"{run}.json"

    def evaluation(self, run: str) -> Path:
        """Return the folder of a run's Arrow files."""
        return self.out / "evaluation" / run


def evaluate(model: ModelUnderTest, folders: Folders, params: Evaluate) -> tasks.Outcome:
    """Run ``params.tasks`` and the tasks for what else the model can do; write and return the results.

    A task that fails is reported on stderr, and the others still run. Raises SynsemError after writing if one
    failed, and at once if no task can be run.
    """
    embeddings = Embeddings(model.embedder)
    context = tasks.Context(
        embeddings,
        HeldOut(folders.parsed, folders.augmented, SEED),
        Benchmarks(folders.benchmarks, folders.parsed, model.needs_trees),
        params,
        _gold_trees(folders.treebank, SEED),
        model.baselines,
    )
    outcome, failed = tasks.Outcome(), list[str]()
    plan = chosen(context)
    for name, task in track(list(plan.items()), f"evaluate {model.run}", unit="tasks"):
        try:
            task.run()
        except SynsemError as error:
            failed.append(name)
            print(f"evaluate {model.run}: {name}: {str(error).removeprefix(f'{name}: ')}", file=sys.stderr)
        else:
            outcome.merge(task.outcome)
    if len(failed) < len(plan):
        write(outcome, folders, model.run)
        print(f"evaluate {model.run}: {len(embeddings):,} texts embedded; {folders.metrics(model.run)}")
    if failed:
        raise SynsemError(f"{len(failed)} of {len(plan)} tasks failed: {', '.join(failed)}")
    return outcome


def chosen(context: tasks.Context) -> dict[str, tasks.Task]:
    """Return the tasks to run by name: those of ``evaluate.tasks``, then those for the model's abilities.

    A name is that of a task or of a benchmark. A task whose benchmarks were not downloaded is left out, which
    stderr reports. Raises SynsemError for an unknown name, and if no task is left.
    """
    known = tasks.names()
    shapes = {name: tasks.shape(rows) for name, rows in context.benchmarks.by_task.items()}
    able = [
        name
        for name in known
        if (ability := tasks.task_class(name).ability) and hasattr(context.embeddings.model, ability)
    ]
    found: dict[str, tasks.Task] = {}
    absent = []
    for name in dict.fromkeys([*context.params.tasks, *able]):
        if name in known:
            kind = tasks.task_class(name)
            members = sorted(each for each, shape in shapes.items() if shape == kind.shape)
            if not kind.shape:
                found[name] = kind(context)
            elif not members:
                absent.append(name)
            for member in members if kind.shape else ():
                found[member if name == kind.shape else f"{name} {member}"] = kind(context, member)
        elif name not in shapes:
            raise SynsemError(
                f"evaluate.tasks: {name!r} is neither a task ({', '.join(known)}) nor a benchmark in "
                f"{context.benchmarks.folder}; add it to download.benchmarks and run download and parse"
            )
        elif shapes[name]:
            found[name] = tasks.task_class(shapes[name])(context, name)
    for name in (each for each, shape in shapes.items() if not shape):
        print(
            f"{name}: not judged; pairs need a score or the label 0 or 1, single texts a label, and one file "
            "must not mix both",
            file=sys.stderr,
        )
    if absent:
        print(f"no benchmark for {', '.join(absent)}; add one to download.benchmarks", file=sys.stderr)
    if not found:
        raise SynsemError("evaluate.tasks: no task can be run; download a benchmark, or name another task")
    return found


def _gold_trees(folder: Path | None, seed: int) -> HeldOut | None:
    """Return the treebank's test split, if the folder is there and has one."""
    if folder is None or not folder.exists():
        return None
    treebank = HeldOut(folder, folder / "augmented", seed)
    return treebank if treebank.rows else None


def write(outcome: tasks.Outcome, folders: Folders, run: str) -> None:
    """Write the metrics file and the Arrow files of a run, in place of earlier ones."""
    with atomic_folder(folders.evaluation(run), "*.arrow", "*.json") as home:
        write_rows(home / "examples.arrow", outcome.examples, tasks.EXAMPLE_SCORE)
        write_rows(home / "similarities.arrow", outcome.similarities, tasks.SIMILARITY)
        write_rows(home / "projection.arrow", outcome.projection, tasks.PROJECTION)
        write_json(folders.metrics(run), outcome.metrics)
