"""Evaluate a model by tasks: the class ``Task`` of ``tasks/NAME.py`` is the task NAME; no list names it.

A task on the corpus has no ``shape``; the others run on every downloaded benchmark of their shape. To name a
benchmark is to run the task that has the name of its shape.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.parallel import track
from pipeline.core.params import Evaluate
from pipeline.core.schemas import LABEL
from pipeline.core.store import atomic_folder, write_json, write_rows
from pipeline.evaluation.data import PAIR_LABELS, Benchmarks, HeldOut, Row
from pipeline.evaluation.embeddings import Embeddings
from pipeline.evaluation.models import ModelUnderTest
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Views

_TEXT = pa.dictionary(pa.int32(), pa.string())
# The score of every example: what two runs are compared by.
EXAMPLE_SCORE = pa.schema(
    [
        ("view", LABEL),
        ("task", LABEL),  # dotted, as in the metrics file: stsb.test, probe.tree_depth
        ("metric", LABEL),  # what the scores make: spearman, ap, or the name of a mean (accuracy_..., mrr)
        ("subset", LABEL),
        ("a", _TEXT),
        ("b", _TEXT),  # null for a task on single sentences
        ("gold", pa.float32()),  # graded similarity, or 1 and 0; null if the score says right or wrong
        ("score", pa.float32()),  # similarity; or 1 if the prediction is right, else 0; or a reciprocal rank
    ]
)
# Cosines of a sentence with its variants and with random sentences.
SIMILARITY = pa.schema([("view", LABEL), ("kind", LABEL), ("similarity", pa.float32())])
# Embeddings of a few sentences with their variants or partners, for maps.
PROJECTION = pa.schema(
    [
        ("task", LABEL),
        ("view", LABEL),
        ("role", LABEL),  # anchor, variant (meaning same) or negative (meaning different)
        ("source_id", pa.string()),  # the anchor's
        ("transformation", LABEL),  # "" for an anchor or a benchmark's pair
        ("text", _TEXT),
        ("embedding", pa.list_(pa.float32())),
    ]
)
# A sentence of a map: its role, the id of its anchor, its transformation, and itself.
Point = tuple[str, str, str, Sentence]
MAPPED = {"stsb", "qqp", "paws-wiki", "paws-500"}  # benchmarks with a map, as in SSCP's figures 2 and 3
_PAIRS_OF_A_KIND = 30  # on a map
LATE = "late"  # the view of scores of pairs, which belong to no vector


@dataclass
class Outcome:
    """The results of one task, or of all of a run: metrics by view and name, rows of the schemas above."""

    values: dict[tuple[str, str], float] = field(default_factory=dict)
    examples: list[Row] = field(default_factory=list)
    similarities: list[Row] = field(default_factory=list)
    projection: list[Row] = field(default_factory=list)

    def put(self, view: str, name: str, value: float, digits: int = 2) -> None:
        """Record a metric under its dotted name, such as ``stsb.test.spearman``."""
        rounded = round(float(value), digits) if digits else round(value)
        self.values[view, name] = rounded + 0  # no minus zero

    def keep(
        self,
        view: str,
        task: str,
        metric: str,
        *,
        a: Iterable[str],
        score: Iterable[float],
        b: Iterable[str | None] | None = None,
        gold: Iterable[float] | None = None,
        subset: Iterable[str] | None = None,
    ) -> None:
        """Keep the scores of the examples behind a metric; the iterables run in parallel."""
        texts = list(a)
        columns = ([None] * len(texts) if column is None else column for column in (b, gold, subset))
        names = ("view", "task", "metric", "subset", "a", "b", "gold", "score")
        self.examples += [
            dict(zip(names, (view, task, metric, part or "", first, *rest, float(value)), strict=True))
            for first, *rest, part, value in zip(texts, *columns, score, strict=True)
        ]

    def merge(self, other: "Outcome") -> None:
        """Add another task's results to these."""
        self.values |= other.values
        self.examples += other.examples
        self.similarities += other.similarities
        self.projection += other.projection

    @property
    def metrics(self) -> dict[str, Any]:
        """The metrics as in the metrics file: by view, then nested by the parts of their names."""
        found: dict[str, Any] = {}
        for (view, name), value in self.values.items():
            section = found
            *path, last = view, *name.split(".")
            for part in path:
                section = section.setdefault(part, {})
            section[last] = value
        return found


