"""params.yaml -> frozen pydantic models, one a section; an unknown key or a bad value is named."""

import difflib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError

from pipeline.errors import SynsemError
from pipeline.params.data import Augment, Download, Neural, Parse
from pipeline.params.judging import Evaluate, Report
from pipeline.params.learning import Curriculum, Encoder, Sketch, Train
from pipeline.params.mining import (
    CsslExamples,
    EbsimTriplets,
    Mine,
    NeighbourNegatives,
    OverlapNegatives,
    PairPositives,
    ParabartPairs,
)
from pipeline.params.numbers import read_yaml
from pipeline.params.section import Section
from pipeline.params.systems import BiLstm, Cssl, Ebsim, Parabart, Scratch, Simcse, Sscp, Upos

__all__ = [
    "Augment",
    "BiLstm",
    "Cssl",
    "CsslExamples",
    "Curriculum",
    "Download",
    "Ebsim",
    "EbsimTriplets",
    "Encoder",
    "Evaluate",
    "Mine",
    "NeighbourNegatives",
    "Neural",
    "OverlapNegatives",
    "PairPositives",
    "Parabart",
    "ParabartPairs",
    "Params",
    "Parse",
    "Report",
    "Scratch",
    "Section",
    "Simcse",
    "Sketch",
    "Sscp",
    "Train",
    "Upos",
    "load",
    "load_all",
    "parse",
    "read_yaml",
]


class Params(Section):
    """The whole file."""

    systems: list[str] = Field(min_length=1)
    seeds: list[int] = Field(min_length=1)
    download: Download
    parse: Parse
    augment: Augment
    mine: Mine
    encoder: Encoder
    train: Train
    sscp: Sscp
    simcse: Simcse
    cssl: Cssl
    ebsim: Ebsim
    upos: Upos
    parabart: Parabart
    evaluate: Evaluate
    report: Report


def load(path: Path, *sections: str) -> Any:
    """Read params.yaml, check all of it, and return the named sections alone.

    A stage names the sections that dvc.yaml declares for it, so it cannot read what DVC does not watch.
    Returns a namespace with one attribute a section. Raises SynsemError naming the key that is wrong.
    """
    params = load_all(path)
    if unknown := [name for name in sections if name not in Params.model_fields]:
        raise SynsemError(f"{path}: has no section {unknown[0]!r}; known: {', '.join(Params.model_fields)}")
    return SimpleNamespace(**{name: getattr(params, name) for name in sections})


def load_all(path: Path) -> Params:
    """Read and check params.yaml whole: for a stage that has the file itself among its deps."""
    try:
        raw = read_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SynsemError(
            f"{path}: cannot be read ({error.strerror}); run in the project's folder or pass --params"
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: no UTF-8, or no such date
        raise SynsemError(f"{path}: not valid YAML ({' '.join(str(error).split())})") from error
    return parse(raw, str(path))


def parse(raw: Any, origin: str = "params.yaml") -> Params:
    """Check a mapping as read from params.yaml; raises SynsemError with one clause a wrong key."""
    if raw is None:
        raise SynsemError(f"{origin}: is empty; take the one that came with the code and change that")
    if not isinstance(raw, dict):
        raise SynsemError(f"{origin}: must be a mapping of sections, such as 'train:'")
    try:
        return Params.model_validate(raw)
    except ValidationError as failure:
        complaints = [_complaint(error["type"], error["loc"], error["msg"]) for error in failure.errors()]
        raise SynsemError(f"{origin}: {'; '.join(complaints)}") from failure


def _complaint(kind: str, location: tuple[int | str, ...], message: str) -> str:
    key = ".".join(str(part) for part in location)
    if kind == "extra_forbidden":
        close = _nearest(key)
        return f"{key}: unknown; " + (f"did you mean {close}?" if close else "remove it")
    if kind == "missing":
        return f"{key}: missing; add it"
    return f"{key}: {message[0].lower()}{message[1:]}"


def _nearest(key: str) -> str | None:
    """The known key that an unknown one may mean: much like it and beside it, or of its name elsewhere."""
    section, _, name = key.rpartition(".")
    split = [known.rpartition(".") for known in _keys(Params)]
    beside = {leaf: f"{place}{dot}{leaf}" for place, dot, leaf in split if place == section}
    elsewhere = {leaf: f"{place}{dot}{leaf}" for place, dot, leaf in split}
    close = difflib.get_close_matches(name, beside, n=1, cutoff=0.6)
    return beside[close[0]] if close else elsewhere.get(name)


def _keys(model: type[BaseModel], prefix: str = "") -> list[str]:
    keys = []
    for name, field in model.model_fields.items():
        keys.append(prefix + name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            keys += _keys(field.annotation, f"{prefix}{name}.")
    return keys
