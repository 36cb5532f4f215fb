"""Run ablations: named changes to params.yaml, each trained from several seeds, judged by the same tasks."""

import itertools
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

import yaml

from pipeline.core import scratch
from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json, read_object, write_json
from pipeline.params import changed, parse
from pipeline.params import read as read_params

Changes = Mapping[str, Any]
# The parts of the data folder that every ablation reads and none writes.
SHARED = (
    "corpus", "benchmarks", "parsed/corpus", "parsed/benchmarks", "augmented", "treebank/corpus",
    "treebank/augmented",
)  # fmt: skip
DECIDED = ("mine", "encoder", "train", "evaluate")  # sections that a run reads, beside its own system's
SYSTEM = "system"  # the one change that is no parameter: which system is trained
BACKBONE = "backbone"  # the one system that is not trained: the encoder untouched, on the same data
GRID, ALL = "grid", "all"


class Stage(Protocol):
    """Runs a stage with command-line arguments; raises where it fails."""

    def __call__(self, name: str, *arguments: object) -> None:
        """``stage("mine", "sscp", "--out", folder)``."""
        ...


@dataclass(frozen=True)
class Ablation:
    """A name, the system it trains, and the dotted keys of params.yaml that it sets."""

    name: str
    system: str
    changes: Changes


def read_ablations(path: Path) -> list[Ablation]:
    """The ablations of a YAML file ``name: {dotted.key: value}``, in its order.

    A file with ``grid`` crosses its axes: ``grid: [{hu: {...}, te: {...}}, {ce: {...}, cssl: {...}}]`` and
    ``all: {...}`` are hu.ce, hu.cssl, te.ce and te.cssl, each with the changes of ``all`` too. Raises
    SynsemError where the file is neither.
    """
    raw = read_params(path)
    if isinstance(raw, dict) and isinstance(raw.get(GRID), list):
        raw = _crossed(raw[GRID], raw.get(ALL) or {}, path)
    if not _maps_changes(raw):
        raise SynsemError(f"{path}: must map names to changes, such as 'no-bias: {{sscp.bias: none}}'")
    if odd := [name for name in raw if not isinstance(name, str)]:
        raise SynsemError(f"{path}: the name {odd[0]!r} is no text; put it in quotes")
    if odd := [name for name in raw if not name or name.startswith(".") or {"/", "\\"} & set(name)]:
        raise SynsemError(f"{path}: the name {odd[0]!r} is no name of a file; choose one without / and \\")
    if not raw:
        raise SynsemError(f"{path}: has no ablation; map names to changes")
    return [
        Ablation(name, str(changes.get(SYSTEM, "sscp")), {k: v for k, v in changes.items() if k != SYSTEM})
        for name, changes in raw.items()
    ]


def _maps_changes(raw: object) -> bool:
    return isinstance(raw, dict) and all(
        isinstance(changes, dict) and all(isinstance(key, str) for key in changes) for changes in raw.values()
    )


def _crossed(axes: Sequence[Any], common: object, path: Path) -> dict[str, dict[str, Any]]:
    if not all(map(_maps_changes, axes)) or not isinstance(common, dict):
        raise SynsemError(f"{path}: grid must list axes that map names to changes, and all hold changes")
    found = {}
    for point in itertools.product(*(axis.items() for axis in axes)):
        changes = dict(common)
        for _, own in point:
            changes |= own
        found[".".join(str(name) for name, _ in point)] = changes
    return found


def apply_changes(raw: Mapping[str, Any], changes: Changes, origin: str = "ablation") -> dict[str, Any]:
    """A copy of params.yaml's content with dotted keys set; SynsemError for what does not fit."""
    values = changed(raw, changes)
    parse(values, origin)
    return values


def select(path: Path, names: Sequence[str] | None) -> list[Ablation]:
    """The ablations of those names or patterns (``te_mtg.*``), or all; SynsemError for one that fits none."""
    known = {each.name: each for each in read_ablations(path)}
    found: dict[str, Ablation] = {}
    for wanted in names or ("*",):
        fitting = {name: each for name, each in known.items() if fnmatchcase(name, wanted)}
        if not fitting:
            raise SynsemError(f"{path}: has no ablation {wanted!r}; choose from {', '.join(known)}")
        found |= fitting
    return list(found.values())