@dataclass(frozen=True)
class Context:
    """All that a task may read."""

    embeddings: Embeddings
    corpus: HeldOut
    benchmarks: Benchmarks
    params: Evaluate
    treebank: HeldOut | None = None  # gold trees, if the model parses and there are any
    baselines: bool = False  # also score what needs no model: a bag of words, agreement of trees


class Task(ABC):
    """One task on the corpus or on one benchmark; ``run`` fills the ``outcome``."""

    shape: ClassVar[str] = ""  # of the benchmarks that it runs on
    ability: ClassVar[str] = ""  # a method; every model that has it is judged by this task, named or not

    def __init__(self, context: Context, benchmark: str = "") -> None:
        self.context, self.benchmark, self.outcome = context, benchmark, Outcome()
        self.put, self.keep = self.outcome.put, self.outcome.keep

    @abstractmethod
    def run(self) -> None:
        """Put metrics and keep scores; SynsemError if the data do not allow it."""

    def views(self, sentences: Sequence[Sentence]) -> Views:
        """Return the vectors of n sentences, float32 [n, d] for each view.

        With baselines there is a view ``bag_of_words``: word counts, hashed to 512 signed features.
        """
        views = self.context.embeddings(sentences)
        if self.context.baselines:
            from sklearn.feature_extraction.text import HashingVectorizer  # two seconds, which others save

            texts = [each.text for each in sentences]
            bags = HashingVectorizer(n_features=512, token_pattern=r"\S+").transform(texts)
            views = views | {"bag_of_words": np.asarray(bags.todense(), dtype=np.float32)}
        return views

    def project(self, task: str, points: Sequence[Point]) -> None:
        """Keep the embeddings of a few sentences, by every view, for a map."""
        names = ("task", "view", "role", "source_id", "transformation", "text", "embedding")
        for view, matrix in self.context.embeddings([point[-1] for point in points]).items():
            self.outcome.projection += [
                dict(zip(names, (task, view, *facts, sentence.text, vector), strict=True))
                for (*facts, sentence), vector in zip(points, matrix.tolist(), strict=True)
            ]

    def project_pairs(self, pairs: Sequence[Row], gold: NDArray[np.floating] | NDArray[np.int64]) -> None:
        """Keep some of the pairs that are most and least alike by ``gold``, [n], for a map."""
        if self.benchmark not in MAPPED:
            return
        order = np.argsort(gold, kind="stable")
        points: list[Point] = []
        for role, chosen in (("negative", order[:_PAIRS_OF_A_KIND]), ("variant", order[-_PAIRS_OF_A_KIND:])):
            first, second = self.context.benchmarks.sides([pairs[number] for number in chosen])
            for number, a, b in zip(chosen, first, second, strict=True):
                points += [("anchor", str(number), "", a), (role, str(number), "", b)]
        self.project(self.benchmark, points)

    def similarities(
        self, pairs: Sequence[Row], agreement: bool = False
    ) -> Iterator[tuple[str, str, NDArray[np.floating]]]:
        """Yield view, suffix of its metrics and similarities [n]: the cosines of n pairs by every view.

        Then the late-interaction score of a model that has one (suffix ``_late``); with ``agreement`` and
        baselines, the agreement of the trees.
        """
        first, second, late = self.context.embeddings.pairs(*self.context.benchmarks.sides(pairs))
        for view in first:
            yield view, "", metrics.cosines(first[view], second[view])
        if late is not None:
            yield LATE, "_late", late
        if agreement and self.context.baselines:
            trees = self.context.benchmarks.structural_agreement(pairs)
            if trees is not None:
                yield "structural_agreement", "", trees


def task_class(name: str) -> type[Task]:
    """Return the class of a task by its name."""
    found: type[Task] = import_module(f"pipeline.evaluation.tasks.{name}").Task
    return found


