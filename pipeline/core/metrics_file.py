"""The metrics file of a run, ``reports/metrics/RUN.json``, with the dotted names of its metrics.

It has an object for each view; below it the metrics of a task, nested: ``{"semantic": {"stsb": {"test": ...``
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json


def read_metrics(path: Path) -> dict[str, dict[str, float]]:
    """The metrics file of a run: by view, every metric under its dotted name.

    Raises SynsemError where the file is no object of views, or a metric is no finite number.
    """
    return dotted_metrics(read_json(path), path)


def dotted_metrics(metrics: Any, path: Path) -> dict[str, dict[str, float]]:
    """``read_metrics`` of what was read from ``path`` already."""
    if not isinstance(metrics, dict) or not all(isinstance(view, dict) for view in metrics.values()):
        raise SynsemError(f"{path}: not one object of metrics for each view; run `synsem evaluate` again")
    return {view: dict(_dotted(found, path)) for view, found in metrics.items()}


def _dotted(node: Mapping[str, Any], path: Path, prefix: str = "") -> Iterator[tuple[str, float]]:
    for key, value in sorted(node.items()):
        if isinstance(value, dict):
            yield from _dotted(value, path, f"{prefix}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            yield prefix + key, float(value)
        else:
            raise SynsemError(
                f"{path}: {prefix}{key} is {value!r}, not a finite number; run `synsem evaluate` again"
            )
