"""sources.yaml -> frozen models: every source by name, with where its bytes are and what they must be."""

import difflib
import functools
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.errors import SynsemError

REGISTRY = Path(__file__).with_name("sources.yaml")
Use = Literal["corpus", "benchmark"]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class File(_Entry):
    """One file of a source. Files with the same split and subset are read together, told apart by role."""

    path: str  # below the location's ``at``; for a wheel, its file name
    bytes: int | None = None
    sha256: str | None = None
    split: str = ""
    subset: str = ""
    role: str = ""
    member: str | None = None  # glob over the members of an archive; None takes every one


class Location(_Entry):
    """A place that has the whole source, in one form."""

    kind: Literal["https", "wheel", "hf", "file"]
    at: str  # address prefix, requirement (NAME==VERSION), OWNER/NAME@REVISION, or folder
    verified: bool  # every sha256 below was taken from real bytes
    reader: str
    options: dict[str, Any] = {}
    files: list[File] = Field(min_length=1)


class Source(_Entry):
    """A corpus or benchmark that params.yaml can name."""

    name: str
    title: str
    use: list[Use]
    lang: str  # ISO 639-1 where there is one; "mul" for several
    licence: str
    citation: str
    home: str | None = None
    note: str = ""
    tokenised: bool = False  # words stand apart from punctuation: documents are detokenised
    locations: list[Location] = Field(min_length=1)  # in order of preference

    @property
    def verified(self) -> bool:
        """Whether the bytes of at least one location are known by their sha256."""
        return any(location.verified for location in self.locations)


class _Registry(_Entry):
    groups: dict[str, list[str]]
    sources: dict[str, Source]


@functools.cache
def _registry() -> _Registry:
    raw = yaml.load(REGISTRY.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    named = {name: entry | {"name": name} for name, entry in raw["sources"].items()}
    try:
        return _Registry.model_validate({"groups": raw["groups"], "sources": named})
    except ValidationError as error:
        raise SynsemError(f"{REGISTRY}: {error.errors()[0]['loc']}: {error.errors()[0]['msg']}") from error


def sources() -> list[Source]:
    """Every source, in the order of sources.yaml."""
    return list(_registry().sources.values())


def groups() -> dict[str, list[str]]:
    """Names that stand for several sources, such as ``paws-x``."""
    return dict(_registry().groups)


def find(name: str, key: str = "synsem sources") -> list[Source]:
    """The source of that name, or the sources of that group; ``key`` is where the name was written.

    Raises SynsemError with the nearest known name where there is none.
    """
    registry = _registry()
    if name in registry.groups:
        return [registry.sources[member] for member in registry.groups[name]]
    if name in registry.sources:
        return [registry.sources[name]]
    names = [*registry.sources, *registry.groups]
    begun = [each for each in names if name and each.startswith(name)]
    close = begun or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else "`synsem sources` lists them"
    raise SynsemError(f"{key}: no source is named {name!r} and no such file or folder exists; {hint}")
