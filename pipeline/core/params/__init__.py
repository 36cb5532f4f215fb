"""Read params.yaml into frozen pydantic models, one for each section; errors name the wrong key.

A stage asks for the sections that dvc.yaml declares for it. The whole file is checked each time.
"""

import difflib
import functools
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

from pydantic import BaseModel, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from pipeline.core.errors import SynsemError, unknown
from pipeline.core.params.section import Section, Seed, Unique
from pipeline.core.params.stages import (
    Augment,
    Download,
    Encoder,
    Evaluate,
    Mine,
    Parse,
    Sketch,
    Train,
)
from pipeline.core.params.systems import Cssl, Ebsim, Parabart, Simcse, Sscp, Synsem, System, Upos
from pipeline.core.store import read_yaml

__all__ = [
    "DEFAULTS",
    "Augment",
    "Cssl",
    "Download",
    "Ebsim",
    "Encoder",
    "Evaluate",
    "Mine",
    "Parabart",
    "Params",
    "Parse",
    "Simcse",
    "Sketch",
    "Sscp",
    "Synsem",
    "System",
    "Train",
    "Upos",
    "changed",
    "load",
    "load_all",
    "metric_key",
    "or_defaults",
    "parse",
    "read",
]

# The parameters that came with the code: those of the repository, or beside the library in a wheel.
DEFAULTS = Path(__file__).parents[3] / "params.yaml"
_HERE = Path("params.yaml")
_LIBRARY = Path(__file__).parents[2]


class Params(Section):
    """All of params.yaml."""

    systems: Unique[str] = Field(min_length=1)
    seeds: Unique[Seed] = Field(min_length=1)
    download: Download
    encoder: Encoder
    train: Train
    mine: Mine
    parse: Parse
    augment: Augment
    evaluate: Evaluate
    synsem: Synsem
    sscp: Sscp
    simcse: Simcse
    parabart: Parabart
    cssl: Cssl
    ebsim: Ebsim
    upos: Upos


def load(path: Path, *sections: str) -> Any:
    """Read and check all of a parameter file, and return a namespace of the named sections only.

    A stage names the sections that dvc.yaml declares for it, so it cannot read what DVC does not track.
    Raises SynsemError, which names the wrong key.
    """
    params = load_all(path)
    return SimpleNamespace(**{name: getattr(params, name) for name in sections})


def load_all(path: Path) -> Params:
    """Read and check a parameter file, for a stage that has the file itself among its deps."""
    return parse(read(path), str(path))


def read(path: Path) -> Any:
    """Return what a parameter file holds, not yet checked.

    As for DVC it is YAML 1.2, where 1e-5 is a number and ``no`` is Norwegian. Raises SynsemError if the file
    cannot be read, is not YAML, or has a key twice.
    """
    try:
        return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SynsemError(
            f"{path}: cannot be read ({error.strerror}); run in the project's folder, or name another"
        ) from error
    except MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise SynsemError(f"{path}: {line}{error.problem}") from error
    except (YAMLError, ValueError) as error:  # ValueError: not UTF-8, or no such date
        raise SynsemError(f"{path}: not valid YAML ({' '.join(str(error).split())})") from error


def or_defaults(path: Path) -> Path:
    """Return the file, or ``DEFAULTS`` instead of a params.yaml that the current folder lacks.

    For what needs no project, such as the tree of a typed text. Stages read the file that DVC tracks.
    """
    return DEFAULTS if path == _HERE and not path.exists() else path


def changed(raw: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of what ``read`` gave, with other values for the dotted keys of ``changes``."""
    values = deepcopy(dict(raw))
    for key, value in changes.items():
        *path, last = key.split(".")
        section = values
        for part in path:
            section = section.setdefault(part, {})
            if not isinstance(section, dict):
                raise SynsemError(f"{key}: {part} has no keys")
        section[last] = value
    return values


def parse(raw: Any, origin: str = "params.yaml") -> Params:
    """Check what a parameter file holds. The SynsemError has one clause for each wrong key or name."""
    if not isinstance(raw, dict):
        raise SynsemError(f"{origin}: must be a mapping of sections, such as 'train:'")
    try:
        params = Params.model_validate(raw)
    except ValidationError as failure:
        wrong: dict[str, list[str]] = {}
        for error in failure.errors():
            # Each type that a value may have is a part of its own, such as constrained-int or literal['all'].
            key = ".".join(str(part) for part in error["loc"] if not {"-", "["} & set(str(part)))
            wrong.setdefault(key, []).append(_complaint(key, error["type"], error["msg"]))
        clauses = "; ".join(f"{key}: {', or '.join(said)}" for key, said in wrong.items())
        raise SynsemError(f"{origin}: {clauses}") from failure
    if names := list(_unknown_names(params)):
        raise SynsemError(f"{origin}: {'; '.join(names)}")
    return params


def _complaint(key: str, kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        close = _nearest(key)
        return f"unknown; did you mean {close}?" if close else "unknown; remove it"
    return "missing; add it" if kind == "missing" else f"{message[0].lower()}{message[1:]}"


def _nearest(key: str) -> str | None:
    """Return the known key that an unknown one may mean: a similar one, or the same name elsewhere."""
    known = list(_keys(Params))
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.8)
    same = [other for other in known if other.rpartition(".")[2] == key.rpartition(".")[2]]
    return next(iter(close + same), None)


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield prefix + name
        for kind in (field.annotation, *get_args(field.annotation)):  # of ``Sketch | None`` each
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _keys(kind, f"{prefix}{name}.")


def _unknown_names(params: Params) -> Iterator[str]:
    """Yield a clause for each name that is no system, rewrite, profile, task or benchmark.

    Only names of files and entries are read. A misspelt task would otherwise be found after hours, by the
    stage that runs it.
    """
    profiles, groups = _table("corpora/profiles.yaml"), _table("corpora/sources.yaml")["groups"]
    tasks = {path.stem for path in _LIBRARY.glob("evaluation/tasks/[!_]*.py")}
    own = [entry for entry in params.download.benchmarks or () if _stem(entry) != entry]
    for entry in own:
        if _stem(entry) in tasks:
            yield f"download.benchmarks: {entry}: is called like a task; rename the file"
    wanted = params.download.benchmarks
    if wanted is None:
        wanted = profiles.get(params.download.profile, {}).get("benchmarks", [])
    for name in map(_stem, wanted):
        tasks |= {name, *groups.get(name, [])}
    systems = {path.parent.name for path in _LIBRARY.glob("systems/*/mining.py")}
    rewrites = {path.stem for path in _LIBRARY.glob("augment/rewrites/[!_]*.py")}
    for key, names, known in (
        ("systems", params.systems, systems),
        ("augment.transformations", params.augment.transformations, rewrites),
        ("download.profile", [params.download.profile], set(profiles)),
        ("evaluate.tasks", params.evaluate.tasks, tasks),
    ):
        yield from (str(unknown(key, name, sorted(known))) for name in names if name not in known)


@functools.cache
def _table(name: str) -> dict[str, Any]:
    content: dict[str, Any] = read_yaml(_LIBRARY / name)
    return content


def _stem(entry: str) -> str:
    """Return what results call a benchmark of ``download.benchmarks``: its name, or its file's."""
    name = entry.rpartition(":")[2]
    return Path(name).name.partition(".")[0] if "/" in name or "." in name else name


def metric_key(task: str) -> str:
    """Return a benchmark's name in metrics: ``paws`` for ``paws-wiki``, otherwise its own."""
    return task.removesuffix("-wiki")
