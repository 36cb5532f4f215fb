"""What an evaluation leaves behind: nested metrics, and Arrow rows from which any two runs can be compared
later.

Files of ``reports/evaluation/<run>/``:

- ``examples.arrow`` (``EXAMPLE_SCORE``): gold and score of every example of every task and view;
- ``similarities.arrow`` (``SIMILARITY``): cosine of a sentence with its variants and with random sentences;
- ``projection.arrow`` (``PROJECTION``): embeddings of a few sentences with their variants, for a 2-D picture;
- ``neighbours.arrow`` (``NEIGHBOUR``): the nearest sentences to a few others, to browse;
- ``alignments.arrow`` (``ALIGNMENT``): which tokens a reader of pairs matches, of a few pairs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from pipeline.store import LABEL

_TEXT = pa.dictionary(pa.int32(), pa.string())

EXAMPLE_SCORE = pa.schema(
    [
        ("view", LABEL),
        ("task", LABEL),  # dotted, as in the metrics file: "stsb.test", "probe.tree_depth"
        (
            "metric",
            LABEL,
        ),  # the metric that these scores make: spearman, ap, or the mean of score: accuracy_..., mrr
        ("subset", LABEL),
        ("a", _TEXT),
        ("b", _TEXT),  # null for a single-sentence task
        ("gold", pa.float32()),  # graded similarity, or 1 and 0; null where score is right or wrong already
        (
            "score",
            pa.float32(),
        ),  # similarity; or 1 where the prediction is right, else 0; or a reciprocal rank
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


def key(task: str) -> str:
    """A benchmark's name in metrics: ``paws`` for ``paws-wiki``, else its own."""
    return task.removesuffix("-wiki")


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
        """Record a metric under its dotted name, as ``stsb.test.spearman``."""
        home = self.metrics.setdefault(view, {})
        *path, last = name.split(".")
        for part in path:
            home = home.setdefault(part, {})
        home[last] = round(float(value), digits) + 0.0 if digits else round(value)  # no minus zero

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

    def merge(self, other: "Outcome") -> None:
        """Add another task's results to these."""
        _merge(self.metrics, other.metrics)
        self.examples += other.examples
        self.similarities += other.similarities
        self.projection += other.projection
        self.neighbours += other.neighbours
        self.alignments += other.alignments


def _merge(home: Metrics, other: Metrics) -> None:
    for name, value in other.items():
        if isinstance(value, dict):
            _merge(home.setdefault(name, {}), value)
        else:
            home[name] = value
