"""The download section of params.yaml -> which sources to fetch, and how many documents of each to keep."""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pipeline.corpora import registry
from pipeline.corpora.own import own_source
from pipeline.corpora.registry import Source, Use
from pipeline.errors import SynsemError
from pipeline.params import Download

PROFILES = Path(__file__).with_name("profiles.yaml")


@dataclass(frozen=True)
class Plan:
    """What to fetch. ``documents`` is the number to keep of each corpus source, None all of them."""

    corpus: tuple[Source, ...]
    benchmarks: tuple[Source, ...]
    documents: int | None


def plan(params: Download) -> Plan:
    """The profile's choices, each replaced by the key of the same name where that is set.

    Raises SynsemError naming the key whose value is no profile, source, file or folder.
    """
    profile = _profile(params.profile)
    sources = profile["sources"] if params.sources is None else params.sources
    benchmarks = profile["benchmarks"] if params.benchmarks is None else params.benchmarks
    documents = profile["documents"] if params.documents is None else params.documents
    return Plan(
        corpus=_resolve(sources, "corpus", "download.sources", params.language),
        benchmarks=_resolve(benchmarks, "benchmark", "download.benchmarks", params.language),
        documents=None if documents == "all" else documents,
    )


def _profile(name: str) -> dict[str, Any]:
    profiles: dict[str, dict[str, Any]] = yaml.safe_load(PROFILES.read_text(encoding="utf-8"))
    if name not in profiles:
        close = difflib.get_close_matches(name, profiles, n=1)
        hint = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(profiles)}"
        raise SynsemError(f"download.profile: no profile is called {name!r}; {hint}")
    return profiles[name]


def _resolve(names: list[str], use: Use, key: str, language: str) -> tuple[Source, ...]:
    found: dict[str, Source] = {}
    for name in names:
        for source in own_source(name, use, language) or registry.find(name, key):
            if use not in source.use:
                other = "download.benchmarks" if use == "corpus" else "download.sources"
                raise SynsemError(f"{key}: {source.name} is for {other}; name it there")
            if found.setdefault(source.name, source) != source:
                raise SynsemError(f"{key}: two sources are called {source.name}; rename one of the files")
    return tuple(found.values())
