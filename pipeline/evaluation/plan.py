"""Every task by name, and the steps of a run: which tasks are run on which data.

A task is registered once: in ``CORPUS_TASKS`` or in ``BENCHMARK_TASKS``, with its name, its function and what
it needs. Its protocol is told in its own module and in docs/evaluation.md.
"""

import difflib
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from pipeline.core.errors import SynsemError, first_few
from pipeline.core.store import read_yaml
from pipeline.evaluation.data import Benchmarks, Example
from pipeline.evaluation.records import Context, Outcome, Task
from pipeline.evaluation.tasks.classification import classification, probing_file
from pipeline.evaluation.tasks.contrast import SETS as CONTRAST_SETS
from pipeline.evaluation.tasks.contrast import contrast
from pipeline.evaluation.tasks.intrinsic import alignment, projection, retrieval
from pipeline.evaluation.tasks.neighbours import neighbours
from pipeline.evaluation.tasks.pairs import PAIR_LABELS, pairs
from pipeline.evaluation.tasks.paraphrasing import paraphrasing, predicts
from pipeline.evaluation.tasks.parsing import parses, parsing, word_order
from pipeline.evaluation.tasks.probes import probes
from pipeline.evaluation.tasks.stress import easy_and_hard, stress
from pipeline.evaluation.tasks.sts import sts
from pipeline.evaluation.tasks.token_alignment import aligns, token_alignment
from pipeline.evaluation.tasks.upos import upos, upos_benchmark


def _held_out(context: Context) -> str:
    return context.corpus.digest


def _all_text(context: Context) -> str:
    return context.corpus.digest_of_all


def _every_tree(context: Context) -> str:
    return context.trees.digest_with_duplicates


def _paraphrases(context: Context) -> str:
    return context.corpus.digest + context.benchmarks.digest_of_all


@dataclass(frozen=True)
class CorpusTask:
    """A task on held-out text, or on data of its own."""

    run: Task
    digest: Callable[[Context], str] = _held_out  # of the data that it reads, where that is no one benchmark
    ability: Callable[[object], bool] | None = None  # every model that has it is judged by this task
    benchmark: str | None = None  # the one benchmark that it reads; where that is missing, it is skipped


class RunOnBenchmark(Protocol):
    """A function that runs a protocol on one benchmark."""

    def __call__(self, context: Context, task: str) -> Outcome:
        """Run it on the benchmark named ``task``."""
        ...


@dataclass(frozen=True)
class BenchmarkTask:
    """A protocol for every downloaded benchmark whose rows are of one of the shapes (see ``shape``)."""

    run: RunOnBenchmark
    shapes: frozenset[str]


def _for(run: RunOnBenchmark, *shapes: str) -> BenchmarkTask:
    return BenchmarkTask(run, frozenset(shapes))


CORPUS_TASKS: dict[str, CorpusTask] = {
    "alignment": CorpusTask(alignment),
    "retrieval": CorpusTask(retrieval),
    "neighbours": CorpusTask(neighbours),
    "probes": CorpusTask(probes),
    "upos": CorpusTask(upos, _all_text),
    **{name: CorpusTask(partial(contrast, task=name), benchmark=name) for name in CONTRAST_SETS},
    "parsing": CorpusTask(parsing, _every_tree, parses),
    "word_order": CorpusTask(word_order, _every_tree, parses),
    "paraphrasing": CorpusTask(paraphrasing, _paraphrases, predicts),
    "token_alignment": CorpusTask(token_alignment, ability=aligns),
}
# A task that is named like a shape is that shape's own protocol: the name of a benchmark alone stands for it.
BENCHMARK_TASKS: dict[str, BenchmarkTask] = {
    "sts": _for(sts, "sts"),
    "pairs": _for(pairs, "pairs"),
    "classification": _for(classification, "classification"),
    "probing_files": _for(probing_file, "probing_files"),
    "stress": _for(stress, "pairs"),
    "easy_and_hard": _for(easy_and_hard, "pairs"),
    "upos_benchmarks": _for(upos_benchmark, "sts", "pairs", "classification"),
}
ALL_TASKS = (*CORPUS_TASKS, *BENCHMARK_TASKS)
# Other names, of several tasks together. The file has the names of all tasks, so that params.yaml can be
# checked without this module; a test compares.
ALIASES: dict[str, list[str]] = read_yaml(Path(__file__).with_name("tasks.yaml"))["aliases"]
PROJECTION = "projection"  # the step that every run ends with: a picture for the report, no metrics
_PROBING = ("xprobe-", "senteval-", "probe-", "ptb-sample")  # the last: gold constituents below S


def shape(examples: list[Example]) -> str:
    """The shape of a benchmark's rows: sts, pairs, classification or probing_files; ``""`` for none."""
    if _mixed(examples) or examples[0].task in CONTRAST_SETS:
        return ""
    if all(each.b is not None for each in examples):
        if any(each.score is not None for each in examples):
            return "sts"
        return "pairs" if any(each.label in PAIR_LABELS for each in examples) else ""
    if all(each.label is None for each in examples):
        return ""
    return "probing_files" if examples[0].task.startswith(_PROBING) else "classification"


def _mixed(examples: list[Example]) -> bool:
    """Whether some rows are pairs and others single texts."""
    return len({each.b is None for each in examples}) > 1


def tasks_by_ability(model: object) -> list[str]:
    """The tasks by which a model is judged for what it can do beside embedding, named or not."""
    return [name for name, task in CORPUS_TASKS.items() if task.ability and task.ability(model)]


