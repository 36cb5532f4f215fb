"""One evaluation: a model through all its tasks, then the metrics file and the Arrow rows behind it."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.evaluation.bank import Bank, Cache
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.embedders import Embedder
from pipeline.evaluation.paraphrasing import writes
from pipeline.evaluation.parsing import parses
from pipeline.evaluation.plan import ALIGNING, PARSING, WRITING, steps
from pipeline.evaluation.records import ALIGNMENT, EXAMPLE_SCORE, NEIGHBOUR, PROJECTION, SIMILARITY, Outcome
from pipeline.evaluation.task import Context
from pipeline.evaluation.token_alignment import aligns
from pipeline.output import replaced
from pipeline.params import Evaluate
from pipeline.progress import track
from pipeline.store import write_json, write_rows


@dataclass(frozen=True)
class Folders:
    """Where an evaluation reads from and writes to."""

    parsed: Path
    augmented: Path
    benchmarks: Path
    out: Path
    treebank: Path | None = None  # corpus/ and augmented/ with gold trees, or empty

    def metrics(self, run: str) -> Path:
        """The metrics file of a run."""
        return self.out / "metrics" / f"{run}.json"

    def evaluation(self, run: str) -> Path:
        """The folder of a run's Arrow files."""
        return self.out / "evaluation" / run


@dataclass(frozen=True)
class Done:
    """What a run achieved: its outcome, the texts that went through the model, and one line a failed task."""

    outcome: Outcome
    embedded: int
    failures: dict[str, str]

    def demand_success(self) -> None:
        """Raise SynsemError where a task failed, so that the exit code tells."""
        if self.failures:
            raise SynsemError(
                f"{len(self.failures)} tasks failed: {', '.join(self.failures)}; the others are written"
            )


@dataclass(frozen=True)
class Subject:
    """What is judged: a model, the name of its results, and how it is to be treated."""

    run: str
    embedder: Embedder
    needs_trees: bool = False  # a benchmark text without a tree is an error
    baselines: bool = False  # score, as further views, a bag of words and the agreement of trees
    cache: Cache | None = None


def evaluate(
    subject: Subject, folders: Folders, params: Evaluate, tasks: Iterable[str] | None = None
) -> Done:
    """Run the tasks (``params.tasks`` unless given) and write the results of those that succeed.

    A task that fails with a SynsemError is reported on stderr and leaves no number; the others go on.
    """
    run = subject.run
    bank = Bank(subject.embedder, subject.cache, subject.needs_trees)
    benchmarks = Benchmarks(folders.benchmarks, folders.parsed, subject.needs_trees)
    corpus = HeldOut(folders.parsed, folders.augmented, params.seed)
    parser = parses(subject.embedder)
    treebank = _gold(folders.treebank, params.seed) if parser else None
    context = Context(bank, corpus, benchmarks, params, treebank, subject.baselines)
    names = tasks or [
        *params.tasks,
        *(PARSING if parser else ()),
        *(WRITING if writes(subject.embedder) else ()),
        *(ALIGNING if aligns(subject.embedder) else ()),
    ]
    plan = steps(names, benchmarks, strict=tasks is not None)
    outcome, failures = Outcome(), {}
    for step in track(plan, f"evaluate {run}"):
        try:
            outcome.merge(step.task(context))
        except SynsemError as error:
            failures[step.name] = str(error)
            print(f"evaluate {run}: {step.name}: {error}", file=sys.stderr)
    write(outcome, folders, run)
    return Done(outcome, bank.embedded, failures)


def _gold(folder: Path | None, seed: int) -> HeldOut | None:
    """The treebank's test split, if the folder is there and has one."""
    if folder is None or not folder.exists():
        return None
    held = HeldOut(folder, folder / "augmented", seed)
    return held if held.rows else None


def write(outcome: Outcome, folders: Folders, run: str) -> None:
    """Write the metrics file and the Arrow files of a run."""
    with replaced(folders.evaluation(run)) as home:
        write_rows(home / "examples.arrow", outcome.examples, EXAMPLE_SCORE)
        write_rows(home / "similarities.arrow", outcome.similarities, SIMILARITY)
        write_rows(home / "projection.arrow", outcome.projection, PROJECTION)
        write_rows(home / "neighbours.arrow", outcome.neighbours, NEIGHBOUR)
        if outcome.alignments:
            write_rows(home / "alignments.arrow", outcome.alignments, ALIGNMENT)
    write_json(folders.metrics(run), outcome.metrics)
