"""Ablations: named changes to params.yaml, each trained from several seeds and judged by the same tasks."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml

from pipeline import scratch
from pipeline.errors import SynsemError
from pipeline.params import parse
from pipeline.store import read_json, write_json

Changes = Mapping[str, Any]
# What every ablation reads of the data folder, and none writes.
SHARED = ("corpus", "benchmarks", "parsed/corpus", "parsed/benchmarks", "augmented", "treebank")
SYSTEM = "system"  # the one change that is no parameter: which system is trained


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

    Raises SynsemError where the file is no such mapping.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise SynsemError(f"{path}: cannot be read as YAML ({' '.join(str(error).split())})") from error
    if not isinstance(raw, dict) or not all(isinstance(changes, dict) for changes in raw.values()):
        raise SynsemError(f"{path}: must map names to changes, such as 'no-bias: {{sscp.bias: none}}'")
    return [
        Ablation(name, str(changes.get(SYSTEM, "sscp")), {k: v for k, v in changes.items() if k != SYSTEM})
        for name, changes in raw.items()
    ]


def changed(raw: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
    """A copy of params.yaml's content with dotted keys set; SynsemError for what does not fit."""
    values: dict[str, Any] = yaml.safe_load(yaml.safe_dump(dict(raw)))
    for key, value in changes.items():
        section = values
        *path, last = key.split(".")
        for part in path:
            section = section.setdefault(part, {})
            if not isinstance(section, dict):
                raise SynsemError(f"ablation: {key}: {part} is no section of params.yaml")
        section[last] = value
    parse(values, "ablation")
    return values


def chosen(path: Path, names: Sequence[str] | None) -> list[Ablation]:
    """The ablations of those names, or all; SynsemError for a name that the file lacks."""
    known = {each.name: each for each in read_ablations(path)}
    if unknown := [name for name in names or () if name not in known]:
        raise SynsemError(f"{path}: has no ablation {unknown[0]!r}; choose from {', '.join(known)}")
    return [known[name] for name in names] if names else list(known.values())


def run_one(
    ablation: Ablation,
    seed: int,
    params: Path,
    data: Path,
    out: Path,
    tasks: Sequence[str],
    stage: Stage,
    note: str = "",
) -> Path:
    """Mine, train and evaluate one ablation from one seed by the stages themselves; its metrics file.

    What is done stays done: a metrics file whose inputs are the same is kept, examples are shared by the
    ablations that mine alike, and a killed training goes on from its checkpoint. The model is not kept.
    ``note`` is what readers of the report must know of the data. Whatever ``stage`` raises is passed on.
    """
    values = changed(yaml.safe_load(params.read_text(encoding="utf-8")), ablation.changes)
    mined = [json.dumps([values["mine"], values["encoder"]], sort_keys=True), ablation.system]
    judged = json.dumps([values["train"], values[ablation.system], values["evaluate"], list(tasks)])
    inputs = [path for name in SHARED for path in sorted((data / name).glob("*.arrow"))]
    key = scratch.key(inputs, *mined, judged, seed)
    target = out / f"{ablation.name}-{seed}.json"
    if target.exists() and read_json(target)["key"] == key:
        return target
    home = scratch.folder("ablations", scratch.key(inputs, *mined))
    file, triplets, models = home / f"{ablation.name}-{seed}.yaml", home / "triplets", home / ablation.name
    file.write_text(yaml.safe_dump(values), encoding="utf-8")
    read = ["--params", file]
    for name in ("benchmarks", "parsed", "augmented", "treebank"):
        read += [f"--{name}", data / name]
    if not (triplets / "report.json").exists():
        stage("mine", ablation.system, *read, "--corpus", data / "corpus", "--out", triplets)
    model, curves = models / ablation.system / str(seed), models / f"curves-{seed}"
    stage("pretrain", ablation.system, seed, "--triplets", triplets, "--out", model, "--curves", curves,
          "--params", file)  # fmt: skip
    stage("evaluate", ablation.system, seed, *read, "--models", models, "--out", models,
          "--tasks", ",".join(tasks))  # fmt: skip
    metrics = read_json(models / "metrics" / f"{ablation.system}-{seed}.json")
    facts = {
        "ablation": ablation.name,
        "system": ablation.system,
        "changes": dict(ablation.changes),
        "note": note,
    }
    write_json(target, {"key": key, "seed": seed, **facts, "metrics": metrics})
    shutil.rmtree(models)
    return target
