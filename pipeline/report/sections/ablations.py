"""Ablations: what each change to the full system costs, over seeds.

``reports/ablations/NAME-SEED.json`` is one run of one ablation: its name, the system it trained, the changes
to params.yaml, the seed, and its metrics as in ``reports/metrics``. The ablation ``full`` changes nothing;
the others are compared with it. Ablations of another system are a family of their own, named after it:
``parabart`` is its full system, ``parabart-no-adversary`` one of the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from pipeline.core.errors import SynsemError
from pipeline.core.store import dotted_metrics, read_json
from pipeline.report.figures.charts import Mark, forest_picture
from pipeline.report.inputs import JOINT, Run, ordered_views, view_order
from pipeline.report.intervals import corrected, paired_interval, paired_p, signed, verdict
from pipeline.report.tables import COLUMNS, Column, by_seed, summary, with_probe_mean

FULL = "full"
FAMILIES = ("parabart",)
BySeed = Mapping[int | None, float]


@dataclass(frozen=True)
class Ablation:
    """One variant of the system and its runs, a seed each."""

    name: str
    system: str
    changes: tuple[tuple[str, str], ...]
    runs: tuple[Run, ...]
    bases: Mapping[int, str]  # by seed: of data, code and unchanged parameters; "" of files that tell none
    alike: bool  # whether all runs had one basis, and the same changes

    def comparable(self, other: "Ablation", numbers: BySeed, others: BySeed) -> list[int | None]:
        """The seeds that both have a number for, and ran on one basis."""
        return [
            seed
            for seed in numbers
            if seed in others and (seed is None or self.bases[seed] == other.bases[seed])
        ]


@dataclass(frozen=True)
class Effect:
    """A metric of an ablation over its seeds; the difference is to the full system, over common seeds."""

    mean: float
    sd: float | None
    seeds: int
    difference: float | None = None
    p: float | None = None  # paired t-test over common seeds, after Holm over the table
    interval: tuple[float, float] | None = None  # 95 % of the difference, over common seeds
    common: int = 0  # seeds that the difference is over

    def verdict(self, lower_is_better: bool) -> str:
        """See ``intervals.verdict``."""
        return verdict(self.difference, self.p, lower_is_better)


@dataclass(frozen=True)
class EffectTable:
    """One protocol's metrics of one view; rows in parallel with the ablations, None where not measured."""

    title: str
    view: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Ablation, tuple[Effect | None, ...]], ...]


