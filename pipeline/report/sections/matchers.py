"""Fine-tuned matchers: a table a task of what each start reaches on each share of the training pairs.

``synsem finetune`` leaves a file ``reports/matching/TASK.json``. ``matcher_tables`` makes tables of it, with
gains on the backbone. ``read_matching`` makes runs of it, for the tables of published numbers: under the
system that the encoder was started from, in the view ``fine-tuned``, with ``matching.TASK.METRIC`` where all
pairs were trained on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json
from pipeline.evaluation.significance import BACKBONE, few_shot_summary
from pipeline.report.inputs import Run
from pipeline.report.intervals import corrected, verdict
from pipeline.report.sections.ablations import gathered

VIEW = "fine-tuned"
_RECIPE = ("epochs", "batch_size", "learning_rate")
_COSINE = "cosine+"  # before the start of a run, by ``synsem finetune``
Made = TypeVar("Made")


@dataclass(frozen=True)
class Cell:
    """A metric over seeds; ``gain`` on the backbone over common seeds, ``p`` corrected for all tests here."""

    mean: float
    sd: float | None
    gain: float | None
    p: float | None

    @property
    def verdict(self) -> str:
        """See ``intervals.verdict``; more is better."""
        return verdict(self.gain, self.p)


@dataclass(frozen=True)
class Row:
    """A start on a share of the pairs, in percent, and its cells in the order of the metrics."""

    system: str
    start_seed: int | None  # of the model it was started from; None where it was no trained model
    share: int
    pairs: int
    seeds: int
    paired: int  # seeds that the backbone has, too: the gains are over these
    cells: tuple[Cell, ...]

    @property
    def baseline(self) -> bool:
        """Whether the others are compared with it."""
        return self.system == BACKBONE


@dataclass(frozen=True)
class MatcherTable:
    """All starts of one file. ``recipe`` is that of ``synsem finetune``; ``outdated`` runs are left out."""

    file: str
    task: str
    test_pairs: int
    recipe: Mapping[str, float]
    metrics: tuple[str, ...]
    rows: tuple[Row, ...]
    origins: tuple[str, ...]  # of the runs that were not made here
    outdated: int = 0  # runs of other files or pairs than the rest

    @property
    def shipped_from(self) -> list[str]:
        """Its origins, as the page has them."""
        return gathered(self.origins)


def matcher_tables(folder: Path) -> list[MatcherTable]:
    """Every task's table, by name of the file; SynsemError for a file of another form."""
    return [one for one in _read(folder, _table) if one.rows]


def _table(file: str, raw: Mapping[str, Any]) -> MatcherTable:
    runs = _of_now(raw)
    table = few_shot_summary(runs)
    names = tuple(table[0]["metrics"]) if table else ()
    pairs = {run["share"]: int(run["pairs"]) for run in runs}
    adjusted = corrected([row["metrics"][name]["p"] for row in table for name in names])
    rows = []
    for row in table:
        cells = [
            Cell(each["mean"], each["sd"], each["gain"], adjusted.pop(0))
            for each in (row["metrics"][name] for name in names)
        ]
        share = row["share"]
        seeds = row["seeds"], row["paired"]
        system, start_seed = started_from(row["start"])
        rows.append(Row(system, start_seed, share, pairs[share], *seeds, tuple(cells)))
    origins = tuple(sorted({str(run.get("origin") or "") for run in runs} - {""}))
    facts = raw["task"], int(raw["test_pairs"]), {name: _number(raw["recipe"][name]) for name in _RECIPE}
    return MatcherTable(file, *facts, names, tuple(rows), origins, len(raw["runs"]) - len(runs))


def _number(value: Any) -> float:
    """The value; TypeError where it is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return value


def read_matching(folder: Path) -> list[Run]:
    """One run for each start, share and seed of every file; SynsemError for a file of another form."""
    found = _read(folder, lambda _, raw: [_run(raw["task"], each) for each in _fine_tuned(raw)])
    runs = [run for each in found for run in each]
    return sorted(runs, key=lambda run: (run.system != BACKBONE, run.system))


def _fine_tuned(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [record for record in _of_now(raw) if not record.get("frozen")]


def _of_now(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The runs of a file without those that ``synsem finetune`` found to be of other files or pairs."""
    return [record for record in raw["runs"].values() if not record.get("outdated")]


def _run(task: str, record: dict[str, Any]) -> Run:
    test = {f"matching.{task}.{name}": float(value) for name, value in record["test"].items()}
    metrics = test if int(record["share"]) == 100 else {}
    return Run(started_from(record["start"])[0], int(record["seed"]), {VIEW: metrics})


def started_from(start: str) -> tuple[str, int | None]:
    """The system and seed of a start: ``ebsim``, 13 for ``models/ebsim/13``, else the start itself, None.

    A start that begins at the backbone's cosine keeps the ``cosine+`` before it.
    """
    name = start.removeprefix(_COSINE)
    folder = Path(name)
    trained = folder.name.isdigit() and folder.parent.name
    system, seed = (folder.parent.name, int(folder.name)) if trained else (name, None)
    return (system if name == start else f"{_COSINE}{system}"), seed


def _read(folder: Path, make: Callable[[str, Any], Made]) -> list[Made]:
    """What ``make`` makes of every file's name and content."""
    found = []
    for path in sorted(folder.glob("*.json")):
        raw = read_json(path)
        try:
            found.append(make(path.name, raw))
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            raise SynsemError(
                f"{path}: not the runs of a matcher ({type(error).__name__}: {error}); "
                "run `synsem finetune` again"
            ) from error
    return found
