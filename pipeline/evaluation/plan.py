"""Task names -> what to run: the tasks on held-out text, and one a downloaded benchmark, by the shape of
its rows."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple, Protocol

from pipeline.errors import SynsemError
from pipeline.evaluation import contrast as contrast_task
from pipeline.evaluation.classification import classification, probing_file
from pipeline.evaluation.contrast import contrast
from pipeline.evaluation.data import Benchmarks, Example
from pipeline.evaluation.few_shot import few_shot
from pipeline.evaluation.intrinsic import alignment, projection, retrieval
from pipeline.evaluation.neighbour_lists import neighbours
from pipeline.evaluation.pairs import pairs
from pipeline.evaluation.paraphrasing import paraphrasing
from pipeline.evaluation.parsing import parsing
from pipeline.evaluation.probes import probes
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.stress import easy_and_hard, stress
from pipeline.evaluation.structural_probe import structural_probe
from pipeline.evaluation.sts import sts
from pipeline.evaluation.task import Context, Task
from pipeline.evaluation.token_alignment import token_alignment
from pipeline.evaluation.upos import upos, upos_benchmark
from pipeline.evaluation.word_order import word_order


class BenchmarkTask(Protocol):
    """A protocol that fits any benchmark of a shape."""

    def __call__(self, context: Context, task: str) -> Outcome:
        """Run it on the benchmark named ``task``."""
        ...


WITHOUT_BENCHMARK: dict[str, Task] = {
    "alignment": alignment,
    "retrieval": retrieval,
    "neighbours": neighbours,
    "probes": probes,
    "structural_probe": structural_probe,
    "upos": upos,
    "paraphrasing": paraphrasing,
    "parsing": parsing,
    "word_order": word_order,
    "token_alignment": token_alignment,
    "contrast": contrast,
}
PARSING = ("parsing", "word_order")  # what a system that parses is judged by, asked for or not
WRITING = ("paraphrasing",)  # what one that writes paraphrases is judged by
ALIGNING = ("token_alignment",)  # and what one that aligns pairs leaves


class Group(NamedTuple):
    """One protocol for every downloaded benchmark of certain shapes; none being there is no error."""

    task: BenchmarkTask
    shapes: frozenset[str]


def _group(task: BenchmarkTask, *shapes: str) -> Group:
    return Group(task, frozenset(shapes))


# The first four are the benchmarks' own protocols, by which a benchmark's name alone is understood.
GROUPS: dict[str, Group] = {
    "sts": _group(sts, "sts"),
    "pairs": _group(pairs, "pairs"),
    "classification": _group(classification, "classification"),
    "probing_files": _group(probing_file, "probing_files"),
    "stress": _group(stress, "pairs"),
    "easy_and_hard": _group(easy_and_hard, "pairs"),
    "few_shot": _group(few_shot, "pairs", "classification"),
    "upos_benchmarks": _group(upos_benchmark, "sts", "pairs", "classification"),
}
# A group's other names, and what papers call a benchmark.
ALIASES = {"probing": ("probes", "probing_files"), "paws": ("paws-wiki",)}
_PROBING = ("xprobe-", "senteval-", "probe-", "ptb-sample")  # the last: gold constituents below S


class Step(NamedTuple):
    """One task of a run."""

    name: str
    task: Task


def steps(names: Iterable[str], benchmarks: Benchmarks, strict: bool = False) -> list[Step]:
    """The tasks that the names stand for, each once, in order; a projection for the report always comes last.

    A name is a task on held-out text, a group, or a benchmark's own name. A benchmark that is not there
    becomes a step that fails when it is run, so that the others still go on; ``strict`` holds a group to
    that, too, and else a group without a benchmark (the contrast set without its trees among them) is
    passed over. Where the benchmarks cannot be read at all, every step that needs them fails.
    """
    try:
        shapes = {task: shape(examples) for task, examples in benchmarks.by_task.items()}
    except SynsemError:  # the steps say it, each for itself
        shapes, strict = {}, True
    found: dict[str, Step] = {}

    def add(name: str, task: Task) -> None:
        found.setdefault(name, Step(name, task))

    for given in names:
        for name in (given,) if given in shapes else ALIASES.get(given, (given,)):
            if name in WITHOUT_BENCHMARK:
                if name != contrast_task.TASK or strict or contrast_task.FILE.stem in shapes:
                    add(name, WITHOUT_BENCHMARK[name])
            elif name in GROUPS:
                group = GROUPS[name]
                members = sorted(task for task, kind in shapes.items() if kind in group.shapes)
                if strict and not members and given == name:
                    add(name, partial(_absent, name=name))
                for benchmark in members:
                    own = name in group.shapes  # the benchmark's own protocol goes by its bare name
                    add(benchmark if own else f"{name} {benchmark}", partial(group.task, task=benchmark))
            elif shapes.get(name) in GROUPS:
                add(name, partial(GROUPS[shapes[name]].task, task=name))
            else:
                add(name, partial(_absent, name=name))
    add("projection", projection)
    return list(found.values())


def shape(examples: list[Example]) -> str:
    """The group that a benchmark's rows belong to: sts, pairs, classification, probing_files; ``""`` for
    none."""
    if all(each.b is not None for each in examples):
        if any(each.score is not None for each in examples):
            return "sts"
        return "pairs" if {each.label for each in examples} <= {"0", "1"} else ""
    if all(each.label is None for each in examples):
        return ""
    return "probing_files" if examples[0].task.startswith(_PROBING) else "classification"


def _absent(context: Context, name: str) -> Outcome:
    """Fail with what is missing: the benchmarks as a whole, those of a kind, or one of them."""
    known = [*WITHOUT_BENCHMARK, *GROUPS, *sorted(context.benchmarks.by_task)]
    what = "benchmark of that kind" if name in GROUPS else "such task, nor benchmark of that name"
    raise SynsemError(
        f"{context.benchmarks.folder}: no {what}; "
        f"add it to download.benchmarks, or choose from {', '.join(known)}"
    )