def shape(examples: Sequence[Row]) -> str:
    """Return the shape of a benchmark's rows: contrast, sts, pairs or classification; ``""`` for none."""
    single = [each["b"] is None for each in examples]
    if all(single) and any(each["label"] is not None for each in examples):
        return "classification"
    if any(single):
        return ""
    if any(each["score"] is not None for each in examples):
        return "sts"
    if not any(each["label"] in PAIR_LABELS for each in examples):
        return ""
    return "contrast" if examples[0]["task"].startswith("contrast") else "pairs"


def chosen(context: Context) -> dict[str, Task]:
    """Return the tasks to run by name: those of ``evaluate.tasks``, then those for the model's abilities.

    A name is that of a task or of a benchmark. Raises SynsemError for an unknown name, and if no task is left
    without those whose benchmarks were not downloaded.
    """
    paths, model = Path(__file__).parent.glob("[!_]*.py"), context.embeddings.model
    known = {path.stem: task_class(path.stem) for path in sorted(paths)}
    shapes = {name: shape(rows) for name, rows in context.benchmarks.by_task.items()}
    able = [name for name, kind in known.items() if kind.ability and hasattr(model, kind.ability)]
    found: dict[str, Task] = {}
    for name in dict.fromkeys([*context.params.tasks, *able]):
        if name in known:
            kind = known[name]
            members = sorted(each for each in shapes if shapes[each] == kind.shape) if kind.shape else [""]
            if not members:
                print(f"no benchmark for {name}; add one to download.benchmarks", file=sys.stderr)
            for member in members:
                title = member if name == kind.shape else f"{name} {member}".strip()
                found[title] = kind(context, member)
        elif name not in shapes:
            raise SynsemError(
                f"evaluate.tasks: {name!r} is neither a task ({', '.join(known)}) nor a benchmark in "
                f"{context.benchmarks.folder}; add it to download.benchmarks and run download and parse"
            )
        elif shapes[name]:
            found[name] = known[shapes[name]](context, name)
    for name in (each for each in shapes if not shapes[each]):
        remedy = "give pairs a score or the label 0 or 1, single texts a label, and do not mix both in a file"
        print(f"{name}: not judged; {remedy}", file=sys.stderr)
    if not found:
        raise SynsemError("evaluate.tasks: no task can be run; download a benchmark or name another task")
    return found


def evaluate(
    model: ModelUnderTest,
    params: Evaluate,
    out: Path,
    parsed: Path,
    augmented: Path,
    benchmarks: Path,
    treebank: Path | None = None,
) -> Outcome:
    """Run ``params.tasks`` and the tasks for what else the model can do; write and return the results.

    A task that fails is reported on stderr, and the others still run. ``treebank`` may hold gold trees.
    Raises SynsemError after writing if a task failed, and at once if no task can be run.
    """
    embeddings = Embeddings(model.embedder)
    gold = HeldOut(treebank, treebank / "augmented") if treebank and treebank.exists() else None
    context = Context(
        embeddings,
        HeldOut(parsed, augmented),
        Benchmarks(benchmarks, parsed, model.needs_trees),
        params,
        gold if gold and gold.rows else None,
        model.baselines,
    )
    outcome, failed, plan = Outcome(), list[str](), chosen(context)
    for name, task in track(list(plan.items()), f"evaluate {model.run}", unit="tasks"):
        try:
            task.run()
        except SynsemError as error:
            failed.append(name)
            print(f"evaluate {model.run}: {name}: {str(error).removeprefix(f'{name}: ')}", file=sys.stderr)
        else:
            outcome.merge(task.outcome)
    if len(failed) < len(plan):
        write(outcome, out, model.run)
        print(f"evaluate {model.run}: {len(embeddings):,} texts embedded; metrics in {out}/metrics")
    if failed:
        raise SynsemError(f"{len(failed)} of {len(plan)} tasks failed: {', '.join(failed)}")
    return outcome


def write(outcome: Outcome, out: Path, run: str) -> None:
    """Write the metrics file and the Arrow files of a run, in place of earlier ones."""
    with atomic_folder(out / "evaluation" / run, "*.arrow", "*.json") as home:
        write_rows(home / "examples.arrow", outcome.examples, EXAMPLE_SCORE)
        write_rows(home / "similarities.arrow", outcome.similarities, SIMILARITY)
        write_rows(home / "projection.arrow", outcome.projection, PROJECTION)
        write_json(out / "metrics" / f"{run}.json", outcome.metrics)