def read_ablations(folder: Path) -> list[Ablation]:
    """All ablations of the folder, the full system first, the others by name; none where it has no file.

    Runs from elsewhere (``origins``) are left out beside own ones. Raises SynsemError for a file that is not
    such a run.
    """
    found: dict[str, list[tuple[int, Run, Mapping[str, Any]]]] = {}
    for path, raw in _files(folder):
        try:
            name, system, seed = str(raw["ablation"]), str(raw["system"]), int(raw["seed"])
            basis = str(raw.get("basis", ""))
            run = Run(name, seed, ordered_views(dotted_metrics(raw["metrics"], path)))
            changes = {"system": system, **raw["changes"]} if system != "sscp" else dict(raw["changes"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SynsemError(
                f"{path}: not a run of an ablation ({type(error).__name__}: {error}); "
                "run `synsem ablate` again"
            ) from error
        found.setdefault(name, []).append((seed, run, {"system": system, "changes": changes, "basis": basis}))
    ablations = [
        Ablation(
            name,
            entries[0][2]["system"],
            tuple((key, str(value)) for key, value in entries[0][2]["changes"].items()),
            tuple(with_probe_mean([run for _, run, _ in sorted(entries, key=lambda entry: entry[0])])),
            {seed: facts["basis"] for seed, _, facts in entries},
            all(facts == entries[0][2] for _, _, facts in entries),
        )
        for name, entries in found.items()
    ]
    return sorted(ablations, key=lambda ablation: (ablation.name != FULL, ablation.name))


def mixed(ablations: Sequence[Ablation]) -> tuple[str, ...]:
    """The names of those whose mean is over runs of several versions of data, code or parameters."""
    return tuple(each.name for each in ablations if not each.alike)


def read_notes(folder: Path) -> list[tuple[str, str]]:
    """The notes of the runs on their data, each once, and whose they are: names, or all but some.

    A note says such as that a part of a benchmark was used. The second is empty where it is of all.
    """
    named: dict[str, set[str]] = {}
    for _, raw in _files(folder):
        named.setdefault(str(raw.get("note") or ""), set()).add(_name(raw))
    every = set().union(*named.values())
    found = []
    for note in sorted(named.keys() - {""}):
        others = every - named[note]
        fewer = f"all but {listed(others)}" if 0 < len(others) < len(named[note]) else listed(named[note])
        found.append((note, fewer if others else ""))
    return found


def listed(names: Iterable[str]) -> str:
    """Names in a sentence, in alphabetical order: ``full, no-bias and simcse``."""
    *most, last = sorted(names)
    return f"{', '.join(most)} and {last}" if most else last


def gathered(origins: Sequence[str]) -> list[str]:
    """Origins that differ in the commit of their code alone, as one that names all commits."""
    commits: dict[str, list[str]] = {}
    for origin in origins:
        start, found, commit = origin.rpartition(" commit ")
        commits.setdefault(start if found and commit.isalnum() else origin, []).append(commit)
    return [
        start if start in origins else f"{start} commit{'s' * (len(found) > 1)} {listed(found)}"
        for start, found in commits.items()
    ]


def origins(folder: Path, of: str | None = None) -> list[str]:
    """Where those of the runs come from that were not made here (``gathered``); of one family, or of others.

    The repository ships some, so that a fresh copy has something to show. They come from its data and code.
    """
    found = {_origin(raw) for _, raw in _files(folder) if family(_name(raw)) == of}
    return gathered(sorted(found - {""}))


def _files(folder: Path) -> list[tuple[Path, Any]]:
    """The files that are shown, with their content.

    Runs with an ``origin`` go where the same family or treebank has own ones: their data and code are
    others, so a difference between the two would tell nothing.
    """
    read = [(path, read_json(path)) for path in sorted(folder.glob("*.json"))]
    own = {_compared_with(_name(raw)) for _, raw in read if not _origin(raw)}
    return [(path, raw) for path, raw in read if not _origin(raw) or _compared_with(_name(raw)) not in own]


def _origin(raw: Any) -> str:
    return str(raw.get("origin") or "") if isinstance(raw, dict) else ""


def _name(raw: Any) -> str:
    return str(raw.get("ablation")) if isinstance(raw, dict) else ""


def _compared_with(name: str) -> str | None:
    """The family or the treebank (``got_proiel`` of ``got_proiel.ce``) of runs that are compared."""
    return family(name) or (name.partition(".")[0] if "." in name else None)


def family(name: str) -> str | None:
    """The family that an ablation's name puts it in; None for those of the main system."""
    return next((each for each in FAMILIES if name == each or name.startswith(f"{each}-")), None)


def effects(ablations: Sequence[Ablation]) -> list[list[EffectTable]]:
    """For each protocol a table a view, the joint one first; protocols without a metric are left out.

    Families of their own are left out.
    """
    ablations = [each for each in ablations if family(each.name) is None]
    views = {view for ablation in ablations for run in ablation.runs for view in run.views}
    order = sorted(views, key=lambda view: (view != JOINT, view_order(view)))
    tables = [
        [effect_table(ablations, title, [one for one in columns if one.tested], view) for view in order]
        for title, columns in COLUMNS.items()
    ]
    return [kept for found in tables if (kept := [table for table in found if table.columns])]


def effect_table(
    ablations: Sequence[Ablation], title: str, columns: Sequence[Column], view: str, reference: str = FULL
) -> EffectTable:
    """The columns that an ablation has, with the difference from the ablation called ``reference``."""
    full = next((ablation for ablation in ablations if ablation.name == reference), None)
    numbers = [
        [by_seed(each.runs, each.name, view, column.metric) for column in columns] for each in ablations
    ]
    used = [at for at in range(len(columns)) if any(row[at] for row in numbers)]
    of_full: Sequence[BySeed] = numbers[ablations.index(full)] if full else [{} for _ in columns]
    rows = [
        (each, [_effect(row[at], of_full[at], _common(each, full, row[at], of_full[at])) for at in used])
        for each, row in zip(ablations, numbers, strict=True)
    ]
    adjusted = iter(corrected([effect.p if effect else None for _, row in rows for effect in row]))
    filled = [
        (each, tuple(effect and replace(effect, p=p) for effect, p in zip(row, adjusted, strict=False)))
        for each, row in rows
    ]
    shown = tuple((each, row) for each, row in filled if any(row))
    return EffectTable(title, view, tuple(columns[at] for at in used), shown)


def _common(each: Ablation, full: Ablation | None, numbers: BySeed, of_full: BySeed) -> list[int | None]:
    return [] if full is None or each is full else each.comparable(full, numbers, of_full)


def _effect(numbers: BySeed, full: BySeed, common: Sequence[int | None]) -> Effect | None:
    if not numbers:
        return None
    mean, sd = summary(list(numbers.values()))
    if not common:
        return Effect(mean, sd, len(numbers))
    apart = [numbers[seed] - full[seed] for seed in common]
    p = paired_p({seed: full[seed] for seed in common}, numbers)
    return Effect(mean, sd, len(numbers), summary(apart)[0], p, paired_interval(apart), len(common))


def differences(table: EffectTable) -> list[tuple[Column, Markup]]:
    """A forest plot for each metric that an ablation shares with the full system: its differences.

    All plots of a table have one axis, so that a point is as wide in each of them.
    """
    span = shared_span([effect for _, row in table.rows for effect in row if effect])
    drawn = [(column, _difference(table, number, span)) for number, column in enumerate(table.columns)]
    return [(column, picture) for column, picture in drawn if picture]


def shared_span(effects: Sequence[Effect]) -> tuple[float, float]:
    """Ends of the shared axis: 0 and the differences with their intervals, or nine tenths of them.

    One control can lose forty times what the others lose, and an interval over two seeds can be as wide:
    beside them nothing else could be read. So the axis leaves out the largest tenth of the differences where
    one is more than four times as large as the rest, and cuts intervals at twice the largest that it shows.
    """
    sizes = [abs(effect.difference) for effect in effects if effect.difference is not None]
    most = float(np.percentile(sizes, 90)) if sizes else 0.0
    reach = most if 0 < 4 * most < max(sizes) else max(sizes, default=0.0)
    ends = [0.0]
    for effect in effects:
        if effect.difference is not None and abs(effect.difference) <= reach:
            ends.append(effect.difference)
            ends += [min(max(end, -2 * reach), 2 * reach) for end in effect.interval or ()]
    return min(ends), max(ends)


def _difference(table: EffectTable, number: int, span: tuple[float, float]) -> Markup | None:
    marks = []
    for ablation, row in table.rows:
        effect = row[number]
        if ablation.name == FULL or effect is None or effect.difference is None:
            continue
        middle, ends = effect.difference, effect.interval
        note = f"{ablation.name}: {signed(middle)}" + (
            "" if ends is None else f" ({signed(ends[0])} to {signed(ends[1])})"
        )
        marks.append(Mark(ablation.name, middle, ends, "system-1", note))
    name = f"Difference from the full system, {table.columns[number].label}"
    return forest_picture(name, marks, 0.0, signed=True, span=span) if marks else None
