"""Ablations: what each change to the full system costs, over seeds.

``reports/ablations/NAME-SEED.json`` is one run of one ablation: its name, the system it trained, the changes
to params.yaml, the seed, and its metrics as in ``reports/metrics``. The ablation ``full`` changes nothing;
the others are set against it. Ablations of another system are a family of their own, named after it:
``parabart`` is its full system, ``parabart-no-adversary`` one of the others.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.errors import SynsemError
from pipeline.evaluation.significance import paired_t
from pipeline.report.columns import COLUMNS, Column, with_probe_mean
from pipeline.report.inputs import Run, read_views, view_rank
from pipeline.report.intervals import corrected
from pipeline.report.tables import summary
from pipeline.store import read_json

FULL = "full"
FAMILIES = ("parabart",)


@dataclass(frozen=True)
class Ablation:
    """One variant of the system and its runs, a seed each."""

    name: str
    system: str
    changes: tuple[tuple[str, str], ...]
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Effect:
    """A metric of an ablation over its seeds; the difference is to the full system, over common seeds."""

    mean: float
    sd: float | None
    seeds: int
    difference: float | None = None
    difference_sd: float | None = None
    p: float | None = None  # paired t-test over common seeds, after Holm over the table


@dataclass(frozen=True)
class Effects:
    """One protocol's metrics of one view; rows in parallel with the ablations, None where not measured."""

    title: str
    view: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Ablation, tuple[Effect | None, ...]], ...]


def read_ablations(folder: Path) -> list[Ablation]:
    """All ablations of the folder, the full system first, the others by name; none where it has no file.

    Raises SynsemError for a file that is not such a run.
    """
    found: dict[str, list[tuple[int, Run, Mapping[str, Any]]]] = {}
    for path in sorted(folder.glob("*.json")):
        raw = read_json(path)
        try:
            name, system, seed = str(raw["ablation"]), str(raw["system"]), int(raw["seed"])
            run = Run(name, seed, read_views(raw["metrics"], path))
            changes = {"system": system, **raw["changes"]} if system != "sscp" else dict(raw["changes"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SynsemError(
                f"{path}: not a run of an ablation ({type(error).__name__}: {error}); "
                "run `synsem ablate` again"
            ) from error
        found.setdefault(name, []).append((seed, run, {"system": system, "changes": changes}))
    ablations = [
        Ablation(
            name,
            entries[0][2]["system"],
            tuple((key, str(value)) for key, value in entries[0][2]["changes"].items()),
            tuple(with_probe_mean([run for _, run, _ in sorted(entries, key=lambda entry: entry[0])])),
        )
        for name, entries in found.items()
    ]
    return sorted(ablations, key=lambda ablation: (ablation.name != FULL, ablation.name))


def read_notes(folder: Path) -> list[str]:
    """What the runs say of their data, each remark once: a part of a benchmark is not the benchmark."""
    notes = {str(read_json(path).get("note") or "") for path in folder.glob("*.json")}
    return sorted(notes - {""})


def family(name: str) -> str | None:
    """The family that an ablation's name puts it in; None for those of the main system."""
    return next((each for each in FAMILIES if name == each or name.startswith(f"{each}-")), None)


def effects(ablations: Sequence[Ablation]) -> list[list[Effects]]:
    """For each protocol a table a view, the joint one first; protocols without a metric are left out.

    Families of their own are left out.
    """
    ablations = [each for each in ablations if family(each.name) is None]
    views = {view for ablation in ablations for run in ablation.runs for view in run.views}
    order = sorted(views, key=lambda view: (view != "joint", view_rank(view)))
    tables = [
        [effect_table(ablations, title, columns, view) for view in order]
        for title, columns in COLUMNS.items()
    ]
    return [kept for found in tables if (kept := [table for table in found if table.columns])]


def effect_table(
    ablations: Sequence[Ablation], title: str, columns: Sequence[Column], view: str, reference: str = FULL
) -> Effects:
    """Those of the columns that an ablation has, each against the ablation called ``reference``."""
    full = next((ablation for ablation in ablations if ablation.name == reference), None)
    numbers = [[_by_seed(ablation, view, column.metric) for column in columns] for ablation in ablations]
    used = [at for at in range(len(columns)) if any(row[at] for row in numbers)]
    whole = numbers[ablations.index(full)] if full else [{} for _ in columns]
    rows = [
        (each, [_effect(row[at], whole[at], each is full) for at in used])
        for each, row in zip(ablations, numbers, strict=True)
    ]
    adjusted = iter(corrected([effect.p if effect else None for _, row in rows for effect in row]))
    filled = [
        (each, tuple(effect and replace(effect, p=p) for effect, p in zip(row, adjusted, strict=False)))
        for each, row in rows
    ]
    shown = tuple((each, row) for each, row in filled if any(row))
    return Effects(title, view, tuple(columns[at] for at in used), shown)


def _by_seed(ablation: Ablation, view: str, metric: str) -> dict[int, float]:
    found = {run.seed: run.views.get(view, {}).get(metric) for run in ablation.runs}
    return {seed: value for seed, value in found.items() if seed is not None and value is not None}


def _effect(numbers: Mapping[int, float], full: Mapping[int, float], is_full: bool) -> Effect | None:
    if not numbers:
        return None
    mean, sd = summary(list(numbers.values()))
    common = [] if is_full else [seed for seed in numbers if seed in full]
    if not common:
        return Effect(mean, sd, len(numbers))
    difference, spread = summary([numbers[seed] - full[seed] for seed in common])
    p = paired_t([full[seed] for seed in common], [numbers[seed] for seed in common])
    return Effect(mean, sd, len(numbers), difference, spread, None if math.isnan(p) else p)
