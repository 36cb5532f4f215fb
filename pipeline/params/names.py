"""Names in params.yaml that are files or entries elsewhere: checked with the rest, before the first stage.

A misspelt task or rewrite would otherwise be found by the stage that reads it, after hours. Only names are
read here, from folders and YAML files; no task, system or rewrite is loaded, and no stage comes to depend on
them.
"""

import functools
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from pipeline.core.errors import unknown
from pipeline.core.own_yaml import read_own
from pipeline.params.stages import Augment, Download, Evaluate

_LIBRARY = Path(__file__).parents[1]
# What metrics are called beside tasks and benchmarks: a picture of the report, matchers, probes, paraphrases.
_RESERVED = {"projection", "matching", "probe", "syntax", "variants"}
_PREFIXES = ("contrast_", "probe-")


def complaints(
    systems: Iterable[str], download: Download, augment: Augment, evaluate: Evaluate
) -> Iterator[str]:
    """One clause for each unknown name of ``systems``, ``augment.transformations`` and ``evaluate.tasks``.

    Or of ``download.profile``: then the tasks are not judged, which may be benchmarks that a profile names.
    And one for each benchmark of your own that results would take for something else.
    """
    own = {path.parent.name for path in _LIBRARY.glob("systems/*/model.py")}
    yield from _unknown("systems", systems, own)
    for system in systems:
        if system in own and not (_LIBRARY / "systems" / system / "mining.py").exists():
            yield f"systems: '{system}' has no pipeline/systems/{system}/mining.py; write its function mine"
    rewrites = {path.stem for path in _LIBRARY.glob("augment/rewrites/[!_]*.py")}
    yield from _unknown("augment.transformations", augment.transformations, rewrites)
    profiles = _read("corpora/profiles.yaml")
    yield from _unknown("download.profile", [download.profile], profiles)
    if download.profile not in profiles:
        return
    named = _read("evaluation/tasks.yaml")
    tasks = {*named["corpus"], *named["benchmark"], *named["aliases"]}
    for entry in download.benchmarks or ():
        name = _name(entry)
        key = metric_key(name)
        taken = not {name, key}.isdisjoint(tasks | _RESERVED) or name.startswith(_PREFIXES)
        taken |= any(metric_key(other) == key for other in _benchmarks(download) - {name})
        if _is_path(entry) and taken and _LIBRARY not in Path(entry).resolve().parents:
            yield f"download.benchmarks: {entry}: results have {key!r} for something else; rename the file"
    if not tasks.issuperset(evaluate.tasks):
        what = "neither a task nor in download.benchmarks; add it there, if it is a benchmark"
        yield from _unknown("evaluate.tasks", evaluate.tasks, tasks | _benchmarks(download), what)


def metric_key(task: str) -> str:
    """A benchmark's name in metrics: ``paws`` for ``paws-wiki``, else its own."""
    return task.removesuffix("-wiki")


def _benchmarks(download: Download) -> set[str]:
    """The names that ``download`` gives to the benchmarks: of sources, of own files, and of whole groups."""
    profile = _read("corpora/profiles.yaml")[download.profile]
    groups = _read("corpora/sources.yaml")["groups"]
    found = set()
    for entry in profile.get("benchmarks", []) if download.benchmarks is None else download.benchmarks:
        name = _name(entry)
        found |= {*groups.get(name, []), name}
    return found


def _name(entry: str) -> str:
    """What the results call a benchmark by its entry: its name, or its file's without ending."""
    name = entry.rpartition(":")[2]
    return Path(name).name.partition(".")[0] if _is_path(entry) else name


def _is_path(entry: str) -> bool:
    name = entry.rpartition(":")[2]
    return "/" in name or "." in name


@functools.cache
def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = read_own(_LIBRARY / name)
    return content


def _unknown(key: str, names: Iterable[str], known: Collection[str], what: str = "unknown") -> Iterator[str]:
    for name in names:
        if name not in known:
            yield str(unknown(key, name, sorted(known), what))