def demand_known(names: Iterable[str], benchmarks: Benchmarks, key: str) -> None:
    """Raise SynsemError where a name is neither a task, nor an alias, nor a benchmark that is there.

    ``key`` is where the names were written. The benchmarks are read only for a name that is no task.
    """
    tasks = [*CORPUS_TASKS, *BENCHMARK_TASKS, *ALIASES]
    for name in (each for each in names if each not in tasks):
        if name not in benchmarks.names:
            known = [*tasks, *benchmarks.names]
            close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
            hint = f"try {' or '.join(close)}" if close else f"choose from {', '.join(known)}"
            raise SynsemError(
                f"{key}: {name!r} is neither a task nor a benchmark in {benchmarks.folder}; {hint}, "
                "or add it to download.benchmarks and run download and parse"
            )


def demand_there(names: Sequence[str], benchmarks: Benchmarks, key: str) -> None:
    """As ``demand_known``, and raise SynsemError where a named task has no benchmark to be run on."""
    demand_known(names, benchmarks, key)
    for name in without_benchmark(names, benchmarks):
        raise SynsemError(
            f"{key}: {benchmarks.folder} has no benchmark for {name}; "
            "add one to download.benchmarks and run download and parse"
        )


def without_benchmark(names: Iterable[str], benchmarks: Benchmarks) -> list[str]:
    """The tasks among the names whose benchmarks were not downloaded."""
    shapes = _shapes(benchmarks)

    def absent(name: str) -> bool:
        if task := CORPUS_TASKS.get(name):
            return task.benchmark is not None and task.benchmark not in shapes
        protocol = BENCHMARK_TASKS.get(name)
        return protocol is not None and protocol.shapes.isdisjoint(shapes.values())

    return [name for name in names if absent(name)]


def _shapes(benchmarks: Benchmarks) -> dict[str, str]:
    return {name: shape(examples) for name, examples in benchmarks.by_task.items()}


class Step(NamedTuple):
    """One task of a run; ``benchmark`` is the one that it reads, None where that is the corpus or no data."""

    name: str
    run: Task
    benchmark: str | None = None

    def data(self, context: Context) -> str:
        """A digest of the data that the task reads and of the parameters; ``""`` where there are no data."""
        task = CORPUS_TASKS.get(self.name)
        digest = task.digest if task else _held_out
        try:
            data = digest(context) if self.benchmark is None else context.benchmarks.digest(self.benchmark)
        except SynsemError:
            return ""
        params = context.params.model_dump_json(exclude={"tasks"})
        return data and hashlib.sha256(f"{data} {params}".encode()).hexdigest()


def steps(names: Iterable[str], benchmarks: Benchmarks, strict: bool = False) -> list[Step]:
    """The tasks that the names stand for, each once, in order; a projection for the report comes last.

    A name is that of a task, of a benchmark, or an alias. A benchmark that is missing becomes a step that
    fails when it is run, so that the others still run. A task whose benchmarks are missing is skipped, unless
    ``strict``. Where the benchmarks cannot be read at all, every step that needs them fails.
    """
    try:
        shapes = _shapes(benchmarks)
    except SynsemError:  # each step that reads them raises it again
        shapes, strict = {}, True
    found: dict[str, Step] = {}

    def add(name: str, run: Task, benchmark: str | None = None) -> None:
        found.setdefault(name, Step(name, run, benchmark))

    for given in names:
        for name in (given,) if given in shapes else ALIASES.get(given, (given,)):
            if task := CORPUS_TASKS.get(name):
                if strict or task.benchmark is None or task.benchmark in shapes:
                    add(name, task.run, task.benchmark)
            elif protocol := BENCHMARK_TASKS.get(name):
                members = sorted(each for each, of in shapes.items() if of in protocol.shapes)
                if strict and not members and given == name:
                    add(name, partial(_absent, name=name))
                for benchmark in members:
                    own = name in protocol.shapes
                    step = benchmark if own else f"{name} {benchmark}"
                    add(step, partial(protocol.run, task=benchmark), benchmark)
            elif protocol := BENCHMARK_TASKS.get(shapes.get(name, "")):
                add(name, partial(protocol.run, task=name), name)
            else:
                add(name, partial(_absent, name=name))
    add(PROJECTION, projection)
    return list(found.values())


def _absent(context: Context, name: str) -> Outcome:
    """Fail with what is missing: the benchmarks as a whole, those of a kind, one of them, or its labels."""
    if name in context.benchmarks.by_task:
        raise SynsemError(
            f"{context.benchmarks.folder}: {_unlabelled(name, context.benchmarks.by_task[name])}"
        )
    known = [*CORPUS_TASKS, *BENCHMARK_TASKS, *sorted(context.benchmarks.by_task)]
    what = "benchmark of that kind" if name in BENCHMARK_TASKS else "such task, nor benchmark of that name"
    raise SynsemError(
        f"{context.benchmarks.folder}: no {what}; "
        f"add it to download.benchmarks, or choose from {', '.join(known)}"
    )


def unreadable(benchmarks: Benchmarks) -> list[str]:
    """Why benchmarks are judged by no task, one sentence each; those without labels need not be."""
    return [
        _unlabelled(name, examples)
        for name, examples in benchmarks.by_task.items()
        if shape(examples) == ""
        and name not in CONTRAST_SETS
        and any(each.label is not None for each in examples)
    ]


def _unlabelled(name: str, examples: list[Example]) -> str:
    """Why the rows of a benchmark are of no shape."""
    if _mixed(examples):
        return f"some rows of {name} have two texts and others one; write two files"
    labels = sorted({each.label for each in examples if each.label is not None})
    if not labels:
        return f"the rows of {name} have neither a score nor a label; add one to the files that were read"
    named = first_few([repr(label) for label in labels])
    return f"the pairs of {name} have the labels {named}; write 1 for the same meaning and 0 for another"
