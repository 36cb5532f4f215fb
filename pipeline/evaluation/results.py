"""The results of a run on disk: its metrics file, the Arrow rows behind it, and which model they come from.

``model.json`` beside the rows has the digests of the model and of the metrics file. ``data.json`` has one of
the data that each task read and of the parameters, and the names of the metrics that it gave. A run of only
some tasks may add to results alone of which these say that they come from the same model, and that their data
and parameters are those of now.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from pipeline.core.atomic import atomic_folder, demand_own
from pipeline.core.disk_cache import origin_of_results
from pipeline.core.errors import SynsemError, first_few
from pipeline.core.store import read_file, read_json, read_object, write_json, write_rows
from pipeline.evaluation.records import (
    ALIGNMENT,
    EXAMPLE_SCORE,
    NEIGHBOUR,
    PROJECTION,
    SIMILARITY,
    Outcome,
    Row,
    without,
)

_MODEL, _DATA = "model.json", "data.json"
_WRITTEN = ("*.arrow", _MODEL, _DATA)


class Made(NamedTuple):
    """What a task made results of, and which."""

    data: str  # a digest of its data and of the parameters; "" where there are none
    names: list[str]  # ``Outcome.names``


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


class _Rows(NamedTuple):
    """One Arrow file of a run: what new rows replace is what has their values of ``key``."""

    name: str
    new: list[Row]
    schema: pa.Schema
    task: str = ""  # the one task that writes it, if it is one
    key: Sequence[str] = ("view",)

    def with_earlier(self, path: Path, again: Set[str], stale: Set[str]) -> list[Row]:
        """The rows of an earlier file that no new ones replace, then the new ones.

        Scores of a ``stale`` name go in any case, and all rows of a task that was run ``again``.
        """
        if not path.exists() or self.task in again:
            return self.new
        replaced = {self._key(row) for row in self.new}
        kept = [row for row in read_file(path).to_pylist() if self._key(row) not in replaced]
        if self.schema is EXAMPLE_SCORE:
            kept = [row for row in kept if f"{row['task']}.{row['metric']}" not in stale]
        return [*kept, *self.new]

    def _key(self, row: Row) -> tuple[str, ...]:
        return tuple(row[column] for column in self.key)


def demand_place(folders: Folders, run: str) -> None:
    """Raise SynsemError where ``write`` would, for the places alone: before hours of work."""
    demand_own(folders.evaluation(run), *_WRITTEN)


def of_another_model(folders: Folders, run: str, digest: str) -> bool:
    """Whether a run has results that were made of a model of another digest."""
    origin = folders.evaluation(run) / _MODEL
    return folders.metrics(run).exists() and origin.exists() and read_object(origin).get("model") != digest


def demand_same_model(folders: Folders, run: str, digest: str) -> None:
    """Raise SynsemError where a run has results that are not known to come from the model of that digest."""
    metrics, home = folders.metrics(run), folders.evaluation(run)
    if not metrics.exists() and not home.exists():
        return
    known = metrics.exists() and (home / _MODEL).exists()
    if not (known and digest and read_json(home / _MODEL) == origin_of_results(digest, metrics)):
        raise SynsemError(
            f"{metrics}: these results are not known to be this very model's, so --tasks cannot add to them; "
            "name another folder with --out"
        )


def demand_same_data(folders: Folders, run: str, now: Mapping[str, Callable[[], str]]) -> None:
    """Raise SynsemError where results that are to stay are not known to be of the data and parameters of now.

    ``now`` gives a digest of these (``Step.data``) for every task that is not to be run again, ``""``
    where they are not there. Such results stay: nothing new is made of their data.
    """
    metrics, path = folders.metrics(run), folders.evaluation(run) / _DATA
    if not metrics.exists():
        return
    remedy = "evaluate without --tasks, which replaces them, or name another folder with --out"
    known = _made(path)
    if not known:
        raise SynsemError(f"{metrics}: it is not known of which data these results are; {remedy}")
    old = [name for name, made in known.items() if name in now and now[name]() not in ("", made.data)]
    if old:
        raise SynsemError(
            f"{metrics}: {first_few(old)}: of other data or parameters than there are now; {remedy}"
        )


def _made(path: Path) -> dict[str, Made]:
    """What ``data.json`` says of each task; nothing where it is missing, or is of an older form."""
    found = read_object(path) if path.exists() else {}
    if not all(isinstance(made, dict) and made.keys() == set(Made._fields) for made in found.values()):
        return {}
    return {name: Made(**made) for name, made in found.items()}


def write(
    outcome: Outcome,
    folders: Folders,
    run: str,
    digest: str = "",
    merge: bool = False,
    made: Mapping[str, Made] | None = None,
    failed: Collection[str] = (),
) -> None:
    """Write the metrics file and the Arrow files of a run, and the model's digest where it is known.

    ``made`` is of every task that gave something, by its name; ``failed`` are the names of those that did
    not. With ``merge``, earlier metrics and rows stay, but for those that the outcome has, too, and for those
    of all these tasks: of other data they may have been others.
    """
    metrics, earlier = folders.metrics(run), folders.evaluation(run)
    files = [
        _Rows("examples.arrow", outcome.examples, EXAMPLE_SCORE, key=("view", "task", "metric")),
        _Rows("similarities.arrow", outcome.similarities, SIMILARITY, "alignment"),
        _Rows("projection.arrow", outcome.projection, PROJECTION, "projection"),
        _Rows("neighbours.arrow", outcome.neighbours, NEIGHBOUR, "neighbours"),
        _Rows("alignments.arrow", outcome.alignments, ALIGNMENT, "token_alignment"),
    ]
    known, made = _made(earlier / _DATA) if merge else {}, dict(made or {})
    again = {*made, *failed}
    stale = {name for task in again if task in known for name in known[task].names}
    kept = {task: each for task, each in known.items() if task not in again}
    with atomic_folder(earlier, *_WRITTEN) as home:
        for each in files:
            rows = each.with_earlier(earlier / each.name, again, stale) if merge else each.new
            if rows or each.schema is not ALIGNMENT:  # few models have alignments
                write_rows(home / each.name, rows, each.schema)
        whole = Outcome(without(read_object(metrics), stale) if merge and metrics.exists() else {})
        whole.merge(outcome)
        write_json(metrics, whole.metrics)
        if digest:
            write_json(home / _MODEL, origin_of_results(digest, metrics))
        write_json(home / _DATA, {name: each._asdict() for name, each in (kept | made).items()})
