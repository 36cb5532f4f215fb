"""What a task is: the class ``Task`` of ``tasks/NAME.py`` is the task NAME, and no other file lists it.

A task on the corpus has no ``shape``. Others run on each downloaded benchmark of their shape (``shape``). A
task that is named like a shape is that shape's own: the name of a benchmark of the shape stands for it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from pipeline.core.params import Evaluate
from pipeline.core.schemas import LABEL
from pipeline.evaluation.data import PAIR_LABELS, Benchmarks, Example, HeldOut
from pipeline.evaluation.embed import Embeddings

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
# Embeddings of a few sentences with their variants, for a picture.
PROJECTION = pa.schema(
    [
        ("view", LABEL),
        ("role", LABEL),  # anchor, variant (meaning same) or negative (meaning different)
        ("source_id", pa.string()),
        ("transformation", LABEL),  # "" for an anchor
        ("text", _TEXT),
        ("embedding", pa.list_(pa.float32())),
    ]
)

Row = Mapping[str, Any]


@dataclass
class Outcome:
    """The results of one task, or of all of a run: metrics by view, and rows of the schemas above."""

    metrics: dict[str, Any] = field(default_factory=dict)
    examples: list[Row] = field(default_factory=list)
    similarities: list[Row] = field(default_factory=list)
    projection: list[Row] = field(default_factory=list)

    def put(self, view: str, name: str, value: float, digits: int = 2) -> None:
        """Record a metric under its dotted name, such as ``stsb.test.spearman``."""
        section = self.metrics.setdefault(view, {})
        *path, last = name.split(".")
        for part in path:
            section = section.setdefault(part, {})
        section[last] = round(float(value), digits) + 0.0 if digits else round(value)  # no minus zero

    def keep(
        self,
        view: str,
        task: str,
        metric: str,
        *,
        a: Iterable[str],
        score: Iterable[float],
        b: Iterable[str] | None = None,
        gold: Iterable[float] | None = None,
        subset: Iterable[str] | None = None,
    ) -> None:
        """Keep the scores of the examples behind a metric; the iterables run in parallel."""
        texts = list(a)
        columns = ([None] * len(texts) if column is None else column for column in (b, gold, subset))
        self.examples += [
            {
                "view": view,
                "task": task,
                "metric": metric,
                "subset": part or "",
                "a": first,
                "b": second,
                "gold": None if truth is None else float(truth),
                "score": float(value),
            }
            for first, second, truth, part, value in zip(texts, *columns, score, strict=True)
        ]

    def merge(self, other: "Outcome") -> None:
        """Add another task's results to these."""
        _merge(self.metrics, other.metrics)
        self.examples += other.examples
        self.similarities += other.similarities
        self.projection += other.projection


def _merge(section: dict[str, Any], other: Mapping[str, Any]) -> None:
    for name, value in other.items():
        if isinstance(value, dict):
            _merge(section.setdefault(name, {}), value)
        else:
            section[name] = value


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


def names() -> list[str]:
    """Return the names of all tasks."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))


def task_class(name: str) -> type[Task]:
    """Return the class of a task of ``names``."""
    found: type[Task] = import_module(f"pipeline.evaluation.tasks.{name}").Task
    return found


def shape(examples: list[Example]) -> str:
    """Return the shape of a benchmark's rows: contrast, sts, pairs or classification; ``""`` for none."""
    single = [each.b is None for each in examples]
    if all(single) and any(each.label is not None for each in examples):
        return "classification"
    if any(single):
        return ""
    if any(each.score is not None for each in examples):
        return "sts"
    if not any(each.label in PAIR_LABELS for each in examples):
        return ""
    return "contrast" if examples[0].task.startswith("contrast") else "pairs"
