"""Everything kept and dropped, by stage and reason, from the ``report.json`` of every data stage."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.report.inputs import read_facts

_STAGES = (
    ("corpus", "Documents", "download: fetched, cleaned, deduplicated"),
    ("benchmarks", "Benchmark examples", "download: pairs and sentences to be judged by"),
    ("parsed", "Sentences", "parse: split, tagged, given a tree"),
    ("augmented", "Variants", "augment: rewritten by their trees"),
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