def run_one(
    ablation: Ablation,
    seed: int,
    params: Path,
    data: Path,
    out: Path,
    tasks: Sequence[str],
    stage: Stage,
    note: str = "",
    origin: str = "",
) -> Path:
    """Mine, train and evaluate one ablation from one seed by the stages themselves; its metrics file.

    Nothing is done twice: a metrics file whose inputs are the same is kept, ablations that mine alike share
    their examples, and a killed training resumes from its checkpoint. The model is not kept. ``note`` is what
    readers of the report must know of the data; ``origin`` tells where a run for others comes from, who have
    data of their own. ``basis`` in the file is a digest of data, code, tasks and unchanged parameters: only
    runs of one basis are compared. Raises SynsemError for a change that no stage of a run reads; what
    ``stage`` raises is passed on.
    """
    _demand_read(ablation)
    raw = read_params(params)
    parse(raw, str(params))
    values = apply_changes(raw, ablation.changes)
    mined = [
        json.dumps([values["mine"], values["encoder"]], sort_keys=True),
        ablation.system,
        _treebank(values, ablation.system) or "",
    ]
    judged = json.dumps([values["train"], values.get(ablation.system), values["evaluate"], list(tasks)])
    shared = scratch.key(path for name in SHARED for path in sorted((data / name).glob("*.arrow")))
    own = [*_own_files(values["encoder"]), *_own_files(values.get(ablation.system))]
    inputs = scratch.key(own, shared, *mined)
    key = scratch.key((), inputs, judged, seed)
    target = out / f"{ablation.name}-{seed}.json"
    asked = {
        "changes": dict(ablation.changes),
        "basis": scratch.key((), shared, json.dumps([_unchanged(raw), list(tasks)], sort_keys=True)),
    }
    if target.exists() and (kept := read_object(target)).get("key") == key:
        # A new run would give the same numbers: it is compared with those of now.
        told = kept | asked | {name: text for name, text in (("note", note), ("origin", origin)) if text}
        if kept != told:
            write_json(target, told)
        return target
    home = scratch.folder("ablations", inputs)
    metrics = _run_stages(ablation, seed, values, data, home, tasks, stage)
    facts = {
        "ablation": ablation.name,
        "system": ablation.system,
        "changes": asked["changes"],
        "note": note,
        "origin": origin,
        "basis": asked["basis"],
    }
    write_json(target, {"key": key, "seed": seed, **facts, "metrics": metrics})
    shutil.rmtree(home / ablation.name)
    return target


def _unchanged(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What runs must have in common beside data and code, before an ablation changes some of it."""
    return {name: section for name, section in raw.items() if name not in ("report", "seeds", "systems")}


def _own_files(section: object) -> list[Path]:
    """The files that a section names by their path, or by that of their folder: own models and treebanks."""
    named = section.values() if isinstance(section, dict) else ()
    paths = [Path(value) for value in named if isinstance(value, str) and Path(value).exists()]
    return sorted(file for path in paths for file in (path, *path.rglob("*")) if file.is_file())


def _demand_read(ablation: Ablation) -> None:
    """Raise for a key such as ``augment.per_sentence``: all runs read the same parsed and augmented text."""
    read = (*DECIDED, ablation.system)
    for key in ablation.changes:
        if key.partition(".")[0] not in read:
            raise SynsemError(
                f"{ablation.name}: {key} changes nothing that an ablation does, which reads "
                f"{', '.join(read)}; run the earlier stages with it and name their folder with --data"
            )


def _run_stages(
    ablation: Ablation,
    seed: int,
    values: Mapping[str, Any],
    data: Path,
    home: Path,
    tasks: Sequence[str],
    stage: Stage,
) -> Any:
    """Run the stages in ``home``, which ablations that mine alike share; the metrics of the model."""
    system, models, triplets = ablation.system, home / ablation.name, home / "triplets"
    file = home / f"{ablation.name}-{seed}.yaml"
    file.write_text(yaml.safe_dump(values), encoding="utf-8")
    # Where data lack them the stage writes none: a folder that is named must be there.
    own_treebank = _treebank(values, system) is not None or not (data / "treebank").exists()
    trees = home / "treebank" if own_treebank else data / "treebank"
    read = ["--params", file]
    for name in ("benchmarks", "parsed", "augmented"):
        read += [f"--{name}", data / name]
    read += ["--treebank", trees]
    if own_treebank and not (trees / "report.json").exists():
        stage("treebank", "--out", trees, "--params", file)
    run: tuple[object, ...] = (system,)
    if system != BACKBONE:
        if not (triplets / "report.json").exists():
            stage("mine", system, *read, "--corpus", data / "corpus", "--out", triplets)
        model, curves = models / system / str(seed), models / f"curves-{seed}"
        stage("pretrain", system, seed, "--triplets", triplets, "--out", model, "--curves", curves,
              "--params", file)  # fmt: skip
        run = (system, seed)
    for left in ("metrics", "evaluation"):  # by a killed run, maybe of another model
        shutil.rmtree(models / left, ignore_errors=True)
    stage("evaluate", *run, *read, "--models", models, "--out", models, "--tasks", ",".join(tasks))
    return read_json(models / "metrics" / f"{'-'.join(map(str, run))}.json")


def _treebank(values: Mapping[str, Any], system: str) -> str | None:
    """The treebank that a parser is trained on: an ablation that names one fetches it itself."""
    name = values.get(system, {}).get("treebank")
    return str(name) if name else None
