"""What a task is given and what it returns: the context, and an outcome of metrics and Arrow rows.

A task is a function of a ``Context`` (embeddings, data, parameters) that returns an ``Outcome``. Any two runs
can be compared later from the rows that they left in ``reports/evaluation/<run>/``:

- ``examples.arrow`` (``EXAMPLE_SCORE``): gold and score of every example of every task and view;
- ``similarities.arrow`` (``SIMILARITY``): cosine of a sentence with its variants and with random sentences;
- ``projection.arrow`` (``PROJECTION``): embeddings of a few sentences with their variants, for a 2-D picture;
- ``neighbours.arrow`` (``NEIGHBOUR``): the nearest sentences to a few others, to browse;
- ``alignments.arrow`` (``ALIGNMENT``): which tokens of a few pairs a cross-encoder matches.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from pipeline.core.schemas import LABEL
from pipeline.core.store import dotted
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.params import Evaluate

_TEXT = pa.dictionary(pa.int32(), pa.string())

EXAMPLE_SCORE = pa.schema(
    [
        ("view", LABEL),
        # Dotted, as in the metrics file: "stsb.test", "probe.tree_depth".
        ("task", LABEL),
        # What the scores make: spearman, ap, or the name of a mean of scores (accuracy_..., mrr).
        ("metric", LABEL),
        ("subset", LABEL),
        ("a", _TEXT),
        # Null for a task on single sentences.
        ("b", _TEXT),
        # Graded similarity, or 1 and 0; null where the score says right or wrong already.
        ("gold", pa.float32()),
        # Similarity; or 1 where the prediction is right, else 0; or a reciprocal rank.
        ("score", pa.float32()),
    ]
)
SIMILARITY = pa.schema([("view", LABEL), ("kind", LABEL), ("similarity", pa.float32())])
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
NEIGHBOUR = pa.schema(
    [
        ("view", LABEL),
        ("query", _TEXT),
        ("rank", pa.int16()),  # 1 is the nearest
        ("text", _TEXT),
        ("kind", LABEL),  # same, different or order: a variant of the query; else other
        ("transformation", LABEL),  # of such a variant, else ""
        ("similarity", pa.float32()),
    ]
)
ALIGNMENT = pa.schema(
    [
        ("view", LABEL),  # trained, or backbone
        ("kind", LABEL),  # the transformation that made b of a; "" for a pair from elsewhere
        ("a", pa.string()),
        ("b", pa.string()),
        ("first", pa.list_(pa.string())),  # tokens of a
        ("second", pa.list_(pa.string())),
        ("weights", pa.list_(pa.float32())),  # row by row: of the tokens of b for each of a
    ]
)

Metrics = dict[str, Any]
Row = Mapping[str, Any]


@dataclass
class Outcome:
    """The results of one task, or of all of a run."""

    metrics: Metrics = field(default_factory=dict)
    examples: list[Row] = field(default_factory=list)
    similarities: list[Row] = field(default_factory=list)
    projection: list[Row] = field(default_factory=list)
    neighbours: list[Row] = field(default_factory=list)
    alignments: list[Row] = field(default_factory=list)

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
        """Keep the per-example scores behind a metric; the iterables run in parallel."""
        texts = list(a)
        columns = zip(
            texts,
            b if b is not None else [None] * len(texts),
            gold if gold is not None else [None] * len(texts),
            subset if subset is not None else [""] * len(texts),
            score,
            strict=True,
        )
        self.examples.extend(
            {
                "view": view,
                "task": task,
                "metric": metric,
                "subset": part,
                "a": first,
                "b": second,
                "gold": None if truth is None else float(truth),
                "score": float(value),
            }
            for first, second, truth, part, value in columns
        )

    @property
    def names(self) -> list[str]:
        """The dotted names of the metrics of any view, and of the scores behind them, sorted.

        Scores of a part or of a mean may have a shorter name than the metrics that they make.
        """
        scores = {f"{row['task']}.{row['metric']}" for row in self.examples}
        return sorted(scores | {name for section in self.metrics.values() for name, _ in dotted(section)})

    def merge(self, other: "Outcome") -> None:
        """Add another task's results to these."""
        _merge(self.metrics, other.metrics)
        self.examples += other.examples
        self.similarities += other.similarities
        self.projection += other.projection
        self.neighbours += other.neighbours
        self.alignments += other.alignments


def without(metrics: Metrics, names: Collection[str]) -> Metrics:
    """The metrics of every view but those of these dotted names."""
    kept = {view: _without(section, names) for view, section in metrics.items()}
    return {view: section for view, section in kept.items() if section}


def _without(section: Metrics, names: Collection[str], before: str = "") -> Metrics:
    found: Metrics = {}
    for name, value in section.items():
        if not isinstance(value, dict):
            if f"{before}{name}" not in names:
                found[name] = value
        elif inner := _without(value, names, f"{before}{name}."):
            found[name] = inner
    return found


def _merge(section: Metrics, other: Metrics) -> None:
    for name, value in other.items():
        if isinstance(value, dict):
            _merge(section.setdefault(name, {}), value)
        else:
            section[name] = value


@dataclass(frozen=True)
class Context:
    """All that a task may read."""

    embeddings: EmbeddingCache
    corpus: HeldOut
    benchmarks: Benchmarks
    params: Evaluate
    treebank: HeldOut | None = None  # gold trees, where the model parses and there are any
    baselines: bool = False  # whether to score, too, what needs no model: a bag of words, agreement of trees

    @property
    def trees(self) -> HeldOut:
        """What a parser is judged against: gold trees, else the trees of the corpus."""
        return self.treebank or self.corpus


Task = Callable[[Context], Outcome]
